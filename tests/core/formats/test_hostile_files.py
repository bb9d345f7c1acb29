"""Damaged files of every format, odd patterns and odd texts: used in time, or refused with one sentence."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from time import thread_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core import PIPELINES
from tests.core.formats.test_refused import SLOW, replace, sequence, split, tokenizer_json
from tests.core.mutations import STRANGERS, TEXT, check_use, mutated_bytes, mutated_document, read_or_refused, reduced
from tests.core.pairs import pair_of
from tests.core.small_files import MODELS, OTHERS, small
from tests.properties import SAME_FIXTURE
from webapp.core.formats import patterns
from webapp.core.formats.huggingface import check_growth
from webapp.core.formats.huggingface_parts import read_pretokenizer
from webapp.core.formats.patterns import check_source, checked_pattern, translated
from webapp.core.formats.reading import FormatError
from webapp.core.formats.recognize import recognize
from webapp.core.text import pattern_matching
from webapp.core.text.split_patterns import PatternTimeoutError, SplitPattern, TextError
from webapp.core.tokenizer import Tokenizer, as_well_formed

PUBLISHED = {"gpt2": 700, "bert_base_cased": 900, "mistral01": 700}
RANDOM = st.integers(0, 1 << 32).map(Random)


@contextmanager
def in_time() -> Iterator[None]:
    started = thread_time()
    yield
    assert thread_time() - started < 3


@pytest.fixture(scope="module", params=[*OTHERS, *MODELS, *PIPELINES, *PUBLISHED])
def files(request: pytest.FixtureRequest, shared: Path) -> tuple[bytes, ...]:
    name = request.param
    if name in PIPELINES:
        document, size = pair_of(name).theirs.to_str(), 300
    elif name in PUBLISHED:
        path = shared / "vocabularies" / "tokenizers" / f"{name}.json"
        document, size = path.read_text(encoding="utf-8"), PUBLISHED[name]
    else:
        return small(name)
    return (json.dumps(reduced(json.loads(document), size)).encode(),)


def test_intact_files_are_read_and_truncated_json_is_refused(files: tuple[bytes, ...]) -> None:
    assert read_or_refused(*files) is None
    content, rest = files[0].rstrip(), files[1:]
    for end in {*range(1, len(content), len(content) // 60 + 1), *range(max(1, len(content) - 20), len(content))}:
        refused = read_or_refused(content[:end], *rest)
        assert refused or not content.startswith(b"{")


@SAME_FIXTURE
@given(random=RANDOM)
def test_files_with_bytes_or_members_changed(files: tuple[bytes, ...], random: Random) -> None:
    content, *rest = files
    with in_time():
        if content.startswith(b"{"):
            read_or_refused(json.dumps(mutated_document(json.loads(content), random)).encode(), *rest)
        at = random.randrange(len(files))
        read_or_refused(*files[:at], mutated_bytes(files[at], random), *files[at + 1 :])


@given(content=st.binary(max_size=300))
def test_any_bytes(content: bytes) -> None:
    read_or_refused(content)


@pytest.mark.parametrize("kind", ["tiktoken", "tokenizers", "sentencepiece", "scores"])
def test_published_files_of_full_size_changed(shared: Path, kind: str) -> None:
    random = Random(3)
    for path in sorted((shared / "vocabularies" / kind).iterdir()):
        content = path.read_bytes()
        read_or_refused(content[: random.randrange(len(content))])
        read_or_refused(mutated_bytes(content, random))


# --- texts

# Section by section: what expands in normalization, what is one pre-token, what no vocabulary has, what is invisible.
TEXTS = [
    TEXT, "", "\ufdfa" * 300, "a" * 1_000, "ab" * 500, "\0" * 1_000, "\r\n" * 500, " " * 1_000, "👩‍👩‍👧‍👦" * 100,
    "e" + "\u0301" * 999, "\u0300\u0316" * 400, "\x01\x02\x7f\x85" * 200, "🏴\U000e0067\U000e0062\U000e007f" * 100,
    "🇩🇪" * 300, "\u200d" * 1_000, "\ud800a\udc00" * 200, "\u202e\u2066" * 300, "𠀀" * 500, "क्षि" * 250, "각" * 400,
    "\u1100\u1161\u11a8" * 200, "\u0f71\u0f72" * 300, "研究生命起源" * 150, "İ" * 500, "ŉǰΐ" * 200, "Σ" * 500,
    "<s></s><unk>[UNK][CLS]" * 40, "<0x41>" * 150, "▁" * 1_000, "Ġ" * 500, "##a" * 300, "'" * 1_000, "1" * 1_000,
    "<|endoftext|>" * 70, "\ufeff" * 500, "A" * 500 + "é" * 500, "\u3099" * 500, "\U0001f468\U0001f3fb" * 200,
]  # fmt: skip


@pytest.mark.exhaustive
def test_odd_texts(files: tuple[bytes, ...]) -> None:
    tokenizer = recognize(*files).tokenizer
    for text in TEXTS:
        with in_time():
            check_use(tokenizer, text)
            assert tokenizer.ids(text, special=True) == tokenizer.ids(as_well_formed(text), special=True)


# --- patterns

PATTERNS = [
    *(stranger["Regex"] for stranger in STRANGERS if isinstance(stranger, dict) and "Regex" in stranger),
    "a|" * 4_000, "[" + "a" * 8_000 + "]", "(?:)|x", "x|(?:)", "x*", "(?=x)|$", r"\b", r"\G", r"\w?\w?\w?\w?!|x",
    r"(?=\w+ \w+ \w+!)a", r"'s|'t| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}]*[\p{Ll}\p{M}]+(?i:'s|'t)?|\p{N}{1,3}", r"\p{N}{1,3}(?=(?:\p{N}{3})*(?:\P{N}|$))",
    "(?i)(?:ß|SS)+", r"(?r)x*", r"(?b)(?:abc){e<=2}", r"(?<=(a|ab)+)b", r"(?>a+)b|(?|a|(b))", r"\X+",
    "(?V1)[a-z--[aeiou]]",
]  # fmt: skip


def split_or_refused(source: str) -> None:
    text = "axxb 12" + "a" * 99
    try:
        check_source(source)
        spans = SplitPattern(checked_pattern(translated(source))).spans(text)
    except (FormatError, TextError):
        return
    assert all(0 <= start <= end <= len(text) for start, end in spans)
    if "(?" not in source or "r" not in source:  # a flag makes `regex` search from the end
        assert spans == sorted(spans)


@pytest.mark.exhaustive
@pytest.mark.parametrize("source", PATTERNS, ids=lambda source: source[:20])
def test_odd_patterns(source: str) -> None:
    with in_time():
        split_or_refused(source)


@given(source=st.sampled_from(PATTERNS), random=RANDOM)
def test_damaged_patterns(source: str, random: Random) -> None:
    with in_time():
        split_or_refused(mutated_bytes(source.encode(), random).decode(errors="replace"))


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten times as long: a slow machine reads the same files, and length is the first limit."""
    monkeypatch.setattr(patterns, "_SECONDS", 7)
    monkeypatch.setattr(patterns, "_SECONDS_TOGETHER", 14)


