"""The same model yields the same ids, offsets and text as in `sentencepiece`."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cases import quick
from tests.core.sentencepieces import made, trained
from tests.core.small_files import MODELS
from tests.core.texts import CORPUS, any_text
from tests.properties import SAME_FIXTURE
from webapp.core.formats import sentencepiece as sentencepiece_format
from webapp.core.models.sentencepiece_models import SentencePieceUnigram
from webapp.core.tokenizer import Tokenizer

PUBLISHED = ("llama2", "nai-t5", "test_ja_model")
SYMBOLS = "<sep>,wife,人说,ing the,▁of,é,ﬁ"

BYTES = {"byte_fallback": True, "vocab_size": 700}
SPACES = {"remove_extra_whitespaces": False, "normalization_rule_name": "identity"}
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "bytes": BYTES,
    "spaces": BYTES | SPACES | {"allow_whitespace_only_pieces": True},
    "nfkc": {"normalization_rule_name": "nfkc", "add_dummy_prefix": False},
    "casefold": {"normalization_rule_name": "nmt_nfkc_cf", "remove_extra_whitespaces": False},
    "symbols": {"user_defined_symbols": SYMBOLS, "control_symbols": "<ctl>"},
    "mixed": BYTES | {"user_defined_symbols": SYMBOLS, "add_dummy_prefix": False},
    "suffix": {"treat_whitespace_as_suffix": True},
    "across": {"split_by_whitespace": False},
}
VARIANTS = {f"{type}-{name}": {"model_type": type, **OPTIONS[name]} for type in MODELS for name in OPTIONS}


@dataclass
class Pair:
    """One model in two implementations."""

    ours: Tokenizer
    theirs: sentencepiece.SentencePieceProcessor

    @classmethod
    def of(cls, content: bytes) -> "Pair":
        return cls(sentencepiece_format.read(content), sentencepiece.SentencePieceProcessor(model_proto=content))


# One or two of each kind of model; the exhaustive part has them all.
QUICK = ["unigram-plain", "unigram-bytes", "unigram-symbols", "bpe-plain", "bpe-spaces", "word-mixed", "char-bytes"]
PARAMS = quick(VARIANTS, QUICK)


@pytest.fixture(scope="module", params=[*PARAMS, *PUBLISHED])
def pair(request: pytest.FixtureRequest, shared: Path) -> Pair:
    if request.param in VARIANTS:
        return Pair.of(trained(**VARIANTS[request.param]))
    return Pair.of((shared / "vocabularies" / "sentencepiece" / f"{request.param}.model").read_bytes())


def assert_same(pair: Pair, text: str) -> None:
    theirs = pair.theirs.encode(text)
    encoding = pair.ours.encode(text)
    assert list(encoding.ids) == theirs == pair.ours.ids(text)
    assert pair.ours.decode(theirs) == pair.theirs.decode(theirs)
    assert_offsets(pair, text, list(encoding.starts), list(encoding.ends))


def assert_offsets(pair: Pair, text: str, starts: list[int], ends: list[int]) -> None:
    """Check that our tokens start where theirs do, and end there where no character was removed or replaced.

    SentencePiece lets a token end where the next begins, so that removed spaces belong to the token before them; of
    several bytes or characters that stand for one character, it gives the last the whole range and the others none
    (in a word model the last byte of an unknown word has the range of the word). The same holds for a user-defined
    piece: if the text ends in one whose `▁` is removed with the spaces there, the rest of it has no range.
    """
    pieces = pair.theirs.encode(text, return_type="proto").pieces
    assert len(starts) == len(ends) == len(pieces)
    character = [at for at, found in enumerate(text) for _ in found.encode()] + [len(text)]  # theirs count bytes
    for index, (piece, start, end) in enumerate(zip(pieces, starts, ends, strict=True)):
        begins, finishes = character[piece.begin], character[piece.end]
        assert 0 <= start < end <= len(text)
        if pair.theirs.is_byte(piece.id):
            assert begins <= start or begins == character[pieces[-1].begin]
        elif start != begins:  # a space after the text has no range of its own
            assert start < begins == finishes
        elif begins < finishes:
            if end > finishes and index + 1 < len(pieces):  # the next begins inside the replacement of one character
                assert starts[index + 1] < end
            elif end > finishes:  # the text's last spaces were removed, and one of them ends a user-defined piece
                assert text[finishes:end].rstrip("▁")
                assert text[end - 1] == "▁"
            assert pair.theirs.normalize(text[end:finishes]).strip("▁ ") == ""
        if index:
            assert starts[index - 1] <= start
            assert ends[index - 1] <= end


def assembled(context: str, step: int = 1) -> Iterator[str]:
    """Yield every code point, several hundred per text, each in a context; beyond plane 1 only every `step`th."""
    codes = [*range(0xD800), *range(0xE000, 0x20000), *range(0x20000, 0x110000, step)]
    for start in range(0, len(codes), 512):
        yield "".join(chr(code) + context for code in codes[start : start + 512])


hard_texts = st.one_of(
    any_text,
    st.lists(
        st.one_of(any_text, st.sampled_from([*SYMBOLS.split(","), "<ctl>", "<s>", "<0x41>", "<unk>"])), max_size=6
    ).map("".join),
)


@SAME_FIXTURE
@given(text=hard_texts)
@example(text="")
@example(text=" ")
@example(text="  \n ")
@example(text="▁")
@example(text="\x01 ")
@example(text="\ufeff a \u3000▁ ")
@example(text="\U0001d15e\U0001d15e")
@example(text="<extra_id_0> of <extra_id_99><extra_id_100>")
@example(text=CORPUS)
def test_ids_offsets_and_text_equal_sentencepiece(pair: Pair, text: str) -> None:
    assert_same(pair, text)


def test_a_model_is_written_as_it_was_read(pair: Pair) -> None:
    again = Pair.of(sentencepiece_format.write(pair.ours))
    for part in ("normalizer", "decoder", "added_tokens", "postprocessor"):
        assert getattr(again.ours, part) == getattr(pair.ours, part)
    assert again.ours.model.vocabulary.kinds == pair.ours.model.vocabulary.kinds
    for text in (CORPUS[:2000], "  Ünknown ﬁne <sep>\t東京 x ", ""):
        ids = again.theirs.encode(text)
        assert ids == pair.theirs.encode(text)
        assert again.theirs.decode(ids) == pair.theirs.decode(ids)


@SAME_FIXTURE
@given(data=st.data())
def test_decode_any_ids(pair: Pair, data: st.DataObject) -> None:
    size = pair.theirs.get_piece_size()
    ids = data.draw(st.lists(st.integers(0, size - 1) | st.integers(0, min(size, 300) - 1), max_size=16))
    assert pair.ours.decode(ids) == pair.theirs.decode(ids)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("pair", "context", "step"),
    [
        ("unigram-plain", "", 1),
        ("unigram-plain", "e\u0301", 97),
        ("unigram-nfkc", " a", 97),
        ("unigram-casefold", "\u0301", 97),
        ("bpe-suffix", " ", 97),
        ("bpe-spaces", "a ", 97),
        *((name, context, 97) for name in PUBLISHED for context in ("", "e\u0301")),
    ],
    indirect=["pair"],
)
def test_every_code_point(pair: Pair, context: str, step: int) -> None:
    for text in assembled(context, step):
        ids = pair.ours.ids(text)
        assert ids == pair.theirs.encode(text)
        assert pair.ours.decode(ids) == pair.theirs.decode(ids)


@pytest.mark.parametrize("pair", PUBLISHED, indirect=True)
@pytest.mark.parametrize("length", [20_000, pytest.param(None, id="whole", marks=pytest.mark.exhaustive)])
def test_published_texts(pair: Pair, shared: Path, length: int | None) -> None:
    for path in sorted((shared / "texts").iterdir()):
        text = path.read_bytes().decode()[:length]
        ids = pair.ours.ids(text)
        assert ids == pair.theirs.encode(text), path.name
        assert pair.ours.decode(ids) == pair.theirs.decode(ids)
        for line in text.splitlines()[:1000]:
            assert pair.ours.ids(line) == pair.theirs.encode(line)
        assert_same(pair, text[:20_000].replace("\n", "\r\n"))


# --- random models: few characters, so that ties and overlaps are the rule -----------------------------------

CHARACTERS = "ab▁é"


@st.composite
def random_models(draw: st.DrawFn) -> bytes:
    model_type = draw(st.integers(1, 4))
    texts = draw(st.lists(st.text(CHARACTERS, min_size=1, max_size=5), min_size=1, max_size=14, unique=True))
    scale = draw(st.sampled_from([1.0, 1.0, 30.0, 20_000.0]))
    score = st.sampled_from([-1.0, -2.0, -3.0, -2.000001, -1.1, -0.7, -3.3, -4.4, 0.5])
    kind = st.sampled_from([1, 1, 1, 1, 1, 4, 5, 3])
    pieces = [("<unk>", 0.0, 2), ("b▁b", -5.0, 1)]  # `sentencepiece` refuses a model without a normal piece
    for text in filter("b▁b".__ne__, texts):
        drawn = draw(kind)
        # `sentencepiece` fails where a control piece occurs in the text.
        pieces.append((text, draw(score) * scale, 1 if drawn == 3 and model_type != 1 else drawn))
    fallback = draw(st.booleans())
    if fallback:
        pieces += [(f"<0x{byte:02X}>", 0.0, 6) for byte in range(256)]
    names = ("suffix", "add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces")
    options = {name: draw(st.booleans()) for name in names}
    return made(pieces, model_type=model_type, byte_fallback=fallback, **options)


# The user-defined piece loses its end with the spaces after the text.
KEPT = {"add_dummy_prefix": False, "remove_extra_whitespaces": True, "escape_whitespaces": True}
CUT_SHORT = made([("<unk>", 0.0, 2), ("b▁b", -5.0, 1), ("b▁", -2.0, 4)], model_type=1, **KEPT)


@example(content=CUT_SHORT, text="ab▁", times=1)
@example(content=CUT_SHORT, text="b▁", times=3)
@given(content=random_models(), text=st.text(CHARACTERS + " x", max_size=40), times=st.sampled_from([1, 1, 3, 40]))
def test_random_models_equal_sentencepiece(content: bytes, text: str, times: int) -> None:
    assert_same(Pair.of(content), text * times)


def test_rounding_decides_in_long_texts() -> None:
    """Words whose paths differ by a hair, after sums of every size up to the point where they are rebased to 0."""
    shuffled = random.Random(5)
    letters = {letter: -shuffled.choice([1.1, 2.3, 0.7, 3.14159]) for letter in "abcd"}
    pieces = [("<unk>", 0.0, 2), ("▁", -2.0, 1), *((letter, score, 1) for letter, score in letters.items())]
    for _ in range(60):
        text = "".join(shuffled.choices("abcd", k=shuffled.randint(2, 4)))
        score = sum(map(letters.__getitem__, text)) + shuffled.choice([0, 1e-6, -1e-6, 1e-4, -1e-3, 0.003, -0.01, 0.5])
        if text not in {piece for piece, _, _ in pieces}:
            pieces += [(text, score, 1)]
            if f"▁{text}" not in {piece for piece, _, _ in pieces}:
                pieces += [(f"▁{text}", score - 2.0 + shuffled.choice([0, 1e-5, -1e-5]), 1)]
    pair = Pair.of(made(pieces, model_type=1))
    assert isinstance(pair.ours.model, SentencePieceUnigram)
    words = ["".join(shuffled.choices("abcdx", k=shuffled.randint(1, 9))) for _ in range(40_000)]
    for length in (3, 50, 400, 2_000, 40_000):
        text = " ".join(words[:length])
        assert pair.ours.ids(text) == pair.theirs.encode(text)
        assert pair.ours.ids(text[:-1]) == pair.theirs.encode(text[:-1])  # cached results are right as well


def test_control_pieces_are_special_tokens() -> None:
    pair = Pair.of(trained(**VARIANTS["unigram-symbols"]))
    assert {"<s>", "</s>", "<ctl>"} == pair.ours.special_tokens.keys()
    assert pair.ours.ids("<s>", special=True) == [pair.theirs.bos_id()]
    assert pair.ours.decode([pair.theirs.bos_id()]) == ""
