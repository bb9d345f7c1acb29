"""Broken and hostile files of every format are refused at once, in one sentence on what is wrong and where."""

import base64
import gzip
import io
import json
import struct
import tomllib
import zipfile
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from time import process_time
from tracemalloc import get_traced_memory, start, stop
from typing import Any

import pytest

from tests.cases import quick
from tests.core.sentencepieces import made, parsed, trained
from tests.core.small_files import BYTES, scores_file, small, tekken_file
from webapp.core.formats import (
    huggingface,
    ngram_counts,
    rwkv,
    sentencepiece,
    subword_nmt,
    tekken,
    tiktoken,
    tokens_and_scores,
    vocab_json,
    vocab_txt,
)
from webapp.core.formats.patterns import checked_pattern
from webapp.core.formats.reading import LARGEST_FILE, FormatError
from webapp.core.formats.recognize import recognize
from webapp.core.text.utf8 import bytes_to_characters

NAMES = {name: id for id, name in enumerate([*map(bytes_to_characters, BYTES), "ab", "Ġab", "<s>"])}
RANKS = tiktoken.rank_lines({piece: rank for rank, piece in enumerate([*BYTES, b"ab"])})
PIECES = [("<unk>", 0.0, 2), ("a", -1.0, 1), ("b", -2.0, 1)]
NAMED_BYTES = [(f"<0x{byte:02X}>", 0.0, 6) for byte in range(256)]
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
A, B = ({"Sequence": {"id": name, "type_id": 0}} for name in "AB")
TOKEN = {"SpecialToken": {"id": "a", "type_id": 0}}
TEMPLATE = {"type": "TemplateProcessing", "single": [TOKEN, A], "pair": [TOKEN, A, B],
            "special_tokens": {"a": {"id": "a", "ids": [1], "tokens": ["a"]}}}  # fmt: skip


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
    "vocab.json alone": vocab_json.read,
    "subword-nmt": subword_nmt.read,
    "minimal-bpe": lambda members: recognized({"merges": [[97, 98]], **members}),
    "tokens-and-scores": tokens_and_scores.read,
    "scores": lambda path, value: tokens_and_scores.read(json.dumps(changed(scores_file(["a", "b"]), path, value))),
    "sentencepiece": lambda pieces, options: sentencepiece.read(made([*PIECES, *pieces], model_type=1, **options)),
    "sentencepiece file": sentencepiece.read,
    "ngram-text": ngram_counts.read_text,
    "tagger": lambda members: recognized({"type": "tagger weights", "words": ["a"], "weights": {}} | members),
    "tiktoken": lambda lines: tiktoken.read(RANKS + lines.encode()),
    "encoding": lambda document: recognized(document, RANKS),
    "tokenizer.json": lambda path, value: huggingface.read(json.dumps(changed(WHOLE, path, value))),
    "huggingface": huggingface.read,
    "template": lambda members: huggingface.read(json.dumps(WHOLE | {"post_processor": TEMPLATE | members})),
    "pattern": checked_pattern,
    "rwkv": lambda lines: rwkv.read(small("rwkv")[0].decode() + lines),
    "tekken": lambda path, *value: tekken.read(changed(tekken_file(), path, *value)),
}
CASES = tomllib.loads(Path(__file__).with_name("refused.toml").read_text(encoding="utf-8"))
MAP: bytes = parsed(trained(model_type="unigram")).normalizer_spec.precompiled_charsmap
SPIECE = made(PIECES, model_type=1)
MESSAGE = parsed(SPIECE).SerializeToString()
CYCLE = struct.pack("<I", 1024) + struct.pack("<I", 0x61) * 256 + b"a\0"  # every unit leads back to itself
MAPS = [
    (MAP[:3], "wrong length"),
    (struct.pack("<I", 1 << 31) + MAP[4:], "wrong length"),
    (struct.pack("<I", 1030) + MAP[4:], "wrong length"),
    (MAP[:-1] + b"x", "have no end"),
    (MAP[:-3] + b"\xff\xff\0", "not valid UTF-8"),
    (MAP[:4] + b"\0" * (len(MAP) - 4), "a branch without a replacement"),
    (MAP[:4] + b"\xff\xff\xff\x7f" + MAP[8:], "points outside"),
    (CYCLE, "has a cycle"),
]
LONG: list[tuple[str, list[Any], str]] = [
    ("minimal-bpe", [{"merges": [[at + 255 if at else 97] * 2 for at in range(16)]}], "is too long"),
    ("tokens-and-scores", ['{"tokens": ["a"], "scores": [1%s]}' % ("0" * 400)], "a score is too large"),
    ("tokens-and-scores", ['{"tokens": ["%s"], "scores": [0]}' % ("x" * 9000)], "too long"),
    ("tokens-and-scores", [json.dumps(scores_file([])).replace("-5.0", "1e999", 1)], "which is not a number"),
    ("pattern", ["x" * 2000], "2,000 characters outside character classes"),
    ("pattern", ["[x]" * 2000], "6,000 characters; at most 5,000 are allowed"),
    ("pattern", ["(?#[)" + "x" * 2000 + "(?#])"], "characters outside character classes"),
    ("pattern", ["(?x)#[\n" + "x" * 2000 + "]"], "characters outside character classes"),
    ("pattern", ["(" * 900], "cannot be compiled"),
    ("encoding", [{"pat_str": "a" * 6000}], "6,000 characters"),
    ("tekken", [["vocab", 300, "token_bytes"], None], "should be base64, not null"),
    ("tekken", [["config", "default_num_special_tokens"], 10**4000], "not a number from 0"),
    ("template", [{"single": [A] * 11}], "adds too many tokens around a text"),
    ("template", [{"special_tokens": {"a": {"id": "a", "ids": [1] * 1000, "tokens": []}}}], "adds too many tokens"),
    ("template", [{"single": [A] * 1001}], "1,001 parts; at most 1,000 are allowed"),
    ("template", [{"type": "Sequence", "processors": [{"type": "ByteLevel"}] * 101}], "more than 100 parts"),
    ("template", [{"type": "Sequence", "processors": [TEMPLATE | {"single": [A, TOKEN, A], "pair": [A, B]}, TEMPLATE]}],
     "one or two texts, but the post-processor before it produces 3"),
    *(("huggingface", [text], ".")
      for text in ("", "{", "[]", "null", "5", "{}", '{"model": 1}', "[" * 100_000, '{"model": {}}')),
    *(("vocab.json alone", [document, ""], r"not a vocab.json|the byte '.x00' is not in the vocabulary")
      for document in ([], {}, {"a": 0, "b": 1})),
    ("sentencepiece", [[("x" * 9000, 0.0, 1)], {}], "9,000 bytes is too long"),
    ("sentencepiece", [NAMED_BYTES, {}], "byte fallback is off"),
    ("sentencepiece", [[*NAMED_BYTES[:-1], ("<0x100>", 0.0, 6)], {"byte_fallback": True}], "needs the 256 byte pieces"),
    ("sentencepiece file", [made([], model_type=1)], "there are no pieces"),
    ("sentencepiece file", [made(PIECES[1:], model_type=1)], "one unknown piece, not 0"),
    ("sentencepiece file", [MESSAGE + b"\x12\x02\x18\x09"], "the model type 9"),
    ("sentencepiece file", [MESSAGE + b"\n\x05\n\x01c\x18\x63"], "99 is not a piece type"),
    ("sentencepiece file", [MESSAGE + b"\n\x04\n\x02c\xff"], "not valid UTF-8"),
    *(("sentencepiece", [[], {"precompiled_charsmap": blob}], f"character map .*{message}") for blob, message in MAPS),
]  # fmt: skip
EVERY = [*((format, case[:-1], case[-1]) for format, cases in CASES.items() for case in cases), *LONG]


