"""Portraits of vocabularies: what their tokens are as text, how they are counted, and how search finds them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.added_tokens import AddedToken
from webapp.core.analysis.pipeline_summary import pipeline_summary
from webapp.core.analysis.portrait import NO_SCRIPTS, PART, portrait_of, portrait_of_texts
from webapp.core.analysis.token_list import TokenList, bare
from webapp.core.formats.recognize import recognize
from webapp.core.models.bpe import BPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.unigram import Unigram
from webapp.core.models.wordpiece import WordLevel, WordPiece
from webapp.core.recipes import BYTE_BPE, CHARACTER_BPE, UNIGRAM, WORDPIECE
from webapp.core.text import decoders
from webapp.core.text.unicode_tables import SCRIPTS as NAMES
from webapp.core.tokenizer import Tokenizer

BYTES = [bytes([byte]) for byte in range(256)]


def test_each_family_reads_as_text() -> None:
    unigram = UNIGRAM.tokenizer(Unigram(["<unk>", "▁the", "▁▁", "ing"], [0, -1, -2, -3], unknown_id=0))
    assert TokenList(unigram).texts == ["<unk>", " the", "  ", "ing"]
    suffixed = CHARACTER_BPE.tokenizer(
        BPE(["<unk>", "o", "w", "</w>", "ow", "ow</w>"], [(1, 2), (4, 3)], byte_level=False, end_of_word_suffix="</w>")
    )
    assert TokenList(suffixed).texts == ["<unk>", "o", "w", " ", "ow", "ow "]
    prefixed = WORDPIECE.tokenizer(WordPiece(["[UNK]", "##", "##a", "a##"]))
    assert TokenList(prefixed).texts == ["[UNK]", "##", "a", "a##"]
    ranks = BYTE_BPE.tokenizer(RankBPE([*BYTES, b" a", "é".encode(), b"\xc3\xa9\xc3"]))
    assert TokenList(ranks).texts[256:] == [" a", "é", None]
    assert TokenList(ranks).written[258] == "C3 A9 C3"


def test_byte_pieces_written_as_names_or_characters_are_bytes() -> None:
    names = [f"<0x{byte:02X}>" for byte in range(256)]
    model = Unigram(["<unk>", *names, "a"], [0.0] * 258, unknown_id=0, byte_fallback=True)
    tokens = TokenList(Tokenizer(model, decoder=decoders.DecoderSequence((decoders.ByteFallback(), decoders.Fuse()))))
    assert [tokens.texts[1 + byte] for byte in (0x0A, 0x41, 0xC3)] == ["\n", "A", None]
    assert [tokens.bytes_of(1 + byte) for byte in (0x0A, 0xC3)] == [b"\n", b"\xc3"]
    assert portrait_of(tokens).kinds[PART] == 128
    without = TokenList(UNIGRAM.tokenizer(Unigram(["<unk>", "<0x0A>"], [0.0, 0.0], unknown_id=0)))
    assert without.texts[1] == "<0x0A>"
    model = WordLevel(["<unk>", "Ġna", "Ã¯", "Ã", "研"])
    tokens = TokenList(Tokenizer(model, decoder=decoders.ByteLevelDecoder(byte_characters=True)))
    assert tokens.texts[1:] == [" na", "ï", None, "研"]
    assert tokens.bytes_of(2) == "ï".encode()


def test_added_tokens_take_their_ids() -> None:
    added = (AddedToken("new", 5, special=False, normalized=True), AddedToken("<s>", 1))
    tokens = TokenList(Tokenizer(WordLevel(["<unk>", "x", "y"]), added_tokens=added, special_tokens={"<pad>": 9}))
    assert list(tokens.ids) == [0, 1, 2, 5, 9]
    assert tokens.texts == ["<unk>", "<s>", "y", "new", "<pad>"]
    assert tokens.apart == {0, 1, 9}
    assert tokens.added == {1, 5, 9}
    assert tokens.special == {1, 9}
    assert [tokens.place_of(id) for id in (2, 3, 5, 9, 10, -1)] == [2, None, 3, 4, None, None]
    with pytest.raises(KeyError):
        tokens.bytes_of(3)


def test_the_kind_of_a_word() -> None:
    kinds = {
        "Han": ["研究"], "Hiragana": ["ひらがな"], "Katakana": ["カタカナ"], "Cyrillic": ["для"], "Greek": ["αβ"],
        "Hangul": ["한글"], "Devanagari": ["नमस्ते"], "Hebrew": ["שלום"], "Thai": ["ไทย"], "Latin": ["e\u0301", "x2"],
        "several scripts": ["Aд", "食べる"], "digits": ["3.14", "²"], "punctuation and symbols": ["…", "👩‍🚀"],
        "white space": [" \t\n", "\u3000"],
        "other characters": ["\x00", "ー", "\u0301", "\U000e0001", "\U0010ffff"],
    }  # fmt: skip
    for kind, words in kinds.items():
        assert portrait_of_texts(range(len(words)), words).kinds == {kind: len(words)}


@given(st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=30, unique=True))
def test_every_word_is_counted_once(words: list[str]) -> None:
    found = portrait_of_texts(range(len(words)), words)
    assert sum(found.kinds.values()) == found.size == len(words)
    assert sum(found.lengths.values()) == len(words)
    assert sum(length * count for length, count in found.lengths.items()) == sum(len(bare(word)) for word in words)
    assert set(found.kinds) <= {*NAMES, *NO_SCRIPTS}
    lengths = [len(bare(words[id])) for id in found.longest]
    texts = set(map(bare, words))
    assert lengths == sorted(map(len, texts), reverse=True)[: len(lengths)]
    assert len(lengths) == min(len(texts), 20)


@pytest.mark.parametrize(
    ("query", "places"),
    [
        ("in", [1, 2, 3]),  # both are just that
        ("##in", [2]),
        ("UNK", [0]),
        ("7", [4, 6]),
        ("6", [6]),
        ("", [0, 1, 2, 3, 4, 5, 6]),
        ("9" * 5000, []),
        ("٣", []),
    ],
)
def test_tokens_are_found_by_text_and_by_id(query: str, places: list[int]) -> None:
    pieces = ["[UNK]", "in", "##in", "inner", "7", "In", "17"]
    assert TokenList(WORDPIECE.tokenizer(WordPiece(pieces))).find(query) == places


def test_exact_matches_come_first_and_parts_of_characters_are_found_by_their_bytes() -> None:
    pieces = ["<unk>", "▁there", "▁other", "▁the", "the", "3"]
    tokens = TokenList(UNIGRAM.tokenizer(Unigram(pieces, [0.0] * 6, unknown_id=0)))
    queries = [("the",), (" the",), ("▁the",), ("3",), ("x", "oth")]
    assert [tokens.find(*query) for query in queries] == [[3, 4, 1, 2], [3, 1], [3, 1], [3, 5], [2]]
    assert portrait_of(tokens).longest_words[-1] == 3  # `the` is there once
    tokens = TokenList(BYTE_BPE.tokenizer(RankBPE([*BYTES, b"\xe4\xb8"])))
    assert tokens.find("E4 B8") == [256]
    assert tokens.find("?!", data=b"\xb8") == [0xB8, 256]


@pytest.mark.parametrize(
    ("name", "size", "parts", "template"),
    [
        ("tiktoken/cl100k_base.tiktoken", 100_261, 773, ()),
        ("sentencepiece/llama2.model", 32_000, 128, ()),
        ("tokenizers/mistral01.json", 32_000, 128, ("<s>", None)),
        ("tokenizers/bert_base_cased.json", 28_996, 0, ("[CLS]", None, "[SEP]")),
        ("tokenizers/gpt2.json", 50_257, 344, ()),
    ],
)
def test_published_vocabularies(shared: Path, name: str, size: int, parts: int, template: tuple[str | None]) -> None:
    tokenizer = recognize((shared / "vocabularies" / name).read_bytes()).tokenizer
    found = portrait_of(TokenList(tokenizer))
    assert found.size == sum(found.kinds.values()) == size
    assert found.kinds.get(PART, 0) == parts
    assert pipeline_summary(tokenizer).template == template
