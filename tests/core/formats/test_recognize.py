"""A file is recognized by its content; one that is broken or hostile is refused in one sentence, at once."""

import base64
import gzip
import io
import json
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.core.tekken_files import tekken_file
from tests.core.texts import CORPUS
from webapp.core.formats import huggingface, minimal_bpe, tiktoken, vocab_json
from webapp.core.formats.reading import LARGEST_FILE, FormatError, read_json
from webapp.core.formats.recognize import recognize
from webapp.core.recipes import BYTE_BPE
from webapp.core.trainers.bpe import train_bytes

MODEL = train_bytes(BYTE_BPE.count(CORPUS), 400).model
RANKS = b"".join(base64.b64encode(bytes(piece)) + b" %d\n" % id for id, piece in enumerate(MODEL.pieces))  # type: ignore[arg-type]
VOCABULARY, MERGES = (text.encode() for text in vocab_json.write(BYTE_BPE.tokenizer(MODEL)))
TEKKEN = json.dumps(tekken_file()).encode()
TOKENIZER_JSON = huggingface.write(BYTE_BPE.tokenizer(MODEL)).encode()
BERT = b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nun\n##aff\n##able\n"
CODES = b"#version: 0.2\ne s\nes t</w>\n"

# The words of a dictionary may happen to be base64, and its frequencies may look like ranks.
WORDS = b"that 0\nwith 1\nthis 2\nfrom 3\n"


@pytest.mark.parametrize(
    ("content", "found", "pieces"),
    [
        (RANKS, "tiktoken", 400),
        (b"\xef\xbb\xbf" + RANKS, "tiktoken", 400),
        (RANKS.replace(b"\n", b"\r\n"), "tiktoken", 400),
        (TEKKEN, "tekken", 700),
        (TOKENIZER_JSON, "huggingface", 400),
        (b"\n {" + TOKENIZER_JSON[TOKENIZER_JSON.index(b'"model"') : -1] + b', "version": "1.0", "added_tokens": [], '
         b'"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false}, "normalizer": null}',
         "huggingface", 400),
        (minimal_bpe.write(BYTE_BPE.tokenizer(MODEL)).encode(), "minimal-bpe", 400),
        (b'{"merges": [[97, 98], [256, 99]]}', "minimal-bpe", 258),
        (BERT, "vocab.txt", 8),
        (BERT + b"Un\n", "vocab.txt", 9),
        (CODES, "subword-nmt", 9),
        (b"e s\ns t\nt </w>\n", "subword-nmt", 8),
        (WORDS, "dictionary", 4),
        ("研究\n生命\n".encode(), "dictionary", 2),
        ("研究\t5\tv\n".encode(), "dictionary", 1),
    ],
)  # fmt: skip
def test_each_format_is_recognized(content: bytes, found: str, pieces: int) -> None:
    recognized = recognize(content)
    assert recognized.format == found
    assert len(recognized.tokenizer.model.pieces) == pieces


def test_two_files_that_belong_together() -> None:
    for pair in ((VOCABULARY, MERGES), (MERGES, VOCABULARY)):
        recognized = recognize(*pair)
        assert recognized.format == "vocab.json"
        assert recognized.tokenizer.ids(CORPUS) == list(BYTE_BPE.tokenizer(MODEL).ids(CORPUS))
    with pytest.raises(FormatError, match=r"only be read together with its merges\.txt"):
        recognize(VOCABULARY)
    with pytest.raises(FormatError, match=r"only be read together with its vocab\.json"):
        recognize(MERGES)


def test_what_is_recognized_encodes() -> None:
    tokenizer = recognize(RANKS).tokenizer
    assert tokenizer.ids(CORPUS) == tiktoken.read(RANKS, "cl100k_base").ids(CORPUS)
    assert recognize(TOKENIZER_JSON).tokenizer.ids(CORPUS) == list(BYTE_BPE.tokenizer(MODEL).ids(CORPUS))


