"""Files of every format, damaged in many ways: read into a working tokenizer, or refused with one sentence."""

import base64
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.mutations import mutated_bytes, mutated_document, read_or_refused, reduced, written
from tests.core.pairs import Pair
from tests.core.small_files import MODELS, OTHERS, small
from tests.properties import SAME_FIXTURE
from webapp.core.formats.checked_patterns import checked_pattern
from webapp.core.formats.fields import FormatError
from webapp.core.formats.huggingface import check_growth

JSON_FILES = {"gpt2": 700, "bert_base_cased": 900, "mistral01": 700}
RANDOM = st.integers(0, 1 << 32).map(Random)


@pytest.fixture(params=[*OTHERS, *MODELS])
def files(request: pytest.FixtureRequest) -> tuple[bytes, ...]:
    return small(request.param)


@pytest.fixture(scope="module", params=JSON_FILES)
def published(request: pytest.FixtureRequest, shared: Path) -> dict[str, Any]:
    path = shared / "vocabularies" / "tokenizers" / f"{request.param}.json"
    return reduced(json.loads(path.read_text(encoding="utf-8")), JSON_FILES[request.param])


def test_intact_files_are_read(files: tuple[bytes, ...]) -> None:
    assert read_or_refused(*files) is None


def test_files_of_tokenizers_are_read(pair: Pair) -> None:
    assert read_or_refused(written(reduced(json.loads(pair.theirs.to_str()), 300))) is None


def test_published_files_with_few_pieces_are_read(published: dict[str, Any]) -> None:
    assert read_or_refused(written(published)) is None


