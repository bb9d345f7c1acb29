"""Converts aligned columns to the columns of a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webapp.rendering.pictures import PictureCell, PictureColumn, drawable
from webapp.tokenization.comparison.aligned_spans import AlignedCell, AlignedSpan
from webapp.tokenization.comparison.joins import direction_of, is_joined
from webapp.tokenization.comparison.tints import TINTS, first_tints

_JOINER = "\u200d"


def picture_columns(text: str, columns: Sequence[AlignedSpan], *, show: bool) -> Iterator[PictureColumn]:
    """Yield the columns with the tints that they have on the page."""
    for column, firsts in zip(columns, first_tints(columns), strict=True):
        rows = [_row(text, cells, tint, show=show) for cells, tint in zip(column.rows, firsts, strict=True)]
        direction = direction_of(text[column.start : column.end])
        yield PictureColumn(rows, column.ways, column.ends_line, direction)


def _row(text: str, cells: Sequence[AlignedCell], tint: int, *, show: bool) -> list[PictureCell]:
    found = []
    for cell in cells:
        before, own, after = text[cell.start : cell.first], text[cell.first : cell.last], text[cell.last : cell.end]
        if before.strip("\n"):
            found.append(PictureCell(None, drawable(before.replace("\n", ""), show)))
        if own:
            mark = "" if show else "↵" * own.count("\n")
            shown = drawable(own, show).replace("\n", "")
            if cell is cells[-1] and is_joined(text, cell.end):
                shown += _JOINER  # the letter keeps its shape at the edge of its column
            found.append(PictureCell(tint - 1, shown, "", mark, cell.unknown, cell.special, cell.shared))
            tint = tint % TINTS + 1
        if after.strip("\n"):
            found.append(PictureCell(None, drawable(after.replace("\n", ""), show)))
    return found
