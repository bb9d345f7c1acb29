"""BPE by rank: which merge produces a piece, and vocabularies that are refused."""

import pytest

from webapp.core.models.rank_bpe import RankBPE

BYTES = [bytes([byte]) for byte in range(256)]


def test_the_parts_a_piece_is_merged_from() -> None:
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
def test_a_contradictory_vocabulary_is_refused(pieces: list[bytes], reserved: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RankBPE(pieces, reserved=reserved)
