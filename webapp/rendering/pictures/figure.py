"""Figures: pictures made of lines, boxes, dots and labels, such as lattices, trees and charts.

A figure is a plain record without colours. Each shape has a `kind`, one or more words that
`static/figures.css` gives a look. The same record becomes

    the inline SVG of a page       template `walkthrough/_figure.html`, with the kinds as CSS classes
    an SVG file                    `figure_svg`, with presentation attributes, so that it needs no style sheet
    a PNG file                     `figure_png`, with the fonts of this machine

All lengths are CSS pixels. Text is escaped when a figure is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal
from unicodedata import category, east_asian_width

Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True)
class FigurePath:
    """A line; `path` is the `d` of an SVG path, with absolute coordinates. `title` is its tooltip on the page."""

    path: str
    kind: str = ""
    title: str = ""
    dx: float = 0.0
    dy: float = 0.0
    tag: ClassVar = "path"


@dataclass(frozen=True)
class FigureBox:
    """A rectangle with rounded corners."""

    x: float
    y: float
    width: float
    height: float
    kind: str = ""
    radius: float = 3.0
    tag: ClassVar = "rect"


@dataclass(frozen=True)
class FigureDot:
    """A circle around (`x`, `y`)."""

    x: float
    y: float
    radius: float
    kind: str = ""
    tag: ClassVar = "circle"


@dataclass(frozen=True)
class FigureLabel:
    """A line of text; `y` is its baseline, `x` its start, middle or end. `direction` is that of the text itself."""

    x: float
    y: float
    text: str
    kind: str = ""
    size: float = 13.0
    anchor: Anchor = "middle"
    direction: str = "ltr"
    tag: ClassVar = "text"


Shape = FigurePath | FigureBox | FigureDot | FigureLabel


@dataclass(frozen=True)
class Figure:
    """A picture: `shapes` in the order of drawing, on a ground of `width` × `height`.

    `name` is its kind for file names (`lattice`), `title` its text alternative, `focus` the x that a narrow screen
    scrolls to.
    """

    name: str
    width: float
    height: float
    shapes: Sequence[Shape] = field(default_factory=tuple)
    title: str = ""
    focus: float = 0.0


def side_by_side(figures: Sequence[Figure], *, width: float, gap: float = 28.0) -> Figure:
    """Several figures as one: in rows of at most `width`, unless one of them is wider.

    >>> both = side_by_side([Figure("tree", 60, 20), Figure("tree", 50, 30)], width=100, gap=10)
    >>> both.width, both.height
    (60.0, 60.0)
    """
    if len(figures) == 1:
        return figures[0]
    shapes: list[Shape] = []
    x = y = row_height = taken = 0.0
    for figure in figures:
        if x and x + figure.width > width:
            x, y, row_height = 0.0, y + row_height + gap, 0.0
        shapes += [_moved(shape, x, y) for shape in figure.shapes]
        taken = max(taken, x + figure.width)
        x += figure.width + gap
        row_height = max(row_height, figure.height)
    name = figures[0].name if figures else ""
    return Figure(name, taken, y + row_height, tuple(shapes), title=figures[0].title if figures else "")


def _moved(shape: Shape, dx: float, dy: float) -> Shape:
    if isinstance(shape, FigurePath):
        return replace(shape, dx=shape.dx + dx, dy=shape.dy + dy)
    return replace(shape, x=shape.x + dx, y=shape.y + dy)


TEXT, HEAD, ROW, GAP = 14.0, 12.0, 30.0, 22.0
LONGEST = 60  # characters of a cell of text


@dataclass(frozen=True)
class Symbol:
    """A piece or a symbol of a word, in a frame; `now` for the subject of a step."""

    text: str
    now: bool = False


FigureCell = str | Sequence[Symbol]


def table_figure(
    name: str, title: str, columns: Sequence[tuple[str, bool]], rows: Sequence[Sequence[FigureCell]]
) -> Figure:
    """The table with its title above the head; rows are as wide as their widest cells.

    A column has a title, and is aligned at its end if it holds figures.

    >>> figure = table_figure("rounds", "All", [("Pair", False), ("Count", True)], [["a b", "3"]])
    >>> [shape.text for shape in figure.shapes if shape.tag == "text"]
    ['All', 'Pair', 'Count', 'a b', '3']
    """
    widths = [
        max([width_of(heading, HEAD), *(_cell_width(row[at]) for row in rows)])
        for at, (heading, _at_end) in enumerate(columns)
    ]
    total = max(sum(widths) + GAP * (len(widths) - 1), width_of(title, 15))
    shapes: list[Shape] = [FigureLabel(0, 14, title, "strong", 15, "start")] if title else []
    top = 44.0 if title else 16.0
    starts = [sum(widths[:at]) + GAP * at for at in range(len(widths))]
    for (heading, at_end), start, width in zip(columns, starts, widths, strict=True):
        shapes.append(_label(heading, start, width, top, at_end, "quiet", HEAD))
    for number, row in enumerate(rows):
        line = top + 10 + number * ROW
        shapes.append(FigurePath(f"M0 {line:.1f}H{total:.1f}", "rule"))
        for cell, (_heading, at_end), start, width in zip(row, columns, starts, widths, strict=True):
            if isinstance(cell, str):
                shapes.append(_label(_short(cell), start, width, line + 20, at_end, "", TEXT))
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


def _piece_width(piece: Symbol) -> float:
    return width_of(piece.text, TEXT) + 10


def _label(text: str, start: float, width: float, y: float, at_end: bool, kind: str, size: float) -> FigureLabel:
    return FigureLabel(start + width if at_end else start, y, text, kind, size, "end" if at_end else "start")


def _pieces(pieces: Sequence[Symbol], start: float, top: float) -> list[Shape]:
    shapes: list[Shape] = []
    for piece in pieces:
        width = _piece_width(piece)
        shapes.append(FigureBox(start, top, width, 22, "hit" if piece.now else "rank", 4))
        shapes.append(FigureLabel(start + width / 2, top + 16, piece.text, "", TEXT))
        start += width + 3
    return shapes


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
