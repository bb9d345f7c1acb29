"""`.tiktoken` files against `tiktoken`: ids and decoded text, with and without special tokens, for any text."""

import base64
from hashlib import sha256
from itertools import product
from pathlib import Path

import pytest
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st
from tiktoken_ext import openai_public

from tests.cases import quick
from tests.core.texts import ASSIGNED, CORPUS, DIFFERENT, HARD, REST, any_text
from tests.properties import EXPENSIVE
from webapp.core.formats import packed_ranks
from webapp.core.formats import tiktoken as tiktoken_format
from webapp.core.formats.tiktoken import ENCODINGS, read, write
from webapp.core.recipes import BYTE_BPE
from webapp.core.text import split_patterns
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers.bpe import train_bytes
from webapp.vocabularies.shipped_vocabularies import packed, shipped_encoding
from webapp.vocabularies.wellknown import WELL_KNOWN

BYTES = {bytes([byte]): byte for byte in range(256)}
TRAINED = {bytes(piece): id for id, piece in enumerate(train_bytes(BYTE_BPE.count(CORPUS), 900).model.pieces)}  # type: ignore[arg-type]
# A piece for every two bytes, so that ids show the split of the text; longer ones for splits inside white space.
PAIRS = {bytes([left, right]): 256 + 256 * left + right for left in range(256) for right in range(256)}
LONGER = [b" \n ", b"\n \n", b"  \n", b"\t\n\t", b"   ", b"\r\n\r\n"]
EVERY_PAIR = BYTES | PAIRS | {piece: 256 + 65536 + at for at, piece in enumerate(LONGER)}
SPECIAL = {"<|endoftext|>": 90000, "<|fim_prefix|>": 90001, " ": 90002, "a\u0301": 90003, "\n\n": 90004}

# Odd characters next to each other.
odd_texts = st.lists(
    st.one_of(
        st.sampled_from(HARD),
        st.sampled_from("\x1c\x1d\x1e\x1f\x85\xa0\u2028\u3000\ufeff\r\n \u212a'\u200d\ufe0f研"),
        st.sampled_from(["'ſ", "'S", "'LL", "'lL", "'Ve", "’s", "K's", "👩‍👩‍👧"]),
        st.text(max_size=3),
    ),
    max_size=25,
).map("".join)
all_texts = st.one_of(any_text, odd_texts).map(lambda text: text.encode("utf-8", "replace").decode())

# Long runs, mixed scripts and joiners, text like special tokens, half of a surrogate pair.
HOSTILE = [
    "", "a" * 20_000, " " * 5_000, "\n" * 5_000, " \n\t" * 2_000, "0123456789" * 500, "=" * 3_000, "ab" * 5_000,
    "\0" * 2_000, "👨‍👩‍👧‍👦" * 500, "e" + "\u0301" * 2_000, "研究生命科学" * 800, "ﷺ" * 1_000, "\u200d\ufe0f" * 1_000,
    "IT'S don'T I'LL we'Ve o'ſ" * 50, "camelCaseHTTPServer2Go_x86" * 50, "".join(HARD), " ".join(reversed(HARD)),
    "<|endoftext|>" * 100, "<|fim_prefix|> <|endofprompt|><|im_start|><|start|>", "<|endoftext|",
    "x\ud83d\ude00 y\udc00 \ud83d",
]  # fmt: skip


def file_of(ranks: dict[bytes, int]) -> bytes:
    return b"".join(base64.b64encode(piece) + b" %d\n" % rank for piece, rank in ranks.items())


def rival_of(ranks: dict[bytes, int], pattern: str, special_tokens: dict[str, int]) -> tiktoken.Encoding:
    return tiktoken.Encoding("rival", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special_tokens)


def assert_same(ours: Tokenizer, rival: tiktoken.Encoding, text: str) -> None:
    ids = rival.encode_ordinary(text)
    assert ours.ids(text) == ids
    assert ours.decode(ids) == rival.decode(ids)
    honoured = rival.encode(text, allowed_special="all")
    assert ours.ids(text, special=True) == honoured
    assert ours.decode(honoured) == rival.decode(honoured)


@pytest.fixture(scope="module", params=[*product(split_patterns.KNOWN, (TRAINED, EVERY_PAIR))])
def pair(request: pytest.FixtureRequest) -> tuple[Tokenizer, tiktoken.Encoding]:
    """Return a vocabulary under every known pattern, read by us and by `tiktoken`."""
    pattern, ranks = request.param
    return read(file_of(ranks), pattern=pattern, special_tokens=SPECIAL), rival_of(ranks, pattern, SPECIAL)


@given(text=all_texts)
@example(text="a \n ")  # where the two spellings of cl100k differ
def test_any_text_equals_tiktoken(pair: tuple[Tokenizer, tiktoken.Encoding], text: str) -> None:
    assert_same(*pair, text)


@pytest.mark.exhaustive
@pytest.mark.parametrize("pattern", [split_patterns.CL100K_BASE, split_patterns.O200K])
def test_every_code_point_equals_tiktoken(pattern: str) -> None:
    ours = read(file_of(EVERY_PAIR), pattern=pattern, special_tokens={})
    rival = rival_of(EVERY_PAIR, pattern, {})
    codes = ASSIGNED + REST if pattern == split_patterns.O200K else DIFFERENT
    for first in range(0, len(codes), 10_000):
        text = "z".join(f"{chr(code)}{chr(code)}1{chr(code)} B" for code in codes[first : first + 10_000])
        assert ours.ids(text) == rival.encode_ordinary(text), hex(codes[first])


