"""Figures: pictures made of lines, boxes, dots and labels, such as lattices, trees and charts.

A figure is a plain record without colours. Each shape has a `kind`, one or more words that
`static/figures.css` gives a look. The same record becomes

    the inline SVG of a page       template `walkthrough/_figure.html`, with the kinds as CSS classes
    an SVG file                    `figure_svg`, with presentation attributes, so that it needs no style sheet
    a PNG file                     `figure_png`, with the fonts of this machine

All lengths are CSS pixels. Text is escaped when a figure is written.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import ClassVar, Literal
from unicodedata import category, east_asian_width

from webapp.rendering.pictures.layout import drawable
from webapp.rendering.pictures.svg import Sheet, Theme, length, look

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
        shapes.append(_cell_label(heading, start, width, top, at_end, "quiet", HEAD))
    for number, row in enumerate(rows):
        line = top + 10 + number * ROW
        shapes.append(FigurePath(f"M0 {line:.1f}H{total:.1f}", "rule"))
        for cell, (_heading, at_end), start, width in zip(row, columns, starts, widths, strict=True):
            if isinstance(cell, str):
                shapes.append(_cell_label(_short(cell), start, width, line + 20, at_end, "", TEXT))
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


def _cell_label(text: str, start: float, width: float, y: float, at_end: bool, kind: str, size: float) -> FigureLabel:
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


# --- files

MARGIN = 16
RESOLUTION = 2.0  # of a PNG
MOST_PIXELS = 16_000_000
"""Of a PNG, which is 64 MB in memory; larger figures are drawn at a lower resolution."""
MOST_SIDE = 16_000
MOST_SHAPES = 20_000


def figure_svg(figure: Figure, *, theme: Theme = "light") -> str:
    """The figure as an SVG file that needs no style sheet, no script and no font of its own."""
    sheet = _drawn(figure, theme, 1.0, drawing=False)
    return sheet.document(*_size(figure, 1.0), drawable(figure.title))


def figure_png(figure: Figure, *, theme: Theme = "light") -> bytes:
    """The figure as a PNG file, at double resolution if it is not too large.

    Characters that no font of this machine has stay blank.
    """
    width, height = figure.width + 2 * MARGIN, figure.height + 2 * MARGIN
    scale = min(RESOLUTION, math.sqrt(MOST_PIXELS / (width * height)), MOST_SIDE / max(width, height))
    return _drawn(figure, theme, scale, drawing=True).png(*_size(figure, scale), drawable(figure.title))


def _size(figure: Figure, scale: float) -> tuple[int, int]:
    return math.floor(scale * (figure.width + 2 * MARGIN)), math.floor(scale * (figure.height + 2 * MARGIN))


def _drawn(figure: Figure, theme: Theme, scale: float, *, drawing: bool) -> Sheet:
    sheet = Sheet(theme, drawing=drawing)
    larger = "" if scale == 1 else f"scale({scale:.5f}) "
    sheet.add(f'<g transform="{larger}translate({MARGIN} {MARGIN})">')
    for shape in figure.shapes[:MOST_SHAPES]:
        if isinstance(shape, FigureLabel):
            _draw_label(sheet, shape)
        else:
            sheet.add(f"<{shape.tag} {_place(shape)}{_look(sheet, shape)}/>")
    sheet.add("</g>")
    return sheet


def _place(shape: FigurePath | FigureBox | FigureDot) -> str:
    if isinstance(shape, FigurePath):
        moved = f' transform="translate({length(shape.dx)} {length(shape.dy)})"' if shape.dx or shape.dy else ""
        return f'd="{escape(shape.path)}"{moved}'
    if isinstance(shape, FigureDot):
        return f'cx="{length(shape.x)}" cy="{length(shape.y)}" r="{length(shape.radius)}"'
    size = f'width="{length(shape.width)}" height="{length(shape.height)}" rx="{length(shape.radius)}"'
    return f'x="{length(shape.x)}" y="{length(shape.y)}" {size}'


def _look(sheet: Sheet, shape: Shape) -> str:
    found = look(shape.tag, shape.kind)
    written = f' fill="{_colour(sheet, found["fill"])}"'
    if found.get("stroke", "none") != "none":
        width = found.get("stroke-width", "1")
        written += f' stroke="{_colour(sheet, found["stroke"])}" stroke-width="{width}"'
        if dash := found.get("stroke-dasharray"):
            cap = "round" if dash[0] == "1" else "butt"
            written += f' stroke-dasharray="{dash}" stroke-linecap="{cap}"'
    return written


def _colour(sheet: Sheet, value: str) -> str:
    """A colour of a style sheet: `none`, or a variable."""
    return sheet.palette[value[6:-1]] if value.startswith("var(--") else value


def _draw_label(sheet: Sheet, label: FigureLabel) -> None:
    found = look("text", label.kind)
    anchor: str = label.anchor
    attributes = ""
    if label.direction == "rtl" and not sheet.drawing:
        # The start of right-to-left text is its right end.
        anchor = {"start": "end", "end": "start"}.get(anchor, "middle")
        attributes = ' direction="rtl" unicode-bidi="plaintext"'
    attributes += f' text-anchor="{anchor}"'
    text, mono = drawable(label.text), "font-family" in found
    if "paint-order" in found:  # twice, because office programs do not know `paint-order`
        stage = sheet.palette["stage"]
        edge = f'{attributes} stroke="{stage}" stroke-width="{found["stroke-width"][:-2]}" stroke-linejoin="round"'
        sheet.say(text, label.x, label.y, label.size, stage, mono=mono, attributes=edge)
    attributes += ' text-decoration="underline"' if "text-decoration" in found else ""
    colour = _colour(sheet, found["fill"])
    strong = "font-weight" in found
    sheet.say(text, label.x, label.y, label.size, colour, mono=mono, strong=strong, attributes=attributes)