def test_published_files_are_recognized(shared: Path) -> None:
    folder = shared / "vocabularies"
    kinds = {"tiktoken": "tiktoken", "tokenizers": "huggingface", "sentencepiece": "sentencepiece", "scores": "scores"}
    for file in sorted(folder.glob("*/*")):
        recognized = recognize(file.read_bytes())
        assert recognized.format == kinds[file.parent.name], file.name
        assert recognized.tokenizer.ids("Hello, world!"), file.name
    named = recognize((folder / "tiktoken" / "r50k_base.tiktoken").read_bytes())
    assert named.tokenizer.special_tokens == {"<|endoftext|>": 50256}


# --- refusals, and how soon they come


def archive() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("tokenizer.json", b" " * 1_000_000)
    return packed.getvalue()


def ranks(numbers: range) -> bytes:
    return b"".join(b"%s %d\n" % (base64.b64encode(b"%d" % at), at + 1) for at in numbers)


MANY = 25_000_000  # bytes, the largest upload
# Large ones are made when they are needed: that takes seconds.
HOSTILE: dict[str, tuple[bytes | Callable[[], bytes], str]] = {
    "nothing": (b"", "the file is empty"),
    "blank": (b"\n \r\n", "the file is empty"),
    "gzip bomb": (lambda: gzip.compress(bytes(10_000_000)), "a gzip archive"),
    "zip bomb": (archive, "a zip archive"),
    "only NUL": (lambda: bytes(1_000_000), "only NUL bytes"),
    "UTF-16": ("研究".encode("utf-16"), "this is text in UTF-16; save it as UTF-8"),
    "an image": (b"\x89PNG\r\n\x1a\n", "this is an image, not a vocabulary$"),
    "a pointer": (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 2\n", "a Git LFS pointer"),
    "a page": (b"\n<!DOCTYPE html>\n<html></html>\n", "this is a web page"),
    "a gigantic rank": (RANKS + b"YWJjZA== 9999999999\n", "line 401: the rank '9999999999' is too large"),
    "an open text": (b'{"a', "not JSON: an unterminated string starting at line 1, column 2"),
    "no UTF-8": (b"low\n\xff\xfe\n", "byte 0xff at position 4; save it as UTF-8"),
    "NUL": (b"low\n" + 3 * b"\x00\n", "3 of its 4 lines are wrong, line 2 for example: it has the control character"),
    "prose": (b"It is a truth universally acknowledged\n", "read as a dictionary, line 1 is wrong: 6 fields"),
    "deep nesting in an object": (lambda: b'{"a":' * 500_000, "nested too deeply"),
    "many small lists": (lambda: b"[" + b"[]," * (MANY // 3) + b"[]]", "too many lists, objects and values"),
    "many numbers": (lambda: b"[" + b"1," * (MANY // 2) + b"1]", "too many lists, objects and values"),
    "many names": (lambda: b"{" + b"".join(b'"%d":{},' % at for at in range(1_100_000)) + b'"":0}', "too many lists"),
    "one long text": (lambda: b'{"a":"' + b"x" * MANY + b'"}', "JSON is not a known vocabulary format"),
    "a gigantic exponent": (b'{"a":1e999999999}', "JSON is not a known vocabulary format"),
    "NaN": (b'{"a":NaN}', "NaN in the JSON is not a number"),
    "a name twice": (b'{"a":0,"a":1}', "the key 'a' occurs twice"),
    "cut JSON": (TEKKEN[:5000], "not JSON"),
    "cut tokenizer.json": (TOKENIZER_JSON[:5000], "JSON"),
    "a list": (b"[1, 2]", "JSON is not a known vocabulary format"),
    "cut ranks": (RANKS[:2005], "line 232 should be|byte .* is not in"),
    "many ranks": (lambda: RANKS + ranks(range(400, 400_000)), "no piece has the rank 400"),
    "one long line": (lambda: b"IQ== 0\n" + b"A" * MANY, "line 2 should be base64"),
    "one long word": (lambda: b"A" * MANY, "the word has 25000000 characters; at most 64 are allowed"),
    "one long word of spaces": (lambda: b"IQ== 0\n" + b" " * MANY + b"x", "line 2 should be base64"),
    "many words": (lambda: b"".join(b"%x\n" % at for at in range(3_000_000)), "more than 2,000,000 lines"),
    "many codes": (lambda: b"#version: 0.2\n" + b"a b</w>\n" * 3_000_000, "more than 1,000,000 merges"),
    "long lines without an end": (lambda: b"a " * (MANY // 2), "fields"),
    "too large": (lambda: bytes(LARGEST_FILE + 1), "are allowed"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_bad_files_are_refused_soon(name: str) -> None:
    given, message = HOSTILE[name]
    content = given() if callable(given) else given
    start = time.process_time()
    with pytest.raises(FormatError, match=message) as raised:
        recognize(content)
    # On a fast machine most take a tenth of a second; reading on to the end of any would take minutes.
    assert time.process_time() - start < 10
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        (VOCABULARY, VOCABULARY, "both files are JSON"),
        (MERGES, MERGES, "both files are a merges.txt"),
        (MERGES, b"low 5\n", "neither file is JSON"),
        (TOKENIZER_JSON, MERGES, "a tokenizer.json; choose that file alone"),
        (VOCABULARY, b"\x1f\x8b\x08", "a gzip archive"),
        (VOCABULARY, b"\xff\n", "byte 0xff at position 0"),
        (VOCABULARY, b"#version: 0.2\na b c\n", r"line 2 of merges\.txt"),
    ],
)
def test_two_files_are_refused_alike_in_either_order(one: bytes, other: bytes, message: str) -> None:
    refused = []
    for pair in ((one, other), (other, one)):
        with pytest.raises(FormatError, match=message) as raised:
            recognize(*pair)
        refused.append(str(raised.value))
    assert refused[0] == refused[1]


@pytest.mark.parametrize("word", ["model", "tokens", "scores", "config", "version"])
def test_any_word_may_be_a_piece(word: str) -> None:
    """GPT-2's vocab.json has all of these."""
    words = {"tokens", "scores"} if word in ("tokens", "scores") else {word}
    content = json.dumps(json.loads(VOCABULARY) | {piece: 400 + at for at, piece in enumerate(sorted(words))})
    with pytest.raises(FormatError, match=r"only be read together with its merges\.txt"):
        recognize(content.encode())


@pytest.mark.exhaustive  # tracing every allocation is slow
@pytest.mark.parametrize("name", ["many small lists", "many numbers", "many ranks", "many names"])
def test_bad_files_are_refused_in_little_memory(name: str) -> None:
    given, _ = HOSTILE[name]
    content = given() if callable(given) else given
    tracemalloc.start()
    with pytest.raises(FormatError):
        recognize(content)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 20 * len(content)


def test_nested_keys_and_surrogate_pairs_in_json_are_read() -> None:
    assert read_json('{"a": {"a": [1.5, null, "\\ud83d\\ude00"]}}') == {"a": {"a": [1.5, None, "😀"]}}


@pytest.mark.exhaustive
@pytest.mark.parametrize("make", [lambda: "x" * MANY, lambda: [0] * 2_000_000, lambda: [[[]] * 500_000]])
def test_the_message_does_not_quote_a_large_value(make: Callable[[], Any]) -> None:
    content = json.dumps({"config": make(), "vocab": []}).encode()
    start = time.process_time()
    with pytest.raises(FormatError, match='"config" should be an object') as raised:
        recognize(content)
    # On a fast machine most take a tenth of a second; reading on to the end of any would take minutes.
    assert time.process_time() - start < 10
    assert len(str(raised.value)) < 300
