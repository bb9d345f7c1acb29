"""The catalogue of well-known vocabularies: its entries, and the mistakes in entries that it refuses."""

import lzma
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest
import tiktoken
import tiktoken_ext.openai_public as published
from hypothesis import given

from tests.core.texts import any_text
from webapp.core.formats import packed_files, packed_ranks
from webapp.core.formats.recognize import recognize
from webapp.core.formats.tiktoken import ENCODINGS
from webapp.core.text.split_patterns import KIMI_K2
from webapp.core.tokenizer import Tokenizer
from webapp.vocabularies.catalogue import CATALOGUE as SHIPPED
from webapp.vocabularies.shipped_vocabularies import FOLDER, packed, published_file, shipped_encoding
from webapp.vocabularies.wellknown import WELL_KNOWN, read

ENTRY = """
[gpt2]
title = "GPT-2"
family = "OpenAI"
algorithm = "bpe"
size = 50257
format = "huggingface"
licence = "MIT"
repository = "openai-community/gpt2"
files = ["tokenizer.json"]
"""

EVERY_KIND = "Words, 12345 词语,\n\tnaïve  \U0001f409 <|im_start|> [MASK] 𠮷"


def test_every_entry_says_where_it_comes_from() -> None:
    assert WELL_KNOWN.keys().isdisjoint(SHIPPED)
    for known in WELL_KNOWN.values():
        assert known.licence
        assert known.address.startswith("https://")
        assert bool(known.source.sha256) == known.ships
        assert known.source.revision == ("main" if known.source.repository else "")


@pytest.mark.parametrize("name", packed_files.FILES)
def test_published_files_that_ship_are_restored_byte_for_byte(name: str) -> None:
    known = WELL_KNOWN[name]
    content = published_file(name)
    assert (sha256(content).hexdigest(),) == known.source.sha256
    notice = (FOLDER / "NOTICE").read_text(encoding="utf-8")
    assert known.source.sha256[0] in notice
    assert known.source.repository in notice
    ours, original = shipped_encoding(name), known.tokenizer([content])
    assert ours.ids(EVERY_KIND) == original.ids(EVERY_KIND)
    assert (ours.model.pieces, ours.added_tokens) == (original.model.pieces, original.added_tokens)
    assert max(len(ours.model.pieces), *(token.id + 1 for token in ours.added_tokens)) == known.size


@pytest.mark.parametrize("name", ["bert-base-cased", "bert-base-chinese"])
def test_pieces_of_bert_are_those_of_googles_vocab_txt(name: str) -> None:
    lines = "".join(f"{piece}\n" for piece in shipped_encoding(name).model.pieces)
    published = {
        "bert-base-cased": "eeaa9875b23b04b4c54ef759d03db9d1ba1554838f8fb26c5d96fa551df93d02",
        "bert-base-chinese": "45bbac6b341c319adc98a532532882e91a9cefc0329aa57bac9ae761c27b291c",
    }
    assert sha256(lines.encode()).hexdigest() == published[name]