@pytest.mark.parametrize("pattern", [r"\w+", r"\p{Han}+|[a-z]+", r"[^\n]+", r"(?i:the)|."])
@EXPENSIVE
@given(text=all_texts)
def test_a_custom_pattern_equals_tiktoken(pattern: str, text: str) -> None:
    """Characters the pattern does not match are dropped."""
    ours = read(file_of(TRAINED), pattern=pattern, special_tokens=SPECIAL)
    rival = rival_of(TRAINED, pattern, SPECIAL)
    if pattern == r"\w+":
        text = text.replace("\u200c", "").replace("\u200d", "")  # word characters in one engine only
    assert_same(ours, rival, text)


@EXPENSIVE
@given(text=st.text(st.sampled_from("ab 研\n"), min_size=300, max_size=3000))
def test_long_pretokens_equal_tiktoken(text: str) -> None:
    text = text.replace(" ", "") * 3
    ours = read(file_of(TRAINED), "r50k_base")
    assert ours.ids(text) == rival_of(TRAINED, split_patterns.R50K_BASE, {}).encode_ordinary(text)


# --- the published vocabularies


@pytest.fixture(scope="module", params=packed_ranks.FILES)
def published(request: pytest.FixtureRequest) -> tuple[Tokenizer, tiktoken.Encoding]:
    """Return an encoding as it ships, and tiktoken's with the ranks of the unpacked file."""
    content = packed_ranks.tiktoken_file(packed(request.param), request.param)
    assert (sha256(content).hexdigest(),) == WELL_KNOWN[request.param].source.sha256
    parts = ENCODINGS[request.param]
    ranks = {base64.b64decode(piece): int(rank) for piece, rank in map(bytes.split, content.splitlines())}
    return shipped_encoding(request.param), rival_of(ranks, parts.pattern, dict(parts.special_tokens))


# The others differ from one of these in special tokens alone.
DISTINCT = ["o200k_base", "cl100k_base", "p50k_base", "r50k_base"]
LONG = ["o200k_base", "cl100k_base", "r50k_base"]  # p50k_base differs from r50k_base in white space
WHOLE = [pytest.param(name, None, id=f"{name}-whole", marks=pytest.mark.exhaustive) for name in LONG]


@pytest.mark.parametrize(
    ("published", "length"), [*((name, 20_000) for name in packed_ranks.FILES), *WHOLE], indirect=["published"]
)
def test_published_vocabularies_on_texts(
    published: tuple[Tokenizer, tiktoken.Encoding], shared: Path, length: int | None
) -> None:
    files = [*(shared / "texts").iterdir(), shared / "corpora" / "zh_luxun.txt", Path(__file__)]
    for file in files:
        text = file.read_text(encoding="utf-8")[:length]
        assert_same(*published, text + "<|endoftext|>" + text[:100])
    for text in HOSTILE:
        assert_same(*published, text)


@pytest.mark.exhaustive
@given(text=all_texts)
def test_published_vocabularies_on_any_text(published: tuple[Tokenizer, tiktoken.Encoding], text: str) -> None:
    assert_same(*published, text + "<|fim_middle|>'s")


@pytest.mark.parametrize("published", DISTINCT, indirect=True)
@pytest.mark.exhaustive
def test_published_vocabularies_on_every_code_point(published: tuple[Tokenizer, tiktoken.Encoding]) -> None:
    for first in range(0, len(DIFFERENT), 20_000):
        text = "".join(f"{chr(code)} a{chr(code)}" for code in DIFFERENT[first : first + 20_000])
        assert published[0].ids(text) == published[1].encode_ordinary(text), hex(DIFFERENT[first])


# --- names


@pytest.mark.parametrize("name", openai_public.ENCODING_CONSTRUCTORS)
def test_named_encodings_equal_those_of_tiktoken(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for load in ("load_tiktoken_bpe", "data_gym_to_mergeable_bpe_ranks"):
        monkeypatch.setattr(openai_public, load, lambda *_, **__: BYTES)
    theirs = openai_public.ENCODING_CONSTRUCTORS[name]()
    assert ENCODINGS[name].pattern == theirs["pat_str"]
    assert ENCODINGS[name].special_tokens == theirs["special_tokens"]
    if "explicit_n_vocab" in theirs:
        assert ENCODINGS[name].ranks == theirs["explicit_n_vocab"] - ("p50k" not in name)


@pytest.mark.parametrize("name", quick(ENCODINGS, {"qwen"}))
def test_each_named_encoding_can_be_read(name: str) -> None:
    """Read a made-up file of the right size, with the gap that p50k leaves for `<|endoftext|>`."""
    parts = ENCODINGS[name]
    ids = [id for id in range(parts.ranks) if id not in parts.special_tokens.values()]
    ranks = {bytes([id]) if id < 256 else b"%d" % id: id for id in ids}
    tokenizer = read(file_of(ranks), name)
    assert ENCODINGS[tiktoken_format.encoding_of(ranks) or ""].ranks == parts.ranks
    for token, id in parts.special_tokens.items():
        assert tokenizer.ids("a" + token, special=True) == [97, id]
    assert tokenizer.decode(ids[-1:]) == f"{ids[-1]}"
    assert write(tokenizer) == file_of(ranks)
    if name == "qwen":
        assert tokenizer.ids("e\u0301") == tokenizer.ids("é")


def test_two_tokens_with_one_id_decode_as_in_tiktoken() -> None:
    special_tokens = dict(ENCODINGS["o200k_harmony"].special_tokens)
    rival = rival_of(BYTES, split_patterns.O200K, special_tokens)
    ours = read(file_of(BYTES), pattern=split_patterns.O200K, special_tokens=special_tokens)
    assert ours.decode([97, 200018]) == rival.decode([97, 200018]) == "a<|endofprompt|>"
