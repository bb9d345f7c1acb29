"""All rounds of a training as one table: the same rows for the page, for CSV and for the clipboard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from webapp.pages.training.rows import WordSymbol
from webapp.pages.walkthrough.walkthrough import Walkthrough

RoundCell = int | float | str | Sequence[WordSymbol] | None
"""A figure, a text, or pieces; None for a figure that a round does not have."""


@dataclass(frozen=True)
class RoundColumn:
    """A column: `digits` is the number of decimals of its figures, None if it holds text or pieces.

    `wide` marks a column that takes the width that is left.
    """

    title: str
    digits: int | None = None
    wide: bool = False

    @property
    def is_figures(self) -> bool:
        """Whether the column holds figures, which are aligned at the end."""
        return self.digits is not None


@dataclass(frozen=True)
class RoundRow:
    """A row; `step` is the step of the walkthrough that shows the round."""

    step: int
    cells: Sequence[RoundCell]


@dataclass(frozen=True)
class RoundsTable:
    """The rounds in order; `sentence` sums the training up, `title` is the table's heading."""

    title: str
    sentence: str
    columns: Sequence[RoundColumn]
    rows: Sequence[RoundRow]

    def lines(self) -> list[list[object]]:
        """The header and the rows as plain values, for CSV and the clipboard."""
        head: list[object] = [column.title for column in self.columns]
        body = (
            [_plain(cell, column) for cell, column in zip(row.cells, self.columns, strict=True)] for row in self.rows
        )
        return [head, *body]


class TrainingWalkthrough(Walkthrough, Protocol):
    """A walkthrough of a training, which can show all its rounds at once."""

    def rounds_table(self) -> RoundsTable:
        """All rounds."""


def _plain(cell: RoundCell, column: RoundColumn) -> object:
    if isinstance(cell, float):
        return f"{cell:.{column.digits or 0}f}"
    if cell is None or isinstance(cell, int | str):
        return cell
    return " ".join(symbol.text for symbol in cell)
