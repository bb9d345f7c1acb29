"""GGUF: the ids of llama.cpp, for small files and for its own vocabularies; parts of files; chat templates."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from struct import pack
from typing import Any

import pytest

from tests.core import gguf_files
from tests.core.gguf_files import BYTES, byte_level, characters, scored, unigram, words, written
from webapp.core.formats import gguf
from webapp.core.formats.gguf_metadata import CutShortError, chat_config, header_of, needed, read_metadata
from webapp.core.formats.reading import FormatError
from webapp.core.formats.recognize import load, recognize
from webapp.core.text.split_patterns import SplitPattern

FOLDER = "GGUF_VOCABULARIES"
"""The folder `models` of llama.cpp: files `ggml-vocab-*.gguf`, each with texts (`.inp`) and their ids (`.out`)."""

KINDS = [byte_level, scored, words, unigram, characters]

# Written by llama.cpp, with `parse_special` and `add_special` for the second list.
IDS: list[tuple[Callable[..., dict[str, Any]], str, list[int], list[int]]] = [
    (byte_level, "abc a<|x|>ab<y>", [257, 258, 60, 124, 120, 124, 62, 256, 260], [257, 258, 259, 256, 260]),
    (byte_level, "é  a", [195, 169, 32, 258], [195, 169, 32, 258]),
    (scored, "ab<y> abab x", [263, 264, 259, 263, 262, 259, 123], [1, 263, 264, 259, 263, 262, 259, 123]),
    (scored, "  ab\n", [259, 259, 263, 13], [1, 259, 259, 263, 13]),
    (scored, "", [], [1]),
    (words, "UNAFFABLE! e研É[SEP]x", [4, 5, 6, 8, 7, 9, 7, 1, 1, 1, 1], [2, 4, 5, 6, 8, 7, 9, 7, 3, 1, 3]),
    (words, "unaffablé un\u0301", [4, 5, 6, 4], [2, 4, 5, 6, 4, 3]),
    (unigram, "abc a<|x|>", [6, 7, 3, 4, 2], [6, 7, 3, 4, 2, 1]),
    (unigram, "  ab  dé\n", [3, 3, 6, 3, 3, 8, 2], [3, 3, 6, 3, 3, 8, 2, 1]),
    (characters, "a a\n\n\n\nZ<bos>é", [261, 262, 264, 264, 94, 64, 102, 115, 119, 66, 199, 173],
     [2, 261, 262, 264, 264, 94, 2, 199, 173]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text", "ids", "with_special"), IDS)
def test_ids_are_those_of_llama_cpp(
    kind: Callable[..., dict[str, Any]], text: str, ids: list[int], with_special: list[int]
) -> None:
    tokenizer = gguf.read(written(kind()))
    assert tokenizer.ids(text) == ids
    assert tokenizer.ids(text, special=True, template=True) == with_special
    assert list(tokenizer.encode(text, special=True, template=True).ids) == with_special


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", ["ab abc", "un e", "a<y>b", "研é!"])
def test_decoding_and_offsets(kind: Callable[..., dict[str, Any]], text: str) -> None:
    tokenizer = gguf.read(written(kind()))
    encoding = tokenizer.encode(text)
    assert all(0 <= token.start <= token.end <= len(text) for token in encoding)
    if kind in (byte_level, characters) or (kind is scored and "<y>" not in text):  # a space follows a special token
        assert tokenizer.decode(encoding.ids) == text


@pytest.mark.skipif(FOLDER not in os.environ, reason=f"the folder of vocabularies {FOLDER} is not set")
def test_vocabularies_of_llama_cpp() -> None:
    paths = sorted(Path(os.environ[FOLDER]).glob("*.gguf"))
    assert paths
    for path in paths:
        tokenizer = load(path)
        if not (texts := path.with_name(f"{path.name}.inp")).exists():
            continue
        lines = path.with_name(f"{path.name}.out").read_text(encoding="utf-8").split("\n")
        for text, ids in zip(texts.read_text(encoding="utf-8").split("\n__ggml_vocab_test__\n"), lines, strict=False):
            assert tokenizer.ids(text) == list(map(int, ids.split())), (path.name, text)


# --- what a file says beside its pieces


@pytest.mark.parametrize(
    ("metadata", "text", "ids"),
    [
        (byte_level(add_bos_token=True, bos_token_id=259), "ab", [259, 256]),
        (byte_level(add_bos_token=True, bos_token_id=259, add_eos_token=True, eos_token_id=260), "ab", [259, 256, 260]),
        (byte_level(pre="llama-bpe", bos_token_id=259), "ab", [259, 256]),  # which implies the token
        (byte_level(pre="llama-bpe", bos_token_id=9_999), "ab", [11, 256]),  # the default instead of an id outside
        (scored(add_bos_token=False, add_space_prefix=False), "ab", [262]),
        (unigram(add_bos_token=True, bos_token_id=0, add_eos_token=False), "ab", [0, 6]),
        (unigram(remove_extra_whitespaces=True), "  ab  a ", [6, 3, 4, 1]),
        (words(**{"tokenizer.ggml.normalizer.lowercase": False}), "UN un", [2, 1, 4, 3]),
        (words(**{"tokenizer.ggml.normalizer.strip_accents": False}), "ÚN un", [2, 1, 4, 3]),
        (characters(add_bos_token=False), "a", [2, 261]),  # Gemma 4 has the token in any case
        (scored(**{"general.name": "Phi-3"}), "ab<y>  ab", [1, 263, 264, 263]),
        (byte_level(pre="jina-v2-de", tokens=[*BYTES, "<mask>", "AB"], token_type=[*[1] * 256, 3, 1], merges=["A B"]),
         "a  <mask>", [97, 256]),
    ],
)  # fmt: skip
def test_settings(metadata: dict[str, Any], text: str, ids: list[int]) -> None:
    assert gguf.read(written(metadata)).ids(text, special=True, template=True) == ids


def test_tokens_that_look_like_control_tokens_are_control_tokens() -> None:
    tokens = [*BYTES, "ab", "<|im_end|>", "<|fim_prefix|>", "<|start|>"]
    kinds = [*[1] * 257, 4, 4, 3]
    metadata = byte_level(tokens=tokens, token_type=kinds, merges=["a b"])
    special = {token.content: token.special for token in gguf.read(written(metadata)).added_tokens}
    assert special == {"<|im_end|>": True, "<|fim_prefix|>": True, "<|start|>": False}
    named = gguf.read(written(metadata | {"fim_pre_token_id": 258}))
    assert not next(token for token in named.added_tokens if token.content == "<|fim_prefix|>").special


@pytest.mark.parametrize("pre", sorted(gguf.PRE_TOKENIZERS))
def test_every_pre_tokenizer_covers_the_text_in_linear_time(pre: str) -> None:
    tokens = [*BYTES, "ab"] if not gguf.PRE_TOKENIZERS[pre].get("characters") else characters()["tokens"]
    kinds = [1] * len(tokens)
    merges = ["a b"] if "ab" in tokens else ["▁ a"]
    tokenizer = gguf.read(written(byte_level(pre=pre, tokens=tokens, token_type=kinds, merges=merges)))
    assert tokenizer.pretokenizer is not None
    for text in ("It's 1234567 o'clock\r\n\n  研究१２３ éÉ<a>", " " * 3_000 + "x", "aB" * 3_000, "'" * 3_000 + "!"):
        pretokens = tokenizer.pretokenizer.split(text)
        assert "".join(pretokens) == ("".join(text.split()) if pre == "whitespace" else text)


def test_digits_of_afmoe_are_grouped_from_the_right() -> None:
    pattern = SplitPattern(gguf.PRE_TOKENIZERS["tiny_aya"]["patterns"][0])
    assert pattern.findall("a1234567 12 123456b") == ["a1", "234", "567", " 12", " 123", "456", "b"]
    assert len(pattern.findall("1" * 30_000)) == 10_000


# --- parts of files


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_is_read_up_to_its_tensors(kind: Callable[..., dict[str, Any]]) -> None:
    header = written(kind(**{"general.layers": [1, 2], "general.tags": ["a", "b"]}), tensors=1)
    whole = header + b"tensors" * 100
    assert header_of(whole) == header
    assert needed(whole) == needed(header) == 0
    for size in [*range(4, 200), *range(200, len(header), 199)]:
        with pytest.raises(CutShortError) as cut:
            gguf.read(header[:size])
        assert size < cut.value.needed <= len(header)
    at, rounds = 4, 0
    while more := needed(header[:at]):
        at, rounds = at + more, rounds + 1
    assert at == len(header)


def test_only_the_beginning_of_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    with path.open("wb") as file:
        file.write(written(byte_level()))
        file.truncate(1 << 40)  # a terabyte, which takes no room
    assert load(path).ids("abc") == load(tmp_path).ids("abc") == [257]
    with pytest.raises(IsADirectoryError):
        load(tmp_path.parent / tmp_path.name / "..")


def test_versions_and_counts() -> None:
    assert gguf.read(written(byte_level(), version=2)).ids("abc") == [257]
    for content, message in [
        (written({}, version=1), "version 1 of GGUF"),
        (pack(">4sIQQ", b"GGUF", 3, 0, 0), "big-endian"),
        (pack("<4sIQQ", b"GGUF", 3, 0, 1 << 40), "more than 10,000 keys"),
        (pack("<4sIQQQQ", b"GGUF", 3, 0, 1, 1 << 60, 0), "more than 67,108,864 bytes"),
        (written({"tokens": ["a"]})[:-17] + pack("<Q", 1 << 60) + b"a" * 9, "items; at most 2,000,000"),
        (written({"a.b": 1})[:-8] + pack("<II", 13, 1), "'a.b' has the type 13"),
        (written({"a.b": "xx"})[:-2] + b"\xff\xff", "not valid UTF-8"),
        (written({}), "has no tokenizer"),
    ]:
        with pytest.raises(FormatError, match=message):
            gguf.read(content)


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (byte_level(model="rwkv"), "the tokenizer 'rwkv' of GGUF files is not supported"),
        (byte_level(pre="brand-new"), "the pre-tokenizer 'brand-new' of this GGUF file is not known"),
        (byte_level(model=5), '"tokenizer.ggml.model" should be a string, not 5'),
        (byte_level(tokens="a"), '"tokenizer.ggml.tokens" should be a list'),
        (byte_level(tokens=[1]), "'tokenizer.ggml.tokens' has items of the wrong type"),
        (byte_level(tokens=["a", "a"]), "'a' occurs twice"),
        (byte_level(token_type=[1]), "'tokenizer.ggml.token_type' has 1 items for 261 tokens"),
        (byte_level(merges=["a b", "x yz"]), "a merge refers to 'yz'"),
        (byte_level(merges=["ab"]), "a merge refers to ''"),
        (byte_level(merges=["b a"]), "makes 'ba', which is no piece"),
        ({key: value for key, value in byte_level().items() if key != "merges"}, "merges\" is missing"),
        (scored(scores=[float("nan")] * 265), "which is not a number"),
        (words(unknown_token_id=99, tokens=["▁a"], token_type=[1]), "no unknown token"),
        (unigram(precompiled_charsmap=b"\x01"), "wrong length"),
        (unigram(precompiled_charsmap="x"), "should be a list of bytes"),
    ],
)  # fmt: skip
def test_refused(metadata: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        gguf.read(written(metadata))


def test_chat_template_and_special_tokens() -> None:
    templates = {"tokenizer.chat_template": "{{ bos_token }}", "tokenizer.chat_template.tool_use": "{{ tools }}"}
    config = json.loads(chat_config(written(byte_level(bos_token_id=259, eos_token_id=9_999, **templates))))
    assert config["bos_token"] == "<|x|>"
    assert "eos_token" not in config
    assert [entry["name"] for entry in config["chat_template"]] == ["default", "tool_use"]
    assert "chat_template" not in json.loads(chat_config(written(byte_level())))


def test_recognized_by_content() -> None:
    assert recognize(written(gguf_files.unigram())).format == "gguf"
    assert "general.layers" not in read_metadata(written({"general.layers": [1, 2]}))
