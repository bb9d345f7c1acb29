"""Figures: pictures made of lines, boxes, dots and labels, such as lattices, trees and charts.

A figure is a plain record without colours. Each shape has a `kind`, one or more words that
`webapp.rendering.pictures.figure_styles` gives a look. The same record becomes

    the inline SVG of a page       template `walkthrough/_figure.html`, with the kinds as CSS classes
    an SVG file                    `figure_svg`, with presentation attributes, so that it needs no style sheet
    a PNG file                     `figure_png`, with the fonts of this machine

All lengths are CSS pixels. Text is escaped when a figure is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

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