@pytest.mark.usefixtures("patience")
@pytest.mark.parametrize(
    "source",
    [
        "(?:)|x",
        r"\p{N}{1,3}|[^\s]{2,}|\s+",
        r"\p{N}{1,3}(?=(?:\p{N}{3})*(?:\P{N}|$))",
        "[" + "".join(map(chr, range(0x4E00, 0x5E00))) + "]+|.",
        "|".join(["[a-z]?'[a-z]"] * 60),
    ],
)
def test_demanding_but_harmless_patterns_are_accepted(source: str) -> None:
    assert checked_pattern(source) == source


@pytest.mark.usefixtures("patience")
def test_patterns_have_limits_of_length_alone_and_together() -> None:
    steps = [split(f"[{'研' * 4_900}{at}]") for at in range(6)]
    with pytest.raises(FormatError, match="have more than 25,000 characters together"):
        recognize(tokenizer_json(pre_tokenizer=sequence("pretokenizers", steps)))
    assert recognize(tokenizer_json(pre_tokenizer=steps[0])).format == "huggingface"
    source = "[" + r"\x{3042}" * 700 + "]+"  # longer than a pattern may be, until it is translated
    assert 5_000 < len(source) < patterns.LONGEST_SOURCE
    (pretokenizer,) = read_pretokenizer(split(source))
    assert pretokenizer.split("aああb") == ["a", "ああ", "b"]


