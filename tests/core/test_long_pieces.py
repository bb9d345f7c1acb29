"""Vocabularies of long, nested pieces: the ids equal the originals', and the work is bounded or the file refused."""

from __future__ import annotations

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
from webapp.core.formats.fields import FormatError
from webapp.core.models import scored_bpe
from webapp.core.models.fast.word_lengths import MOST_CHARACTERS, MOST_LENGTHS
from webapp.core.models.literals import Literals
from webapp.core.models.long_pieces import LIMITS, MOST_NESTED, LongPieces
from webapp.core.models.sentencepiece_unigram import FARTHEST, SentencePieceUnigram
from webapp.core.models.unigram import Unigram
from webapp.core.models.wordpiece import WordPiece
from webapp.core.traces.lattice import best_path, lattice_of, tokens_of
from webapp.core.vocabulary_error import VocabularyError

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
    """Draw scores of pieces, of which at most `MOST_NESTED` end at one position."""
    pieces = draw(st.sets(long_texts, min_size=1, max_size=40))
    if draw(st.booleans()):
        unit, first = draw(st.sampled_from(UNITS)), draw(st.integers(1, 40))
        pieces |= {run_of(unit, length) for length in range(first, first + draw(st.integers(1, 30)))}
    return {piece: draw(scores) for piece in sorted(pieces)}


def unigram(score_of: dict[str, float]) -> Unigram:
    return Unigram(["<unk>", *score_of], [0.0, *score_of.values()], unknown_id=0)


def their_unigram(score_of: dict[str, float]) -> Any:
    return models.Unigram([("<unk>", 0.0), *score_of.items()], unk_id=0)


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
@example(score_of=nested(MOST_NESTED), text="a" * 300)
@example(score_of=nested(MOST_NESTED - LIMITS[0], first=LIMITS[0] + 1), text="a" * 300)
@example(score_of=nested(10, first=100, step=397), text="a" * 9000 + "b" + "a" * 500)
def test_unigram_equals_tokenizers(score_of: dict[str, float], text: str) -> None:
    model = unigram(score_of)
    rival = [token.id for token in their_unigram(score_of).tokenize(text)] if text else []
    assert [id for id, _, _ in model.segment(text)] == rival
    assert list(model.ids(text)) == rival


@given(score_of=vocabularies(), text=texts)
@example(score_of=nested(MOST_NESTED), text="a" * 300)
@example(score_of=nested(10, first=100, step=397), text="a" * 9000 + "b" + "a" * 500)
def test_unigram_equals_sentencepiece(score_of: dict[str, float], text: str) -> None:
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
    if longest > LIMITS[0] and longest * max(map(abs, steep.values())) > 15 * FARTHEST:
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


# --- bounded work


class Counted(dict[Any, Any]):
    """A mapping that counts its lookups and the characters of their keys."""

    asked = 0
    characters = 0

    def get(self, key: Any, default: Any = None) -> Any:
        self.asked += 1
        self.characters += len(key) if isinstance(key, str) else 0
        return super().get(key, default)


def work(model: Unigram | SentencePieceUnigram, text: str) -> int:
    """Count the lookups, their characters, and the long pieces that are compared."""
    counters = [Counted(model._score_of), Counted(model._lengths), Counted(model._long._following)]
    model._score_of, model._lengths, model._long._following = counters
    list(model.segment(text))
    compared = sum(map(len, model._long.ends(text) or ()))
    return sum(counter.asked + counter.characters for counter in counters) + compared


@pytest.mark.parametrize("text", ["a" * 20_000, "ab" * 10_000], ids=["one letter", "two letters"])
@pytest.mark.parametrize("kind", ["tokenizers", "sentencepiece"])
def test_work_does_not_grow_with_the_longest_piece(kind: str, text: str) -> None:
    def model(step: int) -> Unigram | SentencePieceUnigram:
        pieces = {run_of(text[:2], length): -1.0 for length in (*range(1, 17), *range(17, 17 + 60 * step, step))}
        if kind == "tokenizers":
            return unigram(pieces)
        read = sentencepiece_format.read(sentencepiece_file(pieces)).model
        assert isinstance(read, SentencePieceUnigram)
        return read

    short, long = work(model(step=1), text), work(model(step=60), text)
    assert long <= 1.05 * short
    assert work(model(step=60), text * 2) <= 2.1 * long
    assert short < 500 * len(text)


def test_prefixes_that_never_become_a_piece_are_read_once() -> None:
    score_of = {"a": -1.0, "b": -1.0, **{"a" * 3_000 + "b" + "c" * at: -2.0 for at in range(60)}}
    assert work(unigram(score_of), "a" * 20_000) < 10 * 20_000


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
    ("nested", lambda: huggingface.read(unigram_json(nested(MOST_NESTED + 1))),
     "ends with 64 other pieces of more than 16 characters; at most 63 are allowed"),
    ("nested in SentencePiece", lambda: sentencepiece_format.read(sentencepiece_file(nested(MOST_NESTED + 1))),
     "ends with 64 other pieces of more than 16 characters; at most 63 are allowed"),
    ("a thousand", lambda: huggingface.read(unigram_json(nested(1_000))), "at most 47 are allowed"),
    ("four thousand", lambda: huggingface.read(unigram_json(nested(4_000))), "at most 500,000 are allowed"),
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
    monkeypatch.setattr(scored_bpe, "MOST_PAIRS", 1_770)  # 59 + 58 + … + 1
    assert sentencepiece_format.read(content).ids("aaa")
    monkeypatch.setattr(scored_bpe, "MOST_PAIRS", 1_769)
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


def test_many_long_pieces_raise_the_length_limit_before_a_refusal() -> None:
    many = {f"{at:020}": -1.0 for at in range(25_001)}
    assert LongPieces({**many, "a" * 33: -1.0}).limit == 32
    assert LongPieces(dict(list(many.items())[:25_000])).limit == 16
    with pytest.raises(VocabularyError, match="more than 32 characters have 500,040 characters together"):
        LongPieces({f"{at:040}": -1.0 for at in range(12_501)})
