"""Writes figures as files: SVG with presentation attributes, and PNG with the fonts of this machine."""

from __future__ import annotations

import math
from html import escape

from webapp.rendering.pictures.cells import drawable
from webapp.rendering.pictures.figure import Figure, FigureBox, FigureDot, FigureLabel, FigurePath, Shape
from webapp.rendering.pictures.palette import Theme, look
from webapp.rendering.pictures.svg import Sheet, length

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
