"""A file is recognized by its content."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.small_files import TRAINED, small
from tests.core.texts import CORPUS
from webapp.core.formats import huggingface, tiktoken
from webapp.core.formats.reading import FormatError, lines_of, read_json
from webapp.core.formats.recognize import recognize
from webapp.core.recipes import BYTE_BPE

TIKTOKEN = small("tiktoken")[0]
VOCABULARY, MERGES = small("vocab.json")
TOKENIZER_JSON = huggingface.write(BYTE_BPE.tokenizer(TRAINED.model)).encode()
BERT = b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nun\n##aff\n##able\n"
CODES = b"#version: 0.2\ne s\nes t</w>\n"

# The words of a dictionary may happen to be base64, and its frequencies may look like ranks.
WORDS = b"that 0\nwith 1\nthis 2\nfrom 3\n"


@pytest.mark.parametrize(
    ("content", "found", "pieces"),
    [
        (TIKTOKEN, "tiktoken", 400),
        (b"\xef\xbb\xbf" + TIKTOKEN, "tiktoken", 400),
        (TIKTOKEN.replace(b"\n", b"\r\n"), "tiktoken", 400),
        (small("tekken")[0], "tekken", 310),
        (TOKENIZER_JSON, "huggingface", 700),
        (b"\n {" + TOKENIZER_JSON[TOKENIZER_JSON.index(b'"model"') : -1] + b', "version": "1.0", "added_tokens": [], '
         b'"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false}, "normalizer": null}',
         "huggingface", 700),
        (small("minimal-bpe")[0], "minimal-bpe", 700),
        (b'{"merges": [[97, 98], [256, 99]]}', "minimal-bpe", 258),
        (BERT, "vocab.txt", 8),
        (BERT + b"Un\n", "vocab.txt", 9),
        (CODES, "subword-nmt", 9),
        (b"e s\ns t\nt </w>\n", "subword-nmt", 8),
        (WORDS, "dictionary", 4),
        ("研究\n生命\n".encode(), "dictionary", 2),
        ("研究\t5\tv\n".encode(), "dictionary", 1),
        ("人生 3\n如 5\n".encode(), "dictionary", 2),
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
        assert recognized.tokenizer.decode(recognized.tokenizer.ids(CORPUS)) == CORPUS
    words = ["model", "tokens", "scores", "config", "version"]  # GPT-2's vocab.json has all of these as pieces
    for content in (VOCABULARY, json.dumps(json.loads(VOCABULARY) | dict.fromkeys(words, 999)).encode()):
        with pytest.raises(FormatError, match=r"only be read together with its merges\.txt"):
            recognize(content)
    with pytest.raises(FormatError, match=r"only be read together with its vocab\.json"):
        recognize(MERGES)


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


def test_published_files_are_recognized(shared: Path) -> None:
    folder = shared / "vocabularies"
    kinds = {"tiktoken": "tiktoken", "tokenizers": "huggingface", "sentencepiece": "sentencepiece", "scores": "scores"}
    for file in sorted(folder.glob("*/*")):
        recognized = recognize(file.read_bytes())
        assert recognized.format == kinds[file.parent.name], file.name
        assert recognized.tokenizer.ids("Hello, world!"), file.name
    named = recognize((folder / "tiktoken" / "r50k_base.tiktoken").read_bytes())
    assert named.tokenizer.special_tokens == {"<|endoftext|>": 50256}
    assert recognize(TIKTOKEN).tokenizer.ids(CORPUS) == tiktoken.read(TIKTOKEN, "cl100k_base").ids(CORPUS)


# --- JSON and lines


def test_a_key_that_occurs_twice_is_found_at_any_depth() -> None:
    for text in ('{"a":1,"a":2}', '[{"b":{"a":":","a":1}}]', r'{"\":":1,"\":":2}', r'{"a\\":1,"a\\":"x"}'):
        with pytest.raises(FormatError, match="occurs twice"):
            read_json(text)
    many = {f'"{at}:\\': {":": at} for at in range(2_500)}
    documents: list[Any] = [{"a": {"a": ':"a":'}}, [{"a": 1.5}, {"a": None}], {'"a":"b': {":": "\\"}}, "😀", many]
    for document in documents:
        assert read_json(json.dumps(document)) == document


def test_lines_are_those_of_splitlines() -> None:
    text = "a\r\nb\n\r\x0bc\x0c\u2028d\x85\x1c\x1de\x1e\u2029" * 9_000 + "\r" * 70_000 + "\n" * 70_000 + "end"
    assert list(lines_of(text)) == text.splitlines()
    assert list(lines_of("")) == []