def refused(read: Callable[..., object], parts: Any, message: str = ".", seconds: float = 3) -> None:
    began = process_time()
    with pytest.raises(FormatError, match=message) as raised:
        read(*parts)
    assert process_time() - began < seconds
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize(("format", "parts", "message"), EVERY, ids=[f"{case[0]} {case[2]}" for case in EVERY])
def test_a_broken_file_is_refused(format: str, parts: list[Any], message: str) -> None:
    refused(READ[format], parts, message)


def test_what_is_no_sentencepiece_file_is_refused_by_its_reader(shared: Path) -> None:
    others = [path.read_bytes() for path in (shared / "vocabularies").glob("*/*") if path.suffix != ".model"]
    noise = [b"", b"\0" * 1000, b"\n", b"#version: 0.2\ne s\n", "研究 5\n".encode(), bytes(range(256))]
    lengths = [b"\n\xff\xff\xff\xff\x0f", b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f", b"\n\0" * 1_000_000]
    for content in (*others, *noise, *lengths, b"\x53" * 5_000_000):
        refused(sentencepiece.read, [content])


# --- hostile files


MANY = 25_000_000  # bytes, the largest upload
LARGE = 4 << 20
TIKTOKEN = small("tiktoken")[0]
TEKKEN = small("tekken")[0]
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


def replace(source: str, content: str = "", kind: str = "String") -> dict[str, Any]:
    return {"type": "Replace", "pattern": {kind: source}, "content": content}


def archive() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("tokenizer.json", b" " * 1_000_000)
    return packed.getvalue()


def template(size: int) -> bytes:
    """A template that names a token of very many ids a thousand times."""
    tokens = {"a": {"id": "a", "ids": [1] * (size // 2), "tokens": ["a"]}}
    names = [TOKEN] * 1_000
    return tokenizer_json(post_processor=TEMPLATE | {"single": names, "pair": names, "special_tokens": tokens})


def growing(size: int) -> bytes:
    """Merges of which each makes a piece one letter longer than the last."""
    pieces = ["a" * length for length in range(1, int((2 * size) ** 0.5))]
    model = {"type": "BPE", "vocab": {piece: at for at, piece in enumerate(pieces)}, "unk_token": None}
    return tokenizer_json(model | {"merges": [[piece, "a"] for piece in pieces[:-1]]})


def nested(kind: str) -> bytes:
    name = {"normalizers": "normalizer", "pretokenizers": "pre_tokenizer", "processors": "post_processor"}
    whole = tokenizer_json(**{name.get(kind, "decoder"): "HERE"})
    return whole.replace(b'"HERE"', b'{"type":"Sequence","%s":[' % kind.encode() * 100_000 + b"]}" * 100_000)


def ranks() -> bytes:
    return TIKTOKEN + b"".join(b"%s %d\n" % (base64.b64encode(b"%d" % at), at + 1) for at in range(400, 400_000))


def names() -> bytes:
    return b"{" + b"".join(b'"%d":{},' % at for at in range(1_100_000)) + b'"":0}'


# One file, or what makes it, or two; a file without a message is read.
HOSTILE: dict[str, tuple[Any, str | None]] = {
    "nothing": (b"", "the file is empty"),
    "gzip bomb": (gzip.compress(bytes(10_000_000)), "a gzip archive"),
    "zip bomb": (archive(), "a zip archive"),
    "only NUL": (bytes(1_000_000), "only NUL bytes"),
    "UTF-16": ("研究".encode("utf-16"), "this is text in UTF-16; save it as UTF-8"),
    "an image": (b"\x89PNG\r\n\x1a\n", "this is an image, not a vocabulary$"),
    "a pointer": (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 2\n", "a Git LFS pointer"),
    "a page": (b"\n<!DOCTYPE html>\n<html></html>\n", "this is a web page"),
    "ARPA": (b"# made by a program\n\\data\\\nngram 1=8\n", "this is an ARPA file"),
    "an encoding": (b'{"name": "own", "pat_str": ".", "special_tokens": {}}', r"encoding of a \.tiktoken file"),
    "a gigantic rank": (TIKTOKEN + b"YWJjZA== 9999999999\n", "line 401: the rank '9999999999' is too large"),
    "an open text": (b'{"a', "the JSON ends at line 1 before it is complete; a part of it is missing"),
    "an open object": (b'{"a": [1,\n', "the JSON ends at line 2 before it is complete"),
    "a wrong name": (b'{"a": 1, b: 2}', "not JSON: a name in double quotes is missing at line 1, column 10"),
    "no UTF-8": (b"low\n\xff\xfe\n", "byte 0xff at position 4; save it as UTF-8"),
    "NUL": (b"low\n" + 3 * b"\x00\n", "3 of its 4 lines are wrong, line 2 for example: it has the control character"),
    "prose": (b"It is a truth universally acknowledged\n", "read as a dictionary, line 1 is wrong: 6 fields"),
    "half of a surrogate pair": (TEKKEN.replace(b'"<s>"', b'"\\ud800"'),
                                 r"^\\ud800 in the JSON is half of a surrogate pair, not a character$"),
    "deep nesting in an object": (b'{"a":' * 500_000, "nested too deeply"),
    "many small lists": (lambda: b"[" + b"[]," * (MANY // 3) + b"[]]", "too many lists, objects and values"),
    "many numbers": (lambda: b"[" + b"1," * (MANY // 2) + b"1]", "too many lists, objects and values"),
    "many names": (names, "too many lists, objects"),
    "one long text": (lambda: b'{"a":"' + b"x" * MANY + b'"}', "JSON is not a known vocabulary format"),
    "a large value": (lambda: b'{"vocab":[],"config":"' + b"x" * MANY + b'"}', '"config" should be an object'),
    "a gigantic exponent": (b'{"a":1e999999999}', "JSON is not a known vocabulary format"),
    "one fraction": (lambda: b'{"version":"1.0","model":0.' + b"1" * LARGE + b"}", "too many digits"),
    "NaN": (b'{"a":NaN}', "NaN in the JSON is not a number"),
    "a name many times": (lambda: b'{"model":{' + b'"a":1,' * 500_000 + b'"b":1}}', "occurs twice"),
    "cut ranks": (TIKTOKEN[:2005], "line 232 should be|byte .* is not in"),
    "many ranks": (ranks, "no piece has the rank 400"),
    "one long line": (lambda: b"IQ== 0\n" + b"A" * MANY, "line 2 should be base64"),
    "one long word": (lambda: b"A" * MANY, "the word has 25000000 characters; at most 64 are allowed"),
    "one long word of spaces": (lambda: b"IQ== 0\n" + b" " * MANY + b"x", "line 2 should be base64"),
    "many words": (lambda: b"".join(b"%x\n" % at for at in range(3_000_000)), "more than 2,000,000 lines"),
    "many codes": (lambda: b"#version: 0.2\n" + b"a b</w>\n" * 3_000_000, "more than 1,000,000 merges"),
    "many merges": ((small("vocab.json")[0], b"#version: 0.2\n" + b" \n" * LARGE), "more than 1,000,000 merges"),
    "many line ends": (lambda: b"[UNK]" + b"\n" * LARGE + b"x", "more than 1,000,000 lines"),
    "many carriage returns": (lambda: TIKTOKEN + b"\r" * LARGE, "more than 1,000,000 lines"),
    "a rank of many digits": (lambda: TIKTOKEN + b"YWFh " + b"9" * LARGE, "the rank"),
    "long lines without an end": (lambda: b"a " * (MANY // 2), "fields"),
    "commas": (lambda: b"," * LARGE, "line 1 is wrong"),
    "quotes": (lambda: b"a,1\n" + b'"' * LARGE, None),
    "too large": (lambda: bytes(LARGEST_FILE + 1), "are allowed"),
    "a long pattern": (lambda: tokenizer_json(pre_tokenizer=split("a|" * LARGE)), "at most 5,000 are allowed"),
    "pattern of a decoder": (lambda: tokenizer_json(decoder=replace("a|" * LARGE, "", "Regex")), "at most 5,000"),
    "literal pattern": (lambda: tokenizer_json(normalizer=replace("a" * 2_000)), "2,000 characters"),
    "slow patterns": (
        lambda: tokenizer_json(pre_tokenizer=sequence("pretokenizers", [split(f"{SLOW}|{at}") for at in range(160)])),
        "times out",
    ),
    "template": (lambda: template(LARGE), "too many tokens around a text"),
    "growing pieces": (lambda: growing(LARGE), None),
    **{kind: (lambda kind=kind: nested(kind), "nested too deeply")
       for kind in ("normalizers", "pretokenizers", "processors", "decoders")},
    "SentencePiece: unknown fields": (lambda: SPIECE + b"\xf8\x07\x01" * (LARGE // 3), None),
    "SentencePiece: groups in groups": (lambda: SPIECE + b"\xfb\x07" * (LARGE // 2), "cannot be parsed"),
}  # fmt: skip


def hostile(name: str) -> tuple[bytes, ...]:
    content = HOSTILE[name][0]
    content = content() if callable(content) else content
    return content if isinstance(content, tuple) else (content,)


LONG = ("slow patterns", "many words", "one long word", "one long word of spaces", "long lines without an end")


@pytest.mark.parametrize("name", quick(HOSTILE, HOSTILE.keys() - {*LONG}))
def test_a_hostile_file_is_refused_soon(name: str) -> None:
    content, message = hostile(name), HOSTILE[name][1]
    began = process_time()
    if message is None:
        recognize(*content)
    else:
        refused(recognize, content, message, 10)
    # On a fast machine most take a tenth of a second; reading on to the end of any would take minutes.
    assert process_time() - began < 10


@pytest.mark.parametrize(
    ("name", "times"),
    [("many line ends", 3), ("many carriage returns", 3), *(pytest.param(name, 20, marks=pytest.mark.exhaustive)
     for name in ("many small lists", "many numbers", "many ranks", "many names"))],
)  # fmt: skip
def test_a_hostile_file_is_refused_in_little_memory(name: str, times: int) -> None:
    content = hostile(name)
    start()
    try:
        with pytest.raises(FormatError):
            recognize(*content)
        assert get_traced_memory()[1] < times * len(content[0])
    finally:
        stop()