MANY_SLOW = [replace(SLOW, "", "Regex")] * 160
LESSON = "It is a truth universally acknowledged, " * 4_000


@pytest.mark.parametrize(
    ("parts", "use"),
    [
        ({"pre_tokenizer": sequence("pretokenizers", [sequence("pretokenizers", [split(SLOW)] * 40)] * 4)},
         lambda tokenizer: tokenizer.ids(LESSON)),
        ({"normalizer": sequence("normalizers", MANY_SLOW[:80]),
          "pre_tokenizer": sequence("pretokenizers", [split(SLOW)] * 80)}, lambda tokenizer: tokenizer.ids(LESSON)),
        ({"model": {"type": "WordLevel", "vocab": {"<unk>": 0, "universally" * 80: 1}, "unk_token": "<unk>"},
          "decoder": sequence("decoders", MANY_SLOW)}, lambda tokenizer: tokenizer.decode([1] * 1_000)),
    ],
)  # fmt: skip
def test_slow_patterns_have_one_limit_together(
    parts: dict[str, Any], use: Callable[[Tokenizer], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pattern_matching, "SECONDS", 0.2)
    tokenizer = recognize(tokenizer_json(**parts)).tokenizer
    assert tokenizer.ids("a b") == tokenizer.ids("a b")
    began = thread_time()
    with pytest.raises(PatternTimeoutError):
        use(tokenizer)
    assert thread_time() - began < 5


# --- growth


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"normalizer": sequence("normalizers", [replace("a", "aa")] * 40)}, "as long"),
        ({"normalizer": sequence("normalizers", [replace("ﬁ", "ﬁﬁ"), {"type": "NFKC"}] * 6)}, "as long"),
        ({"normalizer": sequence("normalizers", [replace("", "ab")] * 8)}, "as long"),
        ({"normalizer": replace("a", "x" * 1001)}, "1,001 characters into a text"),
        ({"normalizer": {"type": "Prepend", "prepend": "x" * 1001}}, "1,001 characters into a text"),
        ({"normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}] * 600}}, "more than 500 parts"),
        ({"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "ByteLevel"}] * 30}}, "as long"),
        ({"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Metaspace"}] * 30}}, "as long"),
        ({"decoder": {"type": "Sequence", "decoders": [replace("a", "aa")] * 40}}, "the decoder could"),
        ({"decoder": {"type": "Sequence", "decoders": [{"type": "BPEDecoder", "suffix": ""}] * 40}}, "the decoder"),
    ],
)  # fmt: skip
def test_a_pipeline_that_multiplies_the_text_is_refused(document: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        check_growth(document)


def test_growth_in_published_pipelines_is_accepted() -> None:
    """ALBERT's and XLNet's pipelines, which lengthen a text considerably, and one for code."""
    plain = [{"type": each} for each in ("NFKD", "StripAccents", "Lowercase", "Precompiled")]
    albert = [replace("``", '"'), replace("''", '"'), *plain, replace(" {2,}", " ", "Regex")]
    code = [replace("\n", "<|newline|>"), replace("\t", "<|tab|>"), {"type": "Prepend", "prepend": "▁"}]
    for steps in (albert, code):
        check_growth({"normalizer": sequence("normalizers", steps), "pre_tokenizer": {"type": "Metaspace"}})