def test_files_truncated_anywhere(files: tuple[bytes, ...]) -> None:
    content, *rest = files
    for end in {*range(0, len(content), max(1, len(content) // 60)), *range(max(0, len(content) - 20), len(content))}:
        read_or_refused(content[:end], *rest)


def test_a_truncated_tokenizer_json_is_refused(pair: Pair) -> None:
    content = written(reduced(json.loads(pair.theirs.to_str()), 300))
    for end in range(1, len(content), max(1, len(content) // 60)):
        assert read_or_refused(content[:end]) is not None


@SAME_FIXTURE
@given(random=RANDOM)
def test_files_with_bytes_changed(files: tuple[bytes, ...], random: Random) -> None:
    at = random.randrange(len(files))
    read_or_refused(*files[:at], mutated_bytes(files[at], random), *files[at + 1 :])


@SAME_FIXTURE
@given(random=RANDOM)
def test_a_tokenizer_json_with_members_changed(pair: Pair, random: Random) -> None:
    read_or_refused(written(mutated_document(reduced(json.loads(pair.theirs.to_str()), 300), random)))


@SAME_FIXTURE
@given(random=RANDOM)
@pytest.mark.parametrize("name", ["tekken", "scores", "minimal-bpe", "encoding", "vocab.json"])
def test_other_json_files_with_members_changed(name: str, random: Random) -> None:
    content, *rest = small(name)
    read_or_refused(written(mutated_document(json.loads(content), random)), *rest)


@SAME_FIXTURE
@given(random=RANDOM)
def test_published_files_with_members_changed(published: dict[str, Any], random: Random) -> None:
    read_or_refused(written(mutated_document(published, random)))


@SAME_FIXTURE
@given(random=RANDOM)
def test_published_files_with_bytes_changed(published: dict[str, Any], random: Random) -> None:
    read_or_refused(mutated_bytes(written(published), random))


@pytest.mark.parametrize("kind", ["tiktoken", "tokenizers", "sentencepiece", "scores"])
def test_published_files_of_full_size_changed(shared: Path, kind: str) -> None:
    random = Random(3)
    for path in sorted((shared / "vocabularies" / kind).iterdir()):
        content = path.read_bytes()
        read_or_refused(content[: random.randrange(len(content))])
        read_or_refused(content[: random.randrange(len(content) // 100)])
        read_or_refused(mutated_bytes(content, random))


# --- patterns


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (r"(a+)+$", "times out"),
        (r"(\w+\s?)+!", "times out"),
        (r"(a|aa)+$", "times out"),
        (r"(?R)?a", "calls itself"),
        (r"(a(?1)?)", "calls itself"),
        (r"(?P<x>a(?&x)?)", "calls itself"),
        ("a{99999999}", "more than 1,000 times"),
        ("a{4000000000}", "more than 1,000 times"),
        ("a{0,99999999999999999999999999}", "more than 1,000 times"),
        ("(?:a{1000}){1000}", "more than 1,000 times"),
        ("(?:(?:(?:(?:a{9}){9}){9}){9})", "more than 1,000 times"),
        ("x" * 2000, "2,000 characters outside character classes"),
        ("[x]" * 2000, "6,000 characters; at most 5,000 are allowed"),
        ("(?#[)" + "x" * 2000 + "(?#])", "characters outside character classes"),
        ("(?x)#[\n" + "x" * 2000 + "]", "characters outside character classes"),
        ("(" * 900, "cannot be compiled"),
        (r"\p{Nonsense}", "cannot be compiled"),
        (r"\L<a>", "cannot be compiled"),
    ],
)
def test_hostile_patterns_are_refused(source: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        checked_pattern(source)


@pytest.mark.parametrize(
    "source",
    [
        r"\p{N}{1,3}|[^\s]{2,}|\s+",
        r"\p{N}{1,3}(?=(?:\p{N}{3})*(?:\P{N}|$))",
        "[" + "".join(map(chr, range(0x4E00, 0x5E00))) + "]+|.",
        "|".join(["[a-z]?'[a-z]"] * 60),
    ],
)
def test_demanding_but_harmless_patterns_are_accepted(source: str) -> None:
    assert checked_pattern(source) == source


def test_a_literal_pattern_that_is_too_long_is_refused(pair: Pair) -> None:
    document = json.loads(pair.theirs.to_str())
    document["normalizer"] = {"type": "Replace", "pattern": {"String": "x" * 2000}, "content": ""}
    assert "2,000 characters" in str(read_or_refused(written(document)))


# --- growth


def replace(plain: str, content: str) -> dict[str, Any]:
    return {"type": "Replace", "pattern": {"String": plain}, "content": content}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"normalizer": {"type": "Sequence", "normalizers": [replace("a", "aa")] * 40}}, "as long"),
        ({"normalizer": {"type": "Sequence", "normalizers": [replace("ﬁ", "ﬁﬁ"), {"type": "NFKC"}] * 6}}, "as long"),
        ({"normalizer": {"type": "Sequence", "normalizers": [replace("", "ab")] * 8}}, "as long"),
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
    albert = [replace("``", '"'), replace("''", '"'), {"type": "NFKD"}, {"type": "StripAccents"}, {"type": "Lowercase"},
              {"type": "Precompiled"}, {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]  # fmt: skip
    lines = [replace("\n", "<|newline|>"), replace("\t", "<|tab|>"), {"type": "Prepend", "prepend": "▁"}]
    for normalizers in (albert, lines):
        check_growth({"normalizer": {"type": "Sequence", "normalizers": normalizers},
                      "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Metaspace"}]}})  # fmt: skip


def test_half_of_a_surrogate_pair() -> None:
    content = small("tekken")[0].replace(b'"<s>"', b'"\\ud800"')
    assert read_or_refused(content) == "\\ud800 in the JSON is half of a surrogate pair, not a character"
    assert read_or_refused(small("tekken")[0].replace(b'"<s>"', b'"\\ud83d\\ude00"')) is None


def test_a_long_base64_line_is_read() -> None:
    line = base64.b64encode(b"a" * 100_000)
    assert read_or_refused(small("tiktoken")[0] + line + b" 400\n") is None
