"""Cutting where no piece reaches across changes no id, whatever parts of characters the pieces hold."""

from hypothesis import given
from hypothesis import strategies as st

from webapp.core.models.bpe import BPE
from webapp.core.models.fast.byte_boundaries import ByteBoundaries
from webapp.core.models.merge_loop import merge

ALPHABET = "研究éé生a😀b"


@st.composite
def byte_models(draw: st.DrawFn) -> BPE:
    """Merges of neighbours anywhere in a text, so that pieces begin and end inside characters too."""
    pieces = [bytes([byte]) for byte in range(256)]
    merges: list[tuple[int, int]] = []
    for _ in range(draw(st.integers(0, 15))):
        text = draw(st.text(ALPHABET, min_size=1, max_size=4)).encode()
        model = BPE(pieces, merges, byte_level=True)
        symbols = merge(list(text), model._ranks, model._merged)
        if len(symbols) > 1:
            at = draw(st.integers(0, len(symbols) - 2))
            left, right = symbols[at : at + 2]
            joined = pieces[left] + pieces[right]
            if joined not in pieces:
                pieces.append(joined)
                merges.append((left, right))
    return BPE(pieces, merges, byte_level=True)


@given(model=byte_models(), text=st.text(ALPHABET, max_size=10))
def test_ids_are_those_of_the_whole(model: BPE, text: str) -> None:
    whole = merge(model.symbols(text), model._ranks, model._merged)
    assert list(model.ids(text)) == whole
    stretches = ByteBoundaries(model.pieces).cut(text)  # type: ignore[arg-type]
    assert "".join(stretches) == text
    assert [id for stretch in stretches for id in merge(model.symbols(stretch), model._ranks, model._merged)] == whole