def test_all_that_ships_takes_at_most_5_mb() -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) <= 5_000_000


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["mistral-nemo", "qwen3"])
def test_packing_again_gives_the_files_that_ship(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before they are compressed, which for the smallest files takes a minute."""
    monkeypatch.setitem(packed_ranks.FILTERS[0], "preset", 0)

    def read(file: str) -> bytes:
        return (FOLDER / file).read_bytes()

    def plain(file: str, content: bytes) -> bytes:
        return lzma.decompress(content) if file.endswith(".xz") else content

    files = packed_files.pack_file(name, published_file(name), read)
    assert {file: plain(file, read(file)) for file in files} == {file: plain(file, files[file]) for file in files}


@pytest.mark.parametrize("name", [name for name, known in WELL_KNOWN.items() if known.encoding and known.ships])
def test_entries_of_openai_equal_those_of_tiktoken(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[tuple[str, str]] = []

    def load(address: str, expected_hash: str) -> dict[bytes, int]:
        loaded.append((address, expected_hash))
        return {}

    monkeypatch.setattr(published, "load_tiktoken_bpe", load)
    known = WELL_KNOWN[name]
    # tiktoken reads gpt2 from GPT-2's own files, whose ranks are those of r50k_base.
    original = published.ENCODING_CONSTRUCTORS["r50k_base" if name == "gpt2" else name]()
    (file,), (checksum,) = known.source.files, known.source.sha256
    assert loaded == [(f"https://openaipublic.blob.core.windows.net/{file}", checksum)]
    unpacked = packed_ranks.tiktoken_file(packed(name), name)
    assert sha256(unpacked).hexdigest() == checksum
    assert checksum in (FOLDER / "NOTICE").read_text(encoding="utf-8")
    highest = max(original["special_tokens"].values())
    assert known.size == original.get("explicit_n_vocab", highest + 1)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("bert-base-cased", "tokenizers/bert_base_cased.json"),
        ("llama-2", "sentencepiece/llama2.model"),
    ],
)
def test_published_files_match_the_catalogue(shared: Path, name: str, file: str) -> None:
    known, path = WELL_KNOWN[name], shared / "vocabularies" / file
    tokenizer = known.tokenizer([path.read_bytes()])
    assert max(len(tokenizer.model.pieces) - 1, *tokenizer.special_tokens.values(), 0) + 1 == known.size
    assert tokenizer.decode(tokenizer.ids("Words, 词语.")).strip()


def test_mistrals_sentencepiece_model_gives_the_ids_of_its_tokenizer_json(shared: Path) -> None:
    converted = recognize((shared / "vocabularies/tokenizers/mistral01.json").read_bytes()).tokenizer
    assert shipped_encoding("mistral-7b-v0-1").ids(EVERY_KIND) == converted.ids(EVERY_KIND)


@cache
def small_kimi() -> tuple[Tokenizer, tiktoken.Encoding]:
    """Return Kimi's pattern with a few ranks, in our tokenizer and in tiktoken."""
    kimi = WELL_KNOWN["kimi-k2"]
    ranks = {bytes([byte]): byte for byte in range(256)}
    for piece in (b"ab", b"AB", b"do", b"don", b"'t", b"  ", b"\r\n", b"\xe4\xb8", "世".encode(), b"12", b"123"):
        ranks[piece] = len(ranks)
    content = b"".join(b64encode(piece) + b" %d\n" % rank for piece, rank in ranks.items())
    pattern = KIMI_K2.removeprefix("(?V1)")
    return kimi.tokenizer([content]), tiktoken.Encoding(
        "kimi", pat_str=pattern, mergeable_ranks=ranks, special_tokens={}
    )


@given(any_text)
def test_kimis_pattern_splits_as_in_tiktoken(text: str) -> None:
    ours, original = small_kimi()
    assert ours.ids(text) == original.encode_ordinary(text)


def test_kimis_reserved_tokens_are_all_named() -> None:
    special = ENCODINGS["kimi-k2"].special_tokens
    assert sorted(special.values()) == list(range(163584, 163840))
    assert (special["[BOS]"], special["<|reserved_token_163589|>"], special["[PAD]"]) == (163584, 163589, 163839)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('title = "GPT-2"\n', "", "title: Field required"),
        ('"bpe"', '"fmm"', "none of ngram, tagger, bpe, wordpiece, unigram"),
        ('"huggingface"', '"tiktoken"', "should have an encoding only if"),
        ('"huggingface"', '"vocab.json"', "should have 2 file(s)"),
        ('["tokenizer.json"]', '["/etc/passwd"]', "files.0: String should match"),
        ('"openai-community/gpt2"', '"https://example.org"', "repository: String should match"),
        ('repository = "openai-community/gpt2"\n', "", "does not ship with the site"),
        ('licence = "MIT"', 'licence = "MIT"\nsha256 = ["abc"]', "sha256.0: String should match"),
    ],
)
def test_an_invalid_entry_is_refused(old: str, new: str, sentence: str) -> None:
    assert old in ENTRY
    with pytest.raises(ValueError, match=re.escape(sentence)):
        read(ENTRY.replace(old, new))
