"""Files that cost much for their size: read or refused in bounded time, with bounded memory, and with a clear message.

The benchmark `hostile_files` measures the same files at the size of the largest upload.
"""

import json
from collections.abc import Callable
from time import thread_time
from tracemalloc import get_traced_memory, reset_peak, start, stop
from typing import Any

import pytest

from tests.core.hostile_files import MAKERS
from tests.core.hostile_tokenizer_json import SLOW, replace, sequence, split, tokenizer_json
from webapp.core.formats.checked_patterns import LONGEST_SOURCE, checked_pattern
from webapp.core.formats.dictionary import comma_rows, read_dictionary
from webapp.core.formats.fields import FormatError
from webapp.core.formats.limits import lines_of, read_json
from webapp.core.formats.recognize import recognize
from webapp.core.text.pattern_matching import SECONDS, TimeBudget
from webapp.core.text.split_patterns import PatternTimeoutError

MEGABYTE = 1 << 20


def message_of(name: str, size: int) -> str:
    with pytest.raises(FormatError) as refused:
        recognize(*MAKERS[name](size))
    return str(refused.value)


@pytest.mark.parametrize(
    ("name", "size", "message"),
    [
        ("pattern, long", 8 * MEGABYTE, "the pattern has 8,388,608 characters; at most 5,000 are allowed"),
        ("pattern, long, one class", 8 * MEGABYTE, "at most 5,000 are allowed"),
        ("pattern of a decoder, long", 8 * MEGABYTE, "characters"),
        ("patterns, slow and different", 0, "times out"),
        ("template", 4 * MEGABYTE, "too many tokens around a text"),
        ("dictionary: commas", 8 * MEGABYTE, "line 1 is wrong"),
        (".tiktoken: carriage returns", 8 * MEGABYTE, "more than 1,000,000 lines"),
        ("vocab.txt: line ends", 8 * MEGABYTE, "more than 1,000,000 lines"),
        ("GPT-2: lines of spaces", 8 * MEGABYTE, "more than 1,000,000 merges"),
        ("JSON: one fraction", 8 * MEGABYTE, "too many digits"),
    ],
)
def test_a_file_that_would_cost_much_is_refused_at_once(name: str, size: int, message: str) -> None:
    began = thread_time()
    assert message in message_of(name, size)
    assert thread_time() - began < 3


@pytest.mark.parametrize("name", ["vocab.txt: line ends", ".tiktoken: carriage returns"])
def test_lines_are_counted_before_they_are_kept(name: str) -> None:
    contents = MAKERS[name](2 * MEGABYTE)
    start()
    try:
        reset_peak()
        with pytest.raises(FormatError):
            recognize(*contents)
        assert get_traced_memory()[1] < 3 * 2 * MEGABYTE
    finally:
        stop()


def test_lines_are_those_of_splitlines() -> None:
    text = "a\r\nb\n\r\x0bc\x0c\u2028d\x85\x1c\x1de\x1e\u2029" * 9_000 + "\r" * 70_000 + "\n" * 70_000 + "end"
    assert list(lines_of(text)) == text.splitlines()
    assert list(lines_of("")) == []


# --- patterns


def test_patterns_have_one_limit_of_length_together() -> None:
    steps = [split(f"[{'研' * 4_900}{at}]") for at in range(20)]
    with pytest.raises(FormatError, match="have more than 25,000 characters together"):
        recognize(*tokenizer_json(pre_tokenizer=sequence("pretokenizers", steps)))
    assert recognize(*tokenizer_json(pre_tokenizer=sequence("pretokenizers", steps[:3]))).format == "huggingface"


def test_a_pattern_that_its_translation_shortens_is_read() -> None:
    source = "[" + r"\x{3042}" * 700 + "]+"
    assert 5_000 < len(source) < LONGEST_SOURCE
    tokenizer = recognize(*tokenizer_json(pre_tokenizer=split(source))).tokenizer
    assert tokenizer.pretokenizer is not None
    assert tokenizer.pretokenizer.split("aああb") == ["a", "ああ", "b"]


@pytest.mark.parametrize(
    "parts",
    [
        {"pre_tokenizer": sequence("pretokenizers", [split(SLOW)] * 160)},
        {"pre_tokenizer": sequence("pretokenizers", [sequence("pretokenizers", [split(SLOW)] * 40)] * 4)},
        {"normalizer": sequence("normalizers", [replace(SLOW)] * 160)},
        {"normalizer": sequence("normalizers", [replace(SLOW)] * 80),
         "pre_tokenizer": sequence("pretokenizers", [split(SLOW)] * 80)},
    ],
)  # fmt: skip
def test_slow_patterns_have_one_limit_together(parts: dict[str, Any]) -> None:
    tokenizer = recognize(*tokenizer_json(**parts)).tokenizer
    assert tokenizer.ids("a b") == tokenizer.ids("a b")
    began = thread_time()
    with pytest.raises(PatternTimeoutError):
        tokenizer.ids("It is a truth universally acknowledged, " * 20_000)
    assert thread_time() - began < 5


def test_slow_patterns_of_a_decoder_have_one_limit_together() -> None:
    vocabulary = {"<unk>": 0, "universally" * 80: 1}
    [content] = tokenizer_json(
        {"type": "WordLevel", "vocab": vocabulary, "unk_token": "<unk>"},
        decoder=sequence("decoders", [replace(SLOW)] * 160),
    )
    tokenizer = recognize(content).tokenizer
    began = thread_time()
    with pytest.raises(PatternTimeoutError):
        tokenizer.decode([1] * 1_000)
    assert thread_time() - began < 5


def test_a_budget_that_rested_is_full_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("webapp.core.text.pattern_matching.monotonic", lambda: now)
    budget = TimeBudget(3)
    budget.spend(2.0, 10)
    assert budget.seconds(10) == 0
    now += 60
    assert budget.seconds(0) == SECONDS


def test_ordinary_patterns_are_read_as_many_as_ever() -> None:
    """As many steps as no published file has, each an ordinary pattern, on a text of ordinary length."""
    steps = [split(rf"\p{{N}}{{1,{most}}}|[^\s\p{{L}}\p{{N}}]+| ?\p{{L}}+") for most in range(2, 22)]
    tokenizer = recognize(*tokenizer_json(pre_tokenizer=sequence("pretokenizers", steps))).tokenizer
    assert len(tokenizer.ids("It is a truth, universally acknowledged 1234 " * 1_000)) > 10_000


@pytest.mark.parametrize(
    "check", [checked_pattern, lambda source: recognize(*tokenizer_json(normalizer=replace(source)))]
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
