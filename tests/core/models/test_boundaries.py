"""Splitting a text where no piece crosses changes no id, even if pieces contain parts of characters."""

from hypothesis import given
from hypothesis import strategies as st

from webapp.core.models.bpe import BPE
from webapp.core.models.fast.boundaries import ByteBoundaries, ByteNeighbours
from webapp.core.models.merge_loop import merge

ALPHABET = "研究éé生a😀b"


@st.composite
def byte_models(draw: st.DrawFn) -> BPE:
    """Draw merges of neighbours anywhere in a text, so that pieces also begin and end inside characters."""
    pieces = [bytes([byte]) for byte in range(256)]
    merges: list[tuple[int, int]] = []
    for _ in range(draw(st.integers(0, 15))):
        text = draw(st.text(ALPHABET, min_size=1, max_size=4)).encode()
        model = BPE(pieces, merges, byte_level=True)
        symbols = merge(list(text), model.ranks, model._joined)
        if len(symbols) > 1:
            at = draw(st.integers(0, len(symbols) - 2))
            left, right = symbols[at : at + 2]
            joined = pieces[left] + pieces[right]
            if joined not in pieces:
                pieces.append(joined)
                merges.append((left, right))
    return BPE(pieces, merges, byte_level=True)


@given(model=byte_models(), text=st.text(ALPHABET, max_size=10))
def test_ids_equal_those_of_the_whole_text(model: BPE, text: str) -> None:
    whole = merge(model.symbols(text), model.ranks, model._joined)
    assert list(model.ids(text)) == whole
    spans = ByteBoundaries(ByteNeighbours.of(model.pieces)).cut(text)  # type: ignore[arg-type]
    assert "".join(spans) == text
    assert [id for span in spans for id in merge(model.symbols(span), model.ranks, model._joined)] == whole
