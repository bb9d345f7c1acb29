"""BPE by the rank or the score of pieces equals the reference, whatever the pieces contain."""

from hypothesis import given
from hypothesis import strategies as st

from webapp.core.models.merge_loop import LONG
from webapp.core.models.rank_bpe import RankBPE, merge_bytes
from webapp.core.models.scored_pieces import PieceKind, ScoredPieces
from webapp.core.models.sentencepiece_models import ScoredBPE
from webapp.core.reference import scored_bpe as reference

BYTES = [bytes([byte]) for byte in range(256)]
ALPHABET = "ab研éÉ\u0301😀"


@st.composite
def some_bytes(draw: st.DrawFn) -> bytes:
    """Draw any slice of a text's bytes; it may begin and end inside a character."""
    whole = draw(st.text(ALPHABET, min_size=1, max_size=4)).encode()
    start = draw(st.integers(0, len(whole) - 1))
    return whole[start : draw(st.integers(start + 1, len(whole)))]


# Some of these are reached by no merge, others by several.
pieces = st.lists(some_bytes().filter(lambda piece: len(piece) > 1), max_size=25, unique=True)


def ranked(extra: list[bytes]) -> dict[bytes, int]:
    return {piece: rank for rank, piece in enumerate(BYTES + extra)}


def merged(piece: bytes, ranks: dict[bytes, int]) -> list[int]:
    scores = {piece: -rank for piece, rank in ranks.items()}
    return [ranks[part] for part in reference.merge_best([BYTES[byte] for byte in piece], scores)]


@given(extra=pieces, text=st.text(ALPHABET, max_size=40))
def test_models_by_rank_encode_as_the_reference(extra: list[bytes], text: str) -> None:
    model = RankBPE(BYTES + extra)
    assert list(model.ids(text)) == reference.encode_by_rank(text, ranked(extra)) or not text
    segments = model.segment(text)
    assert [id for id, _, _ in segments] == list(model.ids(text))
    assert all(text.encode()[len(text[:start].encode()) :].startswith(text[start].encode()) for _, start, _ in segments)
    if text:
        assert (segments[0][1], segments[-1][2]) == (0, len(text))


@given(extra=pieces, text=st.text(ALPHABET, max_size=30), times=st.sampled_from([1, 1, 10]))
def test_the_list_and_the_heap_equal_the_reference(extra: list[bytes], text: str, times: int) -> None:
    ranks = ranked(extra)
    piece = text.encode() * times
    assert merge_bytes(piece, ranks.get) == merged(piece, ranks)


BYTE_PIECES = [f"<0x{byte:02X}>" for byte in range(256)]


@given(
    found=st.lists(
        st.one_of(st.text("ab", min_size=1, max_size=3), st.text("abcé▁", min_size=1, max_size=5)),
        max_size=16,
        unique=True,
    ),
    data=st.data(),
    text=st.one_of(st.text("ab", max_size=30), st.text("abcé▁ñ☃", max_size=30)),
    times=st.sampled_from([1, 1, 1, LONG // 20]),
)
def test_models_by_score_encode_as_the_reference(found: list[str], data: st.DataObject, text: str, times: int) -> None:
    scores = [data.draw(st.sampled_from([-1.0, -2.0, -3.0, 0.0])) for _ in found]  # many of them equal
    kinds = [PieceKind.UNKNOWN, *[PieceKind.NORMAL] * len(found), *[PieceKind.BYTE] * 256]
    vocabulary = ScoredPieces(
        ["<unk>", *found, *BYTE_PIECES],
        [0.0, *scores, *[0.0] * 256],
        kinds,
        byte_ids=range(1 + len(found), 1 + len(found) + 256),
    )
    model = ScoredBPE(vocabulary)
    expected = reference.encode_by_score(text * times, dict(zip(found, scores, strict=True)))
    assert [model.pieces[id] for id in model.ids(text * times)] == expected
