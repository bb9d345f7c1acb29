"""Broken files of every format are refused in one sentence that says what is wrong and where (`refused.toml`)."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.core.tekken_files import tekken_file
from webapp.core.formats import (
    huggingface,
    ngram_counts,
    subword_nmt,
    tekken,
    tiktoken,
    tokens_and_scores,
    vocab_json,
    vocab_txt,
)
from webapp.core.formats.patterns import checked_pattern
from webapp.core.formats.reading import FormatError
from webapp.core.formats.recognize import recognize
from webapp.core.text.utf8 import bytes_to_characters

BYTES = [bytes([byte]) for byte in range(256)]
NAMES = {name: id for id, name in enumerate([*map(bytes_to_characters, BYTES), "ab", "Ġab", "<s>"])}
RANKS = tiktoken.rank_lines({piece: rank for rank, piece in enumerate([*BYTES, b"ab"])})
WHOLE: dict[str, Any] = {
    "version": "1.0",
    "added_tokens": [{"id": 0, "content": "<unk>", "special": True}],
    "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Replace",
                   "pattern": {"Regex": "a+"}, "content": "a"}]},
    "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Metaspace", "replacement": "▁",
                      "prepend_scheme": "always", "split": True},
                      {"type": "Split", "pattern": {"String": "."}, "behavior": "Isolated", "invert": False}]},
    "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
    "model": {"type": "BPE", "unk_token": "<unk>", "vocab": {"<unk>": 0, "a": 1, "▁": 2, "▁a": 3},
              "merges": [["▁", "a"]]},
}  # fmt: skip


def changed(document: dict[str, Any], path: list[Any], *value: Any) -> dict[str, Any]:
    """A document with another value at a path, or without one."""
    inner: Any = (document := deepcopy(document))
    for step in path[:-1]:
        inner = inner[step]
    if value:
        [inner[path[-1]]] = value
    else:
        del inner[path[-1]]
    return document


def recognized(document: object, *others: bytes) -> object:
    return recognize(json.dumps(document).encode(), *others)


READ: dict[str, Callable[..., object]] = {
    "vocab.txt": vocab_txt.read,
    "vocab.json": lambda more, lines: vocab_json.read(NAMES | more, "#version: 0.2\na b\nĠ ab\n" + lines),
    "subword-nmt": subword_nmt.read,
    "minimal-bpe": lambda members: recognized({"merges": [[97, 98]], **members}),
    "tokens-and-scores": tokens_and_scores.read,
    "ngram-text": ngram_counts.read_text,
    "tiktoken": lambda lines: tiktoken.read(RANKS + lines.encode()),
    "encoding": lambda document: recognized(document, RANKS),
    "tokenizer.json": lambda path, value: huggingface.read(json.dumps(changed(WHOLE, path, value))),
    "pattern": checked_pattern,
    "tekken": lambda path, *value: tekken.read(changed(tekken_file(), path, *value)),
}
CASES = tomllib.loads(Path(__file__).with_name("refused.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("format", "parts", "message"), [(format, case[:-1], case[-1]) for format, cases in CASES.items() for case in cases]
)
def test_a_broken_file_is_refused(format: str, parts: list[Any], message: str) -> None:
    with pytest.raises(FormatError, match=message) as raised:
        READ[format](*parts)
    assert "\n" not in str(raised.value)


LONG: list[tuple[str, list[Any], str]] = [
    ("minimal-bpe", [{"merges": [[at + 255 if at else 97] * 2 for at in range(16)]}], "is too long"),
    ("tiktoken", ["YWJj " + "9" * 5000 + "\n"], "line 258: the rank '999"),
    ("tokens-and-scores", ['{"tokens": ["a"], "scores": [1%s]}' % ("0" * 400)], "a score is too large"),
    ("tokens-and-scores", ['{"tokens": ["%s"], "scores": [0]}' % ("x" * 9000)], "too long"),
    ("pattern", ["x" * 2000], "2,000 characters outside character classes"),
    ("pattern", ["[x]" * 2000], "6,000 characters; at most 5,000 are allowed"),
    ("pattern", ["(?#[)" + "x" * 2000 + "(?#])"], "characters outside character classes"),
    ("pattern", ["(?x)#[\n" + "x" * 2000 + "]"], "characters outside character classes"),
    ("pattern", ["(" * 900], "cannot be compiled"),
    ("encoding", [{"pat_str": "a" * 6000}], "6,000 characters"),
    ("tekken", [["vocab", 300, "token_bytes"], None], "should be base64, not null"),
    ("tekken", [["config", "default_num_special_tokens"], 10**4000], "not a number from 0"),
]  # fmt: skip


@pytest.mark.parametrize(("format", "parts", "message"), LONG, ids=[f"{case[0]} {case[2]}" for case in LONG])
def test_a_long_file_is_refused(format: str, parts: list[Any], message: str) -> None:
    test_a_broken_file_is_refused(format, parts, message)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "5", "{}", '{"model": 1}', "[" * 100_000, '{"model": {}}'])
def test_a_text_that_is_no_tokenizer_json_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        huggingface.read(text)


@pytest.mark.parametrize("document", [[], {}, {"a": 0, "b": 1}])
def test_a_document_that_is_no_vocab_json_is_refused(document: Any) -> None:
    with pytest.raises(FormatError, match=r"not a vocab.json|the byte '.x00' is not in the vocabulary"):
        vocab_json.read(document, "")
