"""Writes figures as files: SVG with presentation attributes, and PNG with the fonts of this machine."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape

import regex

from webapp.rendering.pictures.cells import drawable
from webapp.rendering.pictures.drawing import rendered
from webapp.rendering.pictures.figure import Figure, FigureBox, FigureDot, FigureLabel, FigurePath, Shape
from webapp.rendering.pictures.figure_styles import HALO, style_of
from webapp.rendering.pictures.fonts import Face, Fonts, fonts
from webapp.rendering.pictures.palette import MONO, PALETTES, SANS, Palette, Theme
from webapp.rendering.pictures.svg import document, length, quoted

MARGIN = 16
RESOLUTION = 2.0  # of a PNG
MOST_PIXELS = 16_000_000
"""Of a PNG, which is 64 MB in memory; larger figures are drawn at a lower resolution."""
MOST_SIDE = 16_000
MOST_SHAPES = 20_000


def figure_svg(figure: Figure, *, theme: Theme = "light") -> str:
    """The figure as an SVG file that needs no style sheet, no script and no font of its own."""
    return _FigureWriter(figure, theme, drawing=False).document()


def figure_png(figure: Figure, *, theme: Theme = "light") -> bytes:
    """The figure as a PNG file, at double resolution if it is not too large.

    Characters that no font of this machine has stay blank.
    """
    width, height = figure.width + 2 * MARGIN, figure.height + 2 * MARGIN
    scale = min(RESOLUTION, math.sqrt(MOST_PIXELS / (width * height)), MOST_SIDE / max(width, height))
    writer = _FigureWriter(figure, theme, drawing=True)
    source = writer.document(scale)
    return rendered(source, writer.used)


class _FigureWriter:
    def __init__(self, figure: Figure, theme: Theme, *, drawing: bool) -> None:
        self.figure = figure
        self.palette: Palette = PALETTES[theme]
        self.drawing = drawing
        self.known: Fonts = fonts()
        self.used: list[Face] = []

    def document(self, scale: float = 1.0) -> str:
        """The complete file."""
        figure = self.figure
        shapes = "".join(part for shape in figure.shapes[:MOST_SHAPES] for part in self._shape(shape))
        larger = "" if scale == 1 else f"scale({scale:.5f}) "
        body = f'<g transform="{larger}translate({MARGIN} {MARGIN})">{shapes}</g>'
        return document(
            body,
            math.floor(scale * (figure.width + 2 * MARGIN)),
            math.floor(scale * (figure.height + 2 * MARGIN)),
            title=drawable(figure.title),
            background=self.palette.stage,
        )

    def _shape(self, shape: Shape) -> Iterator[str]:
        if isinstance(shape, FigureLabel):
            yield from self._label(shape)
            return
        look = self._look(shape)
        if isinstance(shape, FigurePath):
            moved = f' transform="translate({length(shape.dx)} {length(shape.dy)})"' if shape.dx or shape.dy else ""
            yield f'<path d="{escape(shape.path)}"{moved}{look}/>'
        elif isinstance(shape, FigureBox):
            place = f'x="{length(shape.x)}" y="{length(shape.y)}"'
            size = f'width="{length(shape.width)}" height="{length(shape.height)}" rx="{length(shape.radius)}"'
            yield f"<rect {place} {size}{look}/>"
        elif isinstance(shape, FigureDot):
            yield f'<circle cx="{length(shape.x)}" cy="{length(shape.y)}" r="{length(shape.radius)}"{look}/>'

    def _look(self, shape: Shape) -> str:
        style = style_of(shape.tag, shape.kind)
        found = f' fill="{self._colour(style.fill)}"'
        if style.stroke and style.stroke != "none":
            found += f' stroke="{self._colour(style.stroke)}" stroke-width="{length(style.width or 1)}"'
            if style.dash:
                found += (
                    f' stroke-dasharray="{style.dash}" stroke-linecap="{"round" if style.dash[0] == "1" else "butt"}"'
                )
        return found

    def _label(self, label: FigureLabel) -> Iterator[str]:
        style = style_of("text", label.kind)
        text = drawable(label.text)
        if self.drawing:
            text = "".join(cluster for cluster in regex.findall(r"\X", text) if self.known.face_for(cluster))
        if not text.strip():
            return
        attributes = f'x="{length(label.x)}" y="{length(label.y)}" font-size="{length(label.size)}"'
        attributes += f' text-anchor="{self._anchor(label)}" font-family="{self._family(text, mono=bool(style.mono))}"'
        if style.weight and not self.drawing:
            attributes += f' font-weight="{style.weight}"'
        if label.direction == "rtl" and not self.drawing:
            attributes += ' direction="rtl" unicode-bidi="plaintext"'
        body = f">{escape(text, quote=False)}</text>"
        colour = self._colour(style.fill)
        if style.halo:
            # Twice, because office programs do not know `paint-order`.
            stage = self.palette.stage
            edge = f' fill="{stage}" stroke="{stage}" stroke-width="{HALO}" stroke-linejoin="round"'
            yield f"<text {attributes}{edge}{body}"
        more = ' text-decoration="underline"' if style.underline else ""
        if style.weight and self.drawing:
            # The measured faces are regular: a thin outline stands for the bold face.
            more += f' stroke="{colour}" stroke-width="{length(label.size / 32)}"'
        yield f'<text {attributes} fill="{colour}"{more}{body}'

    def _anchor(self, label: FigureLabel) -> str:
        """The anchor in a file, where the start of right-to-left text is its right end."""
        if label.direction == "ltr" or self.drawing:
            return label.anchor
        return {"start": "end", "end": "start"}.get(label.anchor, "middle")

    def _family(self, text: str, *, mono: bool) -> str:
        """The measured fonts of a label, then those of the page."""
        faces = [self.known.mono] if mono and self.known.mono and self.known.mono.covers(text) else []
        if not faces:
            faces = [face for cluster in regex.findall(r"\X", text) if (face := self.known.face_for(cluster))]
        self.used += faces
        names = dict.fromkeys(f"'{quoted(face.family)}'" for face in faces if face)
        if self.drawing:
            return ", ".join(names)
        return f"{', '.join(names)}, {MONO if mono else SANS}" if names else MONO if mono else SANS

    def _colour(self, name: str | None) -> str:
        return self.palette.colour(name) if name and name != "none" else "none"
