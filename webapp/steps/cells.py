"""A text in cells, one for each stretch that a step tells apart."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.markup import shown_piece, visible
from webapp.results.result import Result


@dataclass(frozen=True)
class Cell:
    """A stretch of text: `kinds` are CSS classes, `id` the token's where it is one already, `label` what it is called.

    Kinds: `done` for a token, `unknown` for one out of vocabulary, `special` for a special one, `now` for what this
    step is about, `rest` for what is not looked at yet, `differs` for what somebody else does otherwise.
    """

    text: str
    kinds: str
    id: int | None = None
    label: str = ""


def cell(text: str, *kinds: str, id: int | None = None) -> Cell:
    """A stretch of a text, with its spaces to be seen."""
    return Cell(visible(text, show=True).replace("\n", ""), " ".join(kind for kind in kinds if kind), id)


def final_cells(result: Result) -> list[Cell]:
    """All tokens of a result, with their ids."""
    encoding = result.encoding
    cells = []
    for index, id in enumerate(encoding.ids):
        kind = "unknown" if index in encoding.unknown else "special" if index in encoding.special else ""
        kinds = f"done {kind}".rstrip()
        cells.append(Cell(shown_piece(encoding.piece(index)), kinds, id))
    return cells
