"""Writes a layout as SVG: boxes, hairlines and selectable text, without external resources.

Each run of text names its measured font, then the fonts of the page, and has its width (`textLength`), so that it fits
its boxes with any font.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from html import escape
from unicodedata import mirrored

from bidi.mirror import MIRRORED

from webapp.rendering.pictures.layout import LABEL, MARK, Box, Layout, PictureLine, Run
from webapp.rendering.pictures.palette import MONO, SANS, Palette

LEADING = 1.7  # from line to line, in em
_BASELINE = 1.13  # of a line, from its top
_TOP, _HEIGHT = 0.14, 1.42  # of a box, from the top of its line
_RADIUS = 0.24  # of its corners, in em

NAMESPACE = "http://www.w3.org/2000/svg"


class Writer:
    """Writes lines in one size and one palette.

    `drawing` adapts the SVG to the site's own renderer, which has the measured fonts. It gets no widths, because it
    would stretch letters that Indic scripts reorder; no directions, which it does not support; and no characters
    without a font, for which it would draw boxes.
    """

    def __init__(self, palette: Palette, size: float, *, drawing: bool = False) -> None:
        self.palette = palette
        self.size = size
        self.drawing = drawing
        self.family = SANS  # the default font of runs

    @staticmethod
    def common_family(layout: Layout) -> str:
        """The font list for the most common face of a layout, to set once for the whole file."""
        faces = Counter(run.face.family for line in layout.lines for run in line.runs if run.face)
        return f"'{quoted(faces.most_common(1)[0][0])}', {SANS}" if faces else SANS

    def lines(self, layout: Layout, left: float, top: float) -> str:
        """The SVG of all lines of a layout, from (`left`, `top`) in pixels."""
        places = [(line, left, top + number * LEADING * self.size) for number, line in enumerate(layout.lines)]
        return self.placed(places, self.common_family(layout))

    def placed(self, places: Iterable[tuple[PictureLine, float, float]], family: str) -> str:
        """The SVG of lines, each with its left and its top, in a group with the font list `family`."""
        self.family = family
        parts = [f'<g font-family="{family}">']
        for line, left, top in places:
            parts += self._line(line, left, top)
        return "".join([*parts, "</g>"])

    def text(self, text: str, x: float, y: float, size: float, colour: str, extra: str = "") -> str:
        """A line of text in the page's fonts, with its baseline at `y`."""
        attributes = f'x="{_n(x)}" y="{_n(y)}" font-size="{_n(size)}" fill="{colour}"{extra and " " + extra}'
        return f"<text {attributes}>{escape(text, quote=False)}</text>"

    def _line(self, line: PictureLine, left: float, top: float) -> Iterator[str]:
        for box in line.boxes:
            yield from self._box(box, left, top)
        for run in line.runs:
            if run.role == "missing" and self.drawing:
                continue
            yield self._run(run, left, top)

    def _box(self, box: Box, left: float, top: float) -> Iterator[str]:
        palette, em = self.palette, self.size
        assert box.cell.index is not None
        x, y = left + box.x * em, top + _TOP * em
        width, height = box.width * em, _HEIGHT * em
        tint = palette.tints[box.cell.index % len(palette.tints)]
        frame = f'x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"'
        radius = f'rx="{_n(min(_RADIUS * em, width / 2))}"'
        yield f'<rect {frame} {radius} fill="{tint}"/>'
        hairline = max(1.0, em / 24)
        if box.cell.label or box.cell.split:
            dots = f'stroke="{palette.ink}" stroke-width="{_n(1.5 * hairline)}" stroke-dasharray="{_n(1.5 * hairline)}"'
            yield f'<path d="M{_n(x)} {_n(y + height - hairline)}h{_n(width)}" {dots}/>'
        if box.cell.special:
            inner = (
                f'x="{_n(x + 0.75)}" y="{_n(y + 0.75)}" width="{_n(max(width - 1.5, 0))}" height="{_n(height - 1.5)}"'
            )
            yield f'<rect {inner} {radius} fill="none" stroke="{palette.ink}" stroke-width="1.5"/>'
        if box.cell.unknown:
            stroke = f'fill="none" stroke="{palette.bad}" stroke-width="{_n(hairline)}"'
            yield f'<path d="{self._wave(x, y + height - 0.12 * em, width)}" {stroke}/>'

    def _wave(self, x: float, y: float, width: float) -> str:
        step = 0.14 * self.size
        arcs = max(1, round(width / step))
        step = width / arcs
        return f"M{_n(x)} {_n(y)}q{_n(step / 2)} {_n(-step)} {_n(step)} 0" + f"t{_n(step)} 0" * (arcs - 1)

    def _run(self, run: Run, left: float, top: float) -> str:
        em, palette = self.size, self.palette
        x, y = left + run.x * em, top + _BASELINE * em
        size, colour, family, width = em, palette.ink, SANS, run.width * em
        if run.role in ("label", "mark"):
            share = LABEL if run.role == "label" else MARK
            size, colour = em * share, palette.ink if run.role == "label" else palette.quiet
            family = MONO if run.role == "label" else SANS
            pad = 0.12 * em
            x, y, width = x + pad, y - (0.1 * em if run.role == "label" else 0), max(width - 2 * pad, 0)
        if run.face:
            family = f"'{quoted(run.face.family)}', {family}"
        named = f' font-family="{family}"' if family != self.family else ""
        text, direction = run.text, ""
        if run.rtl and run.role == "text":
            # A right-to-left letter implies its direction; a lone bracket needs it explicitly.
            if self.drawing:
                text = MIRRORED.get(text, text) if len(text) == 1 and mirrored(text) else text
            elif len(text) == 1:
                direction = ' direction="rtl" unicode-bidi="bidi-override" text-anchor="end"'
        if not text.strip() and self.drawing:
            return ""
        fit = f' textLength="{_n(width)}" lengthAdjust="spacingAndGlyphs"' if width > 0 and not self.drawing else ""
        return (
            f'<text x="{_n(x)}" y="{_n(y)}" font-size="{_n(size)}"{named} fill="{colour}"'
            f'{fit}{direction} xml:space="preserve">{escape(text, quote=False)}</text>'
        )


def document(body: str, width: float, height: float, *, title: str, background: str) -> str:
    """The complete SVG file; `title` is for screen readers."""
    head = f'<svg xmlns="{NAMESPACE}" width="{_n(width)}" height="{_n(height)}" viewBox="0 0 {_n(width)} {_n(height)}"'
    kind = f' role="img" font-family="{SANS}"'
    ground = f'<rect width="{_n(width)}" height="{_n(height)}" fill="{background}"/>'
    return f"{head}{kind}><title>{escape(title, quote=False)}</title>{ground}{body}</svg>"


def length(value: float) -> str:
    """A length in pixels with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


_n = length


def quoted(family: str) -> str:
    """The name of a family, escaped for single quotation marks in an attribute."""
    return "".join(character for character in family if character.isalnum() or character in " -_.")
