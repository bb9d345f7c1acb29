"""Pieces are compared by what they stand for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.analysis.token_list import TokenList
from webapp.core.analysis.vocabulary_difference import GROUPS, VocabularyDifference, difference_of
from webapp.core.models.bpe import BPE
from webapp.core.models.scored_pieces import NAMED_BYTES
from webapp.core.models.wordpiece import WordPiece
from webapp.core.recipes import BYTE_BPE, CHARACTER_BPE, WORDPIECE, sentencepiece_tokenizer
from webapp.core.tokenizer import Tokenizer

BYTES = [bytes([byte]) for byte in range(256)]


def marked(*pieces: str) -> Tokenizer:
    return sentencepiece_tokenizer(["<unk>", *pieces], [0.0] * (len(pieces) + 1), algorithm="unigram")


def bert(*pieces: str) -> Tokenizer:
    return WORDPIECE.tokenizer(WordPiece(["[UNK]", *pieces]))


def byte_level(*pieces: bytes) -> Tokenizer:
    """Pieces that no merge makes; only their bytes matter here."""
    return Tokenizer(BPE([*BYTES, *pieces], [], byte_level=True), decoder=BYTE_BPE.decoder)


def suffixed(*pieces: str) -> Tokenizer:
    return CHARACTER_BPE.tokenizer(BPE(pieces, [], byte_level=False, end_of_word_suffix="</w>"))


def compared(first: Tokenizer, second: Tokenizer) -> VocabularyDifference:
    return difference_of((TokenList(first), first), (TokenList(second), second))


def both(first: Tokenizer, second: Tokenizer) -> set[tuple[str, str]]:
    """The spellings of the pieces that both have."""
    found = compared(first, second)
    pairs = [*found.groups["moved"], *found.groups["same"]]
    return {(TokenList(first).written[a or 0], TokenList(second).written[b or 0]) for a, b in pairs}


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (byte_level(b" the", b"ing"), marked("▁the", "▁ing"), {(" the", "▁the")}),
        (bert("the", "##ing", "ing"), marked("▁the", "ing"), {("the", "▁the"), ("##ing", "ing")}),
        (bert("the", "##ing"), byte_level(b" the", b"ing"), {("the", " the"), ("##ing", "ing")}),
        (bert("研", "!"), marked("研", "!", "▁研"), {("研", "研"), ("!", "!")}),
        (suffixed("the</w>", "in"), marked("the", "▁the", "in"), {("in", "in")}),
        (suffixed("the</w>"), byte_level(b"the "), {("the</w>", "the ")}),
        (marked("▁▁", "▁"), byte_level(b"  "), {("▁▁", "  "), ("▁", " ")}),
    ],
)
def test_spellings_of_the_same_piece(first: Tokenizer, second: Tokenizer, same: set[tuple[str, str]]) -> None:
    assert both(first, second) == same
    assert both(second, first) == {(b, a) for a, b in same}


def test_parts_of_characters_special_tokens_and_the_order_of_ids() -> None:
    first, pieces = byte_level(b"\xe4\xb8"), ["<unk>", "<s>", *NAMED_BYTES, "A"]
    second = sentencepiece_tokenizer(pieces, [0.0] * 259, algorithm="unigram", special_tokens={"<s>": 1})
    assert {("E4", "<0xE4>"), ("A", "A")} <= both(first, second)  # "A" is not the name of the byte
    assert [TokenList(first).written[a or 0] for a, _ in compared(first, second).groups["a"]] == ["E4 B8"]
    assert ("<s>", "<s>") not in both(second, bert("<s>"))  # text there
    found = compared(marked("a", "b", "c", "d"), marked("b", "x", "c", "a"))
    assert found.groups == {"a": [(4, None)], "b": [(None, 2)], "moved": [(1, 4), (2, 1)], "same": [(3, 3), (0, 0)]}


pieces = st.lists(st.text("ab▁研!", min_size=1, max_size=3), max_size=8, unique=True)


@given(first=pieces, second=pieces)
def test_every_piece_is_in_one_group(first: list[str], second: list[str]) -> None:
    found = compared(marked(*first), marked(*second))
    for side, size in ((0, len(first) + 1), (1, len(second) + 1)):
        ids = [pair[side] for group in GROUPS for pair in found.groups[group] if pair[side] is not None]
        assert sorted(ids) == list(range(size))  # type: ignore[type-var]
    assert len(found.groups["a"]) == len(set(first) - set(second))
    assert len(found.groups["b"]) == len(set(second) - set(first))
