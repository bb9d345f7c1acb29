"""Tables as figures: rows of texts and pieces, for pictures of what a page shows as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from unicodedata import category, east_asian_width

from webapp.rendering.pictures.figure import Figure, FigureBox, FigureLabel, FigurePath, Shape

TEXT, HEAD, ROW, GAP = 14.0, 12.0, 30.0, 22.0
LONGEST = 60  # characters of a cell of text


@dataclass(frozen=True)
class FigurePiece:
    """A piece in a frame; `chosen` for the subject of a round."""

    text: str
    chosen: bool = False


@dataclass(frozen=True)
class FigureColumn:
    """A column with its heading; figures are aligned at the end."""

    title: str
    is_figures: bool = False


FigureCell = str | Sequence[FigurePiece]


def table_figure(
    name: str, title: str, columns: Sequence[FigureColumn], rows: Sequence[Sequence[FigureCell]]
) -> Figure:
    """The table with its title above the head; rows are as wide as their widest cells.

    >>> figure = table_figure("rounds", "All", [FigureColumn("Pair"), FigureColumn("Count", True)], [["a b", "3"]])
    >>> [shape.text for shape in figure.shapes if shape.tag == "text"]
    ['All', 'Pair', 'Count', 'a b', '3']
    """
    widths = [
        max([width_of(column.title, HEAD), *(_cell_width(row[at]) for row in rows)])
        for at, column in enumerate(columns)
    ]
    total = max(sum(widths) + GAP * (len(widths) - 1), width_of(title, 15))
    shapes: list[Shape] = [FigureLabel(0, 14, title, "strong", 15, "start")] if title else []
    top = 44.0 if title else 16.0
    starts = [sum(widths[:at]) + GAP * at for at in range(len(widths))]
    for column, start, width in zip(columns, starts, widths, strict=True):
        shapes.append(_label(column.title, start, width, top, column.is_figures, "quiet", HEAD))
    for number, row in enumerate(rows):
        line = top + 10 + number * ROW
        shapes.append(FigurePath(f"M0 {line:.1f}H{total:.1f}", "rule"))
        for cell, column, start, width in zip(row, columns, starts, widths, strict=True):
            if isinstance(cell, str):
                shapes.append(_label(_short(cell), start, width, line + 20, column.is_figures, "", TEXT))
            else:
                shapes += _pieces(cell, start, line + 4)
    return Figure(name, total, top + 10 + len(rows) * ROW, tuple(shapes), title=title)


def width_of(text: str, size: float) -> float:
    """The approximate width of a text, for placing labels; it does not depend on the font.

    >>> round(width_of("ab研", 10), 1)
    21.6
    """
    return sum(
        0.0 if category(character) in ("Mn", "Me") else size if east_asian_width(character) in "WF" else 0.58 * size
        for character in text
    )


def _cell_width(cell: FigureCell) -> float:
    if isinstance(cell, str):
        return width_of(_short(cell), TEXT)
    return sum(_piece_width(piece) + 3 for piece in cell)


def _piece_width(piece: FigurePiece) -> float:
    return width_of(piece.text, TEXT) + 10


def _label(text: str, start: float, width: float, y: float, at_end: bool, kind: str, size: float) -> FigureLabel:
    return FigureLabel(start + width if at_end else start, y, text, kind, size, "end" if at_end else "start")


def _pieces(pieces: Sequence[FigurePiece], start: float, top: float) -> list[Shape]:
    shapes: list[Shape] = []
    for piece in pieces:
        width = _piece_width(piece)
        shapes.append(FigureBox(start, top, width, 22, "hit" if piece.chosen else "rank", 4))
        shapes.append(FigureLabel(start + width / 2, top + 16, piece.text, "", TEXT))
        start += width + 3
    return shapes


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
