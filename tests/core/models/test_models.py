"""BPE on random vocabularies, against `tokenizers`; the other models are compared in `test_long_pieces`."""

import time
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tokenizers import models

from webapp.core.models.bpe import BPE, Merge
from webapp.core.models.merge_loop import merge, pack
from webapp.core.models.rank_bpe import RankBPE

words = st.text("abcé研", max_size=12)
BYTES = [bytes([byte]) for byte in range(256)]


def theirs(model: Any, text: str) -> list[tuple[int, int, int]]:
    return [(token.id, *token.offsets) for token in model.tokenize(text)] if text else []


def in_characters(text: str, segments: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Convert the byte offsets of the bare models of `tokenizers` to characters."""
    at = {len(text[:end].encode()): end for end in range(len(text) + 1)}
    return [(id, at[start], at[end]) for id, start, end in segments]


@st.composite
def merge_lists(draw: st.DrawFn) -> tuple[list[str], list[tuple[int, int]]]:
    """Draw a vocabulary over a few letters and merges in any order, each of pieces that already exist."""
    vocabulary = list("abcé")
    merges: list[tuple[int, int]] = []
    for _ in range(draw(st.integers(0, 12))):
        pair = draw(st.tuples(*[st.integers(0, len(vocabulary) - 1)] * 2))
        joined = vocabulary[pair[0]] + vocabulary[pair[1]]
        if joined not in vocabulary and len(joined) < 9:
            vocabulary.append(joined)
            merges.append(pair)
    return vocabulary, draw(st.permutations(merges))


@given(made=merge_lists(), text=words)
def test_bpe_equals_tokenizers(made: tuple[list[str], list[tuple[int, int]]], text: str) -> None:
    vocabulary, merges = made
    vocabulary = [*vocabulary, "<unk>"]
    model = BPE(vocabulary, merges, byte_level=False, unknown="<unk>")
    rival = models.BPE(
        vocab={piece: id for id, piece in enumerate(vocabulary)},
        merges=[(vocabulary[left], vocabulary[right]) for left, right in merges],
        unk_token="<unk>",
    )
    assert list(model.segment(text)) == in_characters(text, theirs(rival, text))


@given(text=st.text(st.characters(exclude_categories=("Cs",)), max_size=8))
def test_offsets_of_byte_tokens_are_whole_characters(text: str) -> None:
    segments = BPE(BYTES, [], byte_level=True).segment(text)
    expected = [(byte, at, at + 1) for at, character in enumerate(text) for byte in character.encode()]
    assert list(segments) == expected


def test_an_empty_piece_is_no_end_of_word_suffix() -> None:
    model = BPE(["a", "b", "ab", ""], [(0, 1)], byte_level=False)
    assert model.segment("aba") == ((2, 0, 2), (0, 2, 3))


def test_end_of_word_as_a_separate_symbol_and_attached() -> None:
    apart = BPE(["a", "b", "</w>"], [], byte_level=False, end_of_word_suffix="</w>")
    assert list(apart.segment("ab")) == [(0, 0, 1), (1, 1, 2), (2, 1, 2)]
    glued = BPE(["a", "b</w>", "ab</w>"], [(0, 1)], byte_level=False, end_of_word_suffix="</w>")
    assert list(glued.segment("ab")) == [(2, 0, 2)]
    assert glued.merge_of(2) == Merge(rank=0, left=0, right=1)
    assert glued.merge_of(0) is None


def test_a_long_run_of_one_letter_takes_a_moment() -> None:
    ranks = {pack(at, at): at for at in range(20)}
    began = time.process_time()
    assert len(merge([0] * 200_000, ranks, {pair: at + 1 for pair, at in ranks.items()})) == 6
    assert time.process_time() - began < 6  # about 0.3 s


def test_the_parts_a_piece_of_ranks_is_merged_from() -> None:
    model = RankBPE([*BYTES, b"ab", b"<s>", b"cab", b"xyz"], reserved=[257])
    assert model.merge_of(256) == (256, ord("a"), ord("b"))
    assert model.merge_of(258) == (258, ord("c"), 256)
    assert [model.merge_of(id) for id in (0, 257, 259)] == [None] * 3
    assert model.id_of(b"<s>") is model.id_of("ab") is None
    assert list(model.ids("<s>")) == list(b"<s>")
