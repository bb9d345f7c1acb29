"""Vocabularies of long, nested pieces: the ids equal the originals', and the work is bounded or the file refused."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
import sentencepiece
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import models

from tests.core.sentencepieces import made
from webapp.core.formats import huggingface
from webapp.core.formats import sentencepiece as sentencepiece_format
from webapp.core.formats.reading import FormatError
from webapp.core.models import sentencepiece_models
from webapp.core.models.fast.word_lengths import MOST_CHARACTERS, MOST_LENGTHS
from webapp.core.models.literals import Literals
from webapp.core.models.sentencepiece_models import FARTHEST, SHORT, SentencePieceUnigram
from webapp.core.models.unigram import Unigram
from webapp.core.models.wordpiece import WordPiece
from webapp.core.traces.lattice import best_path, lattice_of, tokens_of

# Repetitions of these make texts in which pieces of every length match at every position.
UNITS = ["a", "ab", "aab", "研", "aéb"]
# Few different scores make many ties; the last ones have no short binary fraction, so that rounding decides.
SCORES = [-0.5, -1.0, -2.0, -8.0, -11.0, -3.14159, -1.1]


def run_of(unit: str, length: int) -> str:
    return (unit * length)[:length]


long_texts = st.builds(run_of, st.sampled_from(UNITS), st.integers(1, 90))
texts = st.lists(long_texts | st.text("abx研 ", max_size=3), max_size=6).map("".join)
scores = st.sampled_from(SCORES)


@st.composite
def vocabularies(draw: st.DrawFn) -> dict[str, float]:
    """Draw scores of pieces, of which at most `MOST_LENGTHS` lengths begin alike."""
    pieces = draw(st.sets(long_texts, min_size=1, max_size=30))
    if draw(st.booleans()):
        unit, first = draw(st.sampled_from(UNITS)), draw(st.integers(1, 40))
        pieces |= {run_of(unit, length) for length in range(first, first + draw(st.integers(1, 30)))}
    return {piece: draw(scores) for piece in sorted(pieces)}


def unigram(score_of: dict[str, float]) -> Unigram:
    return Unigram(["<unk>", *score_of], [0.0, *score_of.values()], unknown_id=0)


def sentencepiece_file(score_of: dict[str, float], *, model_type: int = 1, kind: int = 1) -> bytes:
    pieces = [("<unk>", 0.0, 2), *((piece, score, kind) for piece, score in score_of.items())]
    plain = {"add_dummy_prefix": False, "remove_extra_whitespaces": False, "escape_whitespaces": False}
    return made(pieces, model_type=model_type, **plain)


def tokenizer_json(model: dict[str, Any], added: list[str] | None = None) -> str:
    tokens = [{"id": 1 + at, "content": token, "special": False} for at, token in enumerate(added or [])]
    return json.dumps({"version": "1.0", "added_tokens": tokens, "model": model})


def nested(count: int, first: int = 1, step: int = 1) -> dict[str, float]:
    return {"a": -1.0, **{"a" * (first + step * at): -1.0 - at / 7 for at in range(count)}}


# --- ids equal the originals'


@given(score_of=vocabularies(), text=texts)
@example(score_of=nested(MOST_LENGTHS, first=2), text="a" * 300)
@example(score_of=nested(9, first=100, step=200), text="a" * 9000 + "b" + "a" * 500)
def test_unigram_equals_tokenizers_and_sentencepiece(score_of: dict[str, float], text: str) -> None:
    model = unigram(score_of)
    theirs = models.Unigram([("<unk>", 0.0), *score_of.items()], unk_id=0)
    ids = [token.id for token in theirs.tokenize(text)] if text else []
    assert [id for id, _, _ in model.segment(text)] == list(model.ids(text)) == ids
    content = sentencepiece_file(score_of)
    rival = sentencepiece.SentencePieceProcessor(model_proto=content).encode(text)
    assert list(sentencepiece_format.read(content).ids(text)) == rival


@given(
    score_of=vocabularies(),
    text=texts,
    steepness=st.sampled_from([1_000.0, 3_333.3, 9_999.9]),
    times=st.sampled_from([1, 5, 40]),
)
@example(score_of={"a": -1.0, "b": -3.0, **{"ab" * 20 + "a" * at: -11.0 for at in range(9)}}, text="ab" * 40,
         steepness=2_500.0, times=5)  # fmt: skip
def test_unigram_equals_sentencepiece_where_scores_are_rebased_to_0(
    score_of: dict[str, float], text: str, steepness: float, times: int
) -> None:
    """SentencePiece rebases a sum beyond 100,000 to 0: here once within a long piece, and also more often."""
    steep = {piece: score * steepness for piece, score in score_of.items()}
    content = sentencepiece_file(steep)
    longest = max(map(len, steep))
    if longest > SHORT and longest * max(map(abs, steep.values())) > 15 * FARTHEST:
        with pytest.raises(FormatError, match="too far from 0"):
            sentencepiece_format.read(sentencepiece_file({**steep, "b" * longest: -1e6}))
        return
    rival = sentencepiece.SentencePieceProcessor(model_proto=content)
    assert list(sentencepiece_format.read(content).ids(text * times)) == rival.encode(text * times)


@given(score_of=vocabularies(), text=texts)
def test_the_lattice_contains_the_long_pieces(score_of: dict[str, float], text: str) -> None:
    read = sentencepiece_format.read(sentencepiece_file(score_of)).model
    assert isinstance(read, SentencePieceUnigram)
    for model in (unigram(score_of), read):
        lattice = lattice_of(model, text)
        stand = {(at, at + len(piece)) for piece in score_of for at in range(len(text)) if text.startswith(piece, at)}
        assert {(arc.start, arc.end) for arc in lattice.arcs if arc.id is not None} == stand
        assert list(tokens_of(model, text, best_path(lattice))) == list(model.segment(text))


@given(first=st.sets(long_texts, max_size=20), inner=st.sets(long_texts, max_size=30), word=texts)
@example(first={"a"}, inner={"a", *("a" * at + "b" for at in range(1, MOST_LENGTHS))}, word="a" * 300)
def test_wordpiece_equals_tokenizers(first: set[str], inner: set[str], word: str) -> None:
    pieces = ["[UNK]", *sorted(first), *(f"##{piece}" for piece in sorted(inner))]
    model = WordPiece(pieces, max_word_length=10_000)
    vocabulary = {piece: id for id, piece in enumerate(pieces)}
    rival = models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=10_000)
    assert list(model.ids(word)) == ([token.id for token in rival.tokenize(word)] if word else [])


@given(
    literals=st.sets(st.text("ab<|", max_size=4) | long_texts, min_size=1, max_size=12),
    text=texts | st.text("ab<|x", max_size=30),
    start=st.integers(0, 5),
)
def test_literals_are_found_as_by_an_alternation_of_them(literals: set[str], text: str, start: int) -> None:
    pattern = re.compile("|".join(map(re.escape, sorted(literals, key=len, reverse=True))))
    found = Literals(literals)
    theirs = [match.span() for match in pattern.finditer(text, min(start, len(text)))]
    # The pattern finds an empty match right after another; callers of `Literals` skip those.
    ends = {end for begin, end in theirs if begin < end}
    theirs = [(begin, end) for begin, end in theirs if begin < end or begin not in ends]
    ours = [(begin, end) for begin, end in found.spans(text, min(start, len(text))) if begin < end or begin not in ends]
    assert ours == theirs
    assert found.first(text, min(start, len(text))) == (theirs[0] if theirs else None)


# --- refusals


def unigram_json(score_of: dict[str, float]) -> str:
    return tokenizer_json({"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], *map(list, score_of.items())]})


def wordpiece_json(inner: list[str], longest_word: int = 100_000) -> str:
    vocabulary = {piece: id for id, piece in enumerate(["[UNK]", "a", *(f"##{piece}" for piece in inner)])}
    return tokenizer_json(
        {"type": "WordPiece", "unk_token": "[UNK]", "max_input_chars_per_word": longest_word, "vocab": vocabulary}
    )


def words_json(added: list[str]) -> str:
    return tokenizer_json({"type": "WordLevel", "unk_token": "[UNK]", "vocab": {"[UNK]": 0}}, added)


LENGTHS = [f"{'a' * length}b" for length in range(2, MOST_LENGTHS + 2)]
BEYOND = [*LENGTHS, "a" * MOST_LENGTHS + "aab"]
TOO_LONG = ["aa" + "b" * (MOST_CHARACTERS // 2), "aa" + "b" * (MOST_CHARACTERS // 2 + 1)]

REFUSED: list[tuple[str, Callable[[], Any], str]] = [
    ("nested", lambda: huggingface.read(unigram_json(nested(MOST_LENGTHS + 2))), "more than 64 different lengths"),
    ("nested in SentencePiece", lambda: sentencepiece_format.read(sentencepiece_file(nested(MOST_LENGTHS + 2))),
     "more than 64 different lengths"),
    ("a long one", lambda: huggingface.read(unigram_json(nested(2, step=MOST_CHARACTERS))), "and 8,192 are allowed"),
    ("steep", lambda: sentencepiece_format.read(sentencepiece_file({"a": -1.0, "a" * 4_000: -1e6})),
     "a score of -1.00001e+06 is too far from 0 for a vocabulary with a piece of 4,000 characters"),
    ("WordPiece", lambda: huggingface.read(wordpiece_json(BEYOND)),
     "begin with 'aa' have more than 64 different lengths"),
    ("WordPiece, long", lambda: huggingface.read(wordpiece_json(TOO_LONG)), "and 8,192 are allowed"),
    ("added tokens", lambda: huggingface.read(words_json(BEYOND)), "more than 64 different lengths"),
    ("added tokens, long", lambda: huggingface.read(words_json(TOO_LONG)), "and 8,192 are allowed"),
    *((f"user-defined, type {type}",
       lambda type=type: sentencepiece_format.read(
           sentencepiece_file(dict.fromkeys(BEYOND, 0.0), model_type=type, kind=4)),
       "more than 64 different lengths") for type in (2, 3, 4)),
    ("long to merge", lambda: sentencepiece_format.read(sentencepiece_file(nested(1_500), model_type=2)),
     "add up to 1,126,125,250, and 1,000,000,000 are allowed"),
]  # fmt: skip


@pytest.mark.parametrize(("read", "message"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_refused_with_the_reason(read: Callable[[], Any], message: str) -> None:
    with pytest.raises(FormatError, match=re.escape(message)):
        read()


def test_too_many_pairs_to_merge_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    content = sentencepiece_file(nested(60), model_type=2)
    monkeypatch.setattr(sentencepiece_models, "MOST_PAIRS", 1_770)  # 59 + 58 + … + 1
    assert sentencepiece_format.read(content).ids("aaa")
    monkeypatch.setattr(sentencepiece_models, "MOST_PAIRS", 1_769)
    with pytest.raises(FormatError, match="more than 1,769 ways"):
        sentencepiece_format.read(content)


def test_vocabularies_exactly_at_the_limits_are_accepted() -> None:
    assert huggingface.read(wordpiece_json(LENGTHS)).ids("aab")
    assert huggingface.read(words_json(LENGTHS)).ids("aab") == [1]
    assert huggingface.read(wordpiece_json(BEYOND, longest_word=66)).ids("aab"), "no word is as long as the last piece"
    spaces = dict.fromkeys((" " * length for length in range(1, 65)), -1.0)
    assert huggingface.read(unigram_json(spaces)).ids(" " * 64) == [64]
    for type in (1, 2, 4):
        content = sentencepiece_file(spaces, model_type=type, kind=4)
        rival = sentencepiece.SentencePieceProcessor(model_proto=content)
        assert sentencepiece_format.read(content).ids(" " * 100 + "x") == rival.encode(" " * 100 + "x")
