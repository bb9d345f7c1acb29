"""Merging by the rank of what is made: against the plain reading of it, whatever the pieces hold."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.core.models import rank_bpe
from webapp.core.models.rank_bpe import RankBPE, merge_bytes

BYTES = [bytes([byte]) for byte in range(256)]
ALPHABET = "ab研éÉ\u0301😀"


def plainly(piece: bytes, ranks: dict[bytes, int]) -> list[bytes]:
    """tiktoken's educational module: look at every pair, merge the best, again."""
    parts = [bytes([byte]) for byte in piece]
    while pairs := [
        (ranks[parts[at] + parts[at + 1]], at) for at in range(len(parts) - 1) if parts[at] + parts[at + 1] in ranks
    ]:
        _, at = min(pairs)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts


@st.composite
def some_bytes(draw: st.DrawFn) -> bytes:
    """Any stretch of a text's bytes: parts of characters too."""
    whole = draw(st.text(ALPHABET, min_size=1, max_size=4)).encode()
    start = draw(st.integers(0, len(whole) - 1))
    return whole[start : draw(st.integers(start + 1, len(whole)))]


# Pieces that no merge reaches are among them, and several ways to the same one.
pieces = st.lists(some_bytes().filter(lambda piece: len(piece) > 1), max_size=25, unique=True)


@settings(max_examples=400)
@given(extra=pieces, text=st.text(ALPHABET, max_size=40))
def test_ids_are_those_of_plain_merging(extra: list[bytes], text: str) -> None:
    model = RankBPE(BYTES + extra)
    ranks = {piece: rank for rank, piece in enumerate(model.pieces)}
    expected = [text.encode()] if text.encode() in ranks else plainly(text.encode(), ranks)
    assert [model.pieces[id] for id in model.ids(text)] == expected
    segments = model.segment(text)
    assert [id for id, _, _ in segments] == list(model.ids(text))
    assert all(text.encode()[len(text[:start].encode()) :].startswith(text[start].encode()) for _, start, _ in segments)
    if text:
        assert (segments[0][1], segments[-1][2]) == (0, len(text))


@settings(max_examples=300)
@given(extra=pieces, text=st.text(ALPHABET, max_size=30))
def test_the_heap_merges_as_the_list_does(extra: list[bytes], text: str) -> None:
    ranks = {piece: rank for rank, piece in enumerate(BYTES + extra)}
    piece = text.encode()
    expected = [ranks[part] for part in plainly(piece, ranks)]
    assert rank_bpe._merge_long(piece, ranks.get) == rank_bpe._merge_short(piece, ranks.get) == expected


def test_the_border_between_list_and_heap() -> None:
    ranks = {piece: rank for rank, piece in enumerate([*BYTES, b"ab", b"ba", b"aba", b"bab", b"abab"])}
    for length in range(rank_bpe.LONG - 2, rank_bpe.LONG + 3):
        piece = b"abaab" * length
        assert merge_bytes(piece[:length], ranks.get) == [ranks[part] for part in plainly(piece[:length], ranks)]


def test_what_a_piece_is_merged_from() -> None:
    model = RankBPE([*BYTES, b"ab", b"<s>", b"cab", b"xyz"], reserved=[257])
    assert model.merge_of(256) == (256, ord("a"), ord("b"))
    assert model.merge_of(258) == (258, ord("c"), 256)
    assert [model.merge_of(id) for id in (0, 257, 259)] == [None] * 3
    assert model.id_of(b"<s>") is None
    assert model.id_of("ab") is None
    assert list(model.ids("<s>")) == list(b"<s>")


@pytest.mark.parametrize(
    ("pieces", "reserved", "message"),
    [
        (BYTES[1:], [], r"byte '\\x00' is not in"),
        ([*BYTES, b"ab", b"ab"], [], "'ab' occurs twice"),
        ([*BYTES, b""], [], "empty"),
        (BYTES, [7], r"byte '\\x07' is not in"),
    ],
)
def test_a_vocabulary_that_contradicts_itself(pieces: list[bytes], reserved: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RankBPE(pieces, reserved=reserved)
