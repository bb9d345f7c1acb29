"""Files that would cost much time or memory, and patterns in the syntax of Oniguruma."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from time import thread_time
from tracemalloc import get_traced_memory, start, stop
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Regex, pre_tokenizers

from tests.core.sentencepieces import made
from tests.core.small_files import small
from tests.core.texts import ASSIGNED, HARD, any_text
from tests.properties import EXPENSIVE
from webapp.core.formats import patterns
from webapp.core.formats.dictionary import comma_rows, read_dictionary
from webapp.core.formats.huggingface_parts import read_pretokenizer
from webapp.core.formats.patterns import LONGEST_SOURCE, checked_pattern
from webapp.core.formats.reading import FormatError, lines_of, read_json
from webapp.core.formats.recognize import recognize
from webapp.core.text import pattern_matching
from webapp.core.text.pretokenizers import PreTokenizer, PreTokenizerSequence
from webapp.core.text.split_patterns import CL100K, GPT2, O200K, QWEN, TEKKEN, PatternTimeoutError

LARGE = 4 << 20
SENTENCEPIECE = made([("<unk>", 0.0, 2), ("a", -1.0, 1)], model_type=1)
# About 0.05 s on the runs that a pattern is checked with, and 0.4 s on a megabyte of ordinary text.
SLOW = r"\w?\w?\w?\w?!|x"


def tokenizer_json(model: dict[str, Any] | None = None, **parts: Any) -> bytes:
    """A `tokenizer.json`; without a model, it has three words."""
    model = model or {"type": "WordLevel", "vocab": {"<unk>": 0, "a": 1, "b": 2}, "unk_token": "<unk>"}
    return json.dumps({"version": "1.0", "added_tokens": [], **parts, "model": model}, ensure_ascii=False).encode()


def sequence(kind: str, steps: list[Any]) -> dict[str, Any]:
    return {"type": "Sequence", kind: steps}


def split(source: str) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": source}, "behavior": "Isolated", "invert": False}


def replace(source: str, kind: str = "Regex") -> dict[str, Any]:
    return {"type": "Replace", "pattern": {kind: source}, "content": ""}


# --- files


def template(size: int) -> bytes:
    """A template that names a token of very many ids a thousand times."""
    names = [{"SpecialToken": {"id": "x", "type_id": 0}}] * 1_000
    tokens = {"x": {"id": "x", "ids": [1] * (size // 2), "tokens": ["x"]}}
    part = {"type": "TemplateProcessing", "single": names, "pair": names, "special_tokens": tokens}
    return tokenizer_json(post_processor=part)


def growing(size: int) -> bytes:
    """Merges of which each makes a piece one letter longer than the last."""
    pieces = ["a" * length for length in range(1, int((2 * size) ** 0.5))]
    model = {"type": "BPE", "vocab": {piece: at for at, piece in enumerate(pieces)}, "unk_token": None}
    return tokenizer_json(model | {"merges": [[piece, "a"] for piece in pieces[:-1]]})


def nested(kind: str) -> bytes:
    name = {"normalizers": "normalizer", "pretokenizers": "pre_tokenizer", "processors": "post_processor"}
    whole = tokenizer_json(**{name.get(kind, "decoder"): "HERE"})
    return whole.replace(b'"HERE"', b'{"type":"Sequence","%s":[' % kind.encode() * 100_000 + b"]}" * 100_000)


COSTLY: dict[str, tuple[Callable[[], bytes], str | None]] = {
    "pattern, long": (lambda: tokenizer_json(pre_tokenizer=split("a|" * LARGE)), "at most 5,000 are allowed"),
    "pattern, long class": (
        lambda: tokenizer_json(pre_tokenizer=split("[" + "a" * LARGE + "]")),
        "at most 5,000 are allowed",
    ),
    "pattern of a decoder": (lambda: tokenizer_json(decoder=replace("a|" * LARGE)), "at most 5,000 are allowed"),
    "literal pattern": (lambda: tokenizer_json(normalizer=replace("a" * 2_000, kind="String")), "2,000 characters"),
    "patterns, slow and different": (
        lambda: tokenizer_json(pre_tokenizer=sequence("pretokenizers", [split(f"{SLOW}|{at}") for at in range(160)])),
        "times out",
    ),
    "template": (lambda: template(LARGE), "too many tokens around a text"),
    "growing pieces": (lambda: growing(LARGE), None),
    **{kind: (lambda kind=kind: nested(kind), "nested too deeply")
       for kind in ("normalizers", "pretokenizers", "processors", "decoders")},
    "dictionary: commas": (lambda: b"," * LARGE, "line 1 is wrong"),
    "dictionary: quotes": (lambda: b"a,1\n" + b'"' * LARGE, None),
    ".tiktoken: carriage returns": (lambda: small("tiktoken")[0] + b"\r" * LARGE, "more than 1,000,000 lines"),
    ".tiktoken: a rank of many digits": (lambda: small("tiktoken")[0] + b"YWFh " + b"9" * LARGE, "the rank"),
    "vocab.txt: line ends": (lambda: b"[UNK]" + b"\n" * LARGE + b"x", "more than 1,000,000 lines"),
    "JSON: one fraction": (lambda: b'{"version":"1.0","model":0.' + b"1" * LARGE + b"}", "too many digits"),
    "JSON: the same key": (lambda: b'{"model":{' + b'"a":1,' * 500_000 + b'"b":1}}', "occurs twice"),
    "SentencePiece: unknown fields": (lambda: SENTENCEPIECE + b"\xf8\x07\x01" * (LARGE // 3), None),
    "SentencePiece: groups in groups": (lambda: SENTENCEPIECE + b"\xfb\x07" * (LARGE // 2), "cannot be parsed"),
}  # fmt: skip


@pytest.mark.parametrize("name", COSTLY)
def test_a_file_that_would_cost_much_is_read_or_refused_at_once(name: str) -> None:
    make, message = COSTLY[name]
    content = make()
    began = thread_time()
    with pytest.raises(FormatError, match=message) if message else nullcontext():
        recognize(content)
    assert thread_time() - began < 3


def test_merges_of_many_lines_are_refused_at_once() -> None:
    with pytest.raises(FormatError, match="more than 1,000,000 merges"):
        recognize(small("vocab.json")[0], b"#version: 0.2\n" + b" \n" * LARGE)


@pytest.mark.parametrize("content", [b"[UNK]" + b"\n" * 2_000_000, small("tiktoken")[0] + b"\r" * 2_000_000])
def test_lines_are_counted_before_they_are_kept(content: bytes) -> None:
    start()
    try:
        with pytest.raises(FormatError):
            recognize(content)
        assert get_traced_memory()[1] < 3 * len(content)
    finally:
        stop()


def test_lines_are_those_of_splitlines() -> None:
    text = "a\r\nb\n\r\x0bc\x0c\u2028d\x85\x1c\x1de\x1e\u2029" * 9_000 + "\r" * 70_000 + "\n" * 70_000 + "end"
    assert list(lines_of(text)) == text.splitlines()
    assert list(lines_of("")) == []


# --- patterns


def test_patterns_have_one_limit_of_length_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "_SECONDS", 7)  # On a slow machine as well, length is the first limit.
    monkeypatch.setattr(patterns, "_SECONDS_TOGETHER", 14)
    steps = [split(f"[{'研' * 4_900}{at}]") for at in range(6)]
    with pytest.raises(FormatError, match="have more than 25,000 characters together"):
        recognize(tokenizer_json(pre_tokenizer=sequence("pretokenizers", steps)))
    assert recognize(tokenizer_json(pre_tokenizer=sequence("pretokenizers", steps[:1]))).format == "huggingface"


def test_a_pattern_that_its_translation_shortens_is_read() -> None:
    source = "[" + r"\x{3042}" * 700 + "]+"
    assert 5_000 < len(source) < LONGEST_SOURCE
    tokenizer = recognize(tokenizer_json(pre_tokenizer=split(source))).tokenizer
    assert tokenizer.pretokenizer is not None
    assert tokenizer.pretokenizer.split("aああb") == ["a", "ああ", "b"]


@pytest.mark.parametrize(
    "parts",
    [
        {"pre_tokenizer": sequence("pretokenizers", [sequence("pretokenizers", [split(SLOW)] * 40)] * 4)},
        {"normalizer": sequence("normalizers", [replace(SLOW)] * 80),
         "pre_tokenizer": sequence("pretokenizers", [split(SLOW)] * 80)},
    ],
)  # fmt: skip
def test_slow_patterns_have_one_limit_together(parts: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pattern_matching, "SECONDS", 0.2)
    tokenizer = recognize(tokenizer_json(**parts)).tokenizer
    assert tokenizer.ids("a b") == tokenizer.ids("a b")
    began = thread_time()
    with pytest.raises(PatternTimeoutError):
        tokenizer.ids("It is a truth universally acknowledged, " * 4_000)
    assert thread_time() - began < 5


def test_slow_patterns_of_a_decoder_have_one_limit_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pattern_matching, "SECONDS", 0.2)
    vocabulary = {"<unk>": 0, "universally" * 80: 1}
    content = tokenizer_json(
        {"type": "WordLevel", "vocab": vocabulary, "unk_token": "<unk>"},
        decoder=sequence("decoders", [replace(SLOW)] * 160),
    )
    tokenizer = recognize(content).tokenizer
    began = thread_time()
    with pytest.raises(PatternTimeoutError):
        tokenizer.decode([1] * 1_000)
    assert thread_time() - began < 5


@pytest.mark.parametrize(
    "check", [checked_pattern, lambda source: recognize(tokenizer_json(normalizer=replace(source)))]
)
def test_a_pattern_with_empty_matches_is_no_slow_one(check: Callable[[str], object]) -> None:
    check("(?:)|x")


# --- JSON


def test_a_key_that_occurs_twice_is_found_at_any_depth() -> None:
    for text in ('{"a":1,"a":2}', '[{"b":{"a":":","a":1}}]', r'{"\":":1,"\":":2}', r'{"a\\":1,"a\\":"x"}'):
        with pytest.raises(FormatError, match="occurs twice"):
            read_json(text)
    for document in ({"a": {"a": ':"a":'}}, [{"a": 1}, {"a": 1}], {'"a":"b', ":", "\\"} and {'"a":"b': {":": "\\"}}):
        assert read_json(json.dumps(document)) == document
    many = {f'"{at}:\\': {":": at} for at in range(2_500)}
    assert read_json(json.dumps(many)) == many


# --- lists of words


def test_rows_of_commas_are_read_as_before() -> None:
    rows = "词,频率,,,,\n研究,100,,,,\n生命,90,v,,\n" + "起源,8," + "," * 100_000 + "\n"
    read = read_dictionary(rows)
    assert (read.words, read.frequencies) == (("研究", "生命", "起源"), (100, 90, 8))
    assert comma_rows(["研究,100,", "a,1,,,x"]) is None
    for line in ('a,1,,，, ,"",', "a,1,,， , ,", "a,1,"):
        assert comma_rows(["研究,100,", line]) == [["研究", "100"], ["a", "1"]]


PATTERNS: dict[str, str] = {
    "GPT-2": GPT2, "Llama 3": CL100K, "Qwen 2": QWEN, "GPT-4o": O200K, "Mistral": TEKKEN,
    **tomllib.loads(Path(__file__).with_name("oniguruma_patterns.toml").read_text(encoding="utf-8")),
}  # fmt: skip
texts = st.one_of(
    any_text,
    st.lists(st.sampled_from([*HARD, "1234567", "2024-01", "한국어", "かな", "カナ", "[", "]", "(", "-", "a", "E"]),
             max_size=16).map("".join),
)  # fmt: skip


@cache
def both(*patterns: str, behavior: str = "Isolated") -> tuple[PreTokenizer, Any]:
    parts = [
        {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": False} for pattern in patterns
    ]
    ours = read_pretokenizer({"type": "Sequence", "pretokenizers": parts})
    name = {"Isolated": "isolated", "Removed": "removed"}[behavior]
    theirs = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), name) for pattern in patterns])
    return PreTokenizerSequence(tuple(ours)), theirs


@pytest.fixture(scope="module", params=PATTERNS)
def pair(request: pytest.FixtureRequest) -> tuple[PreTokenizer, Any]:
    return both(PATTERNS[request.param])


def assert_same(pair: tuple[PreTokenizer, Any], text: str) -> None:
    ours, theirs = pair
    assert [(pretoken, (start, end)) for pretoken, start, end in ours.spans(text)] == theirs.pre_tokenize_str(text)


@EXPENSIVE
@given(text=texts)
def test_published_patterns_split_as_in_tokenizers(pair: tuple[PreTokenizer, Any], text: str) -> None:
    assert_same(pair, text)


@pytest.mark.exhaustive
def test_every_code_point(pair: tuple[PreTokenizer, Any]) -> None:
    for first in range(0, len(ASSIGNED), 20_000):
        assert_same(pair, " ".join(f"a{chr(code)}" for code in ASSIGNED[first : first + 20_000 : 7]))


SEQUENCES = {
    "DeepSeek": [PATTERNS[f"DeepSeek {name}"] for name in ("numbers", "ideographs", "words")],
    "DeepSeek LLM": [
        PATTERNS[f"DeepSeek {name}"] for name in ("line ends", "letters", "punctuation", "white space", "ideographs")
    ],
}


@pytest.mark.parametrize("name", SEQUENCES)
@given(text=texts)
def test_published_sequences_split_as_in_tokenizers(name: str, text: str) -> None:
    assert_same(both(*SEQUENCES[name]), text)


@EXPENSIVE
@given(text=texts, name=st.sampled_from(sorted(PATTERNS)))
def test_matches_can_be_removed(text: str, name: str) -> None:
    assert_same(both(PATTERNS[name], behavior="Removed"), text)
