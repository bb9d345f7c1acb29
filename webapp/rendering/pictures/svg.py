"""Writes pictures as SVG: boxes, hairlines and selectable text, without external resources.

In a file, a text has the width that was measured (`textLength`), so that it fits its box with any font. The look is
that of pages: it is read from the style sheets of the site when it is first needed.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import Literal

import resvg_py

from webapp.observing import report
from webapp.rendering.pictures.fonts import Face, fonts
from webapp.rendering.pictures.layout import LABEL, MARK, PAD, PictureLine, Tile

LEADING = 1.7  # from line to line, in em
MARGIN = 24
_BASELINE = 1.13  # of a line, from its top
_TOP, _HEIGHT = 0.14, 1.42  # of a box, from the top of its line
_RADIUS = 0.24  # of its corners, in em
# A letter without a shape, which gives spaces and brackets at the ends of a text its direction.
_RIGHT_TO_LEFT = "\u200f"

NAMESPACE = "http://www.w3.org/2000/svg"

Theme = Literal["light", "dark"]

PACKAGE = Path(__file__).parents[2]
STATIC = next(home / "static" for home in (PACKAGE, PACKAGE.parent) if (home / "static").is_dir())  # installed, or not
THEMES: Mapping[Theme, str] = {"light": ":root", "dark": ':root[data-theme="dark"]'}
_RULE = re.compile(r"([^{}]+) \{([^{}]*)\}")
_DECLARATION = re.compile(r"([\w-]+): ([^;]+);")
_FIGURE = re.compile(r"\.diagram (\w+)(?:\.([\w-]+))?")

FigureLook = dict[str, str]
"""Declarations of a style sheet, such as `{"fill": "none", "stroke": "var(--edge)"}`."""


class Sheet:
    """A picture under construction: what is drawn so far, and the font faces in it. All lengths are in pixels.

    `drawing` adapts the SVG to the site's own renderer, which gets the measured fonts. It gets no widths, because it
    would stretch letters that Indic scripts reorder; no directions, which it does not support; and no characters
    without a font, for which it would draw boxes.
    """

    def __init__(self, theme: Theme, *, drawing: bool) -> None:
        self.known, self.palette, self.drawing = fonts(), palette_of(theme), drawing
        self._parts: list[str] = []
        self._used: dict[int, Face] = {}

    def add(self, *parts: str) -> None:
        """Add SVG."""
        self._parts += parts

    def lines(self, lines: Iterable[PictureLine], left: float, top: float, size: float) -> None:
        """Draw the lines of a layout."""
        for number, line in enumerate(lines):
            for tile in line.tiles:
                self._tile(tile, left, top + number * LEADING * size, size)

    def say(
        self,
        text: str,
        x: float,
        y: float,
        size: float,
        colour: str,
        *,
        width: float = 0.0,
        mono: bool = False,
        strong: bool = False,
        attributes: str = "",
    ) -> float:
        """Draw one line of text with its baseline at `y`; the x where it ends. `width` is the one that it must have."""
        runs = [run for run in self.known.runs(text, mono=mono) if run.face or not self.drawing]
        if not "".join(run.text for run in runs).strip():
            return x
        anchored = bool(attributes)
        if strong:  # only the regular faces are loaded: an outline in the colour of the text makes it bold
            attributes += f' stroke="{colour}" stroke-width="{length(size / 22)}"'
        if self.drawing:
            self._used |= {id(run.face): run.face for run in runs if run.face}
            attributes += f' font-family="{_quoted(runs[0].face)}"'
            body = escape(runs[0].text, quote=False)
            # The renderer does not measure emoji as the fonts do, so runs from left to right have their own places.
            placed = not anchored and text[0] != _RIGHT_TO_LEFT
            at = x + runs[0].width * size
            for run in runs[1:]:
                own = f' x="{length(at)}"' if placed else ""
                body += f'<tspan{own} font-family="{_quoted(run.face)}">{escape(run.text, quote=False)}</tspan>'
                at += run.width * size
        else:
            body = escape(text, quote=False)
            attributes += f' font-family="{_single(self.palette["mono"])}"' if mono else ""
            attributes += f' textLength="{length(width)}" lengthAdjust="spacingAndGlyphs"' if width > 0 else ""
        place = f'x="{length(x)}" y="{length(y)}" font-size="{length(size)}" fill="{colour}"'
        self.add(f'<text {place}{attributes} xml:space="preserve">{body}</text>')
        return x + self.known.width(text, mono=mono) * size

    def captions(self, lines: Iterable[str], y: float, width: float) -> float:
        """Draw remarks below a picture of some width, wrapped at spaces; the y of the last line."""
        for line in lines:
            shown = ""
            for word in line.split(" "):
                longer = f"{shown} {word}".strip()
                if shown and self.known.width(longer) * 13 > width - 2 * MARGIN:
                    y += 20
                    self.say(shown, MARGIN, y, 13, self.palette["quiet"])
                    longer = word
                shown = longer
            y += 20
            self.say(shown, MARGIN, y, 13, self.palette["quiet"])
        return y

    def shortened(self, text: str, width: float) -> str:
        """`text` shortened to at most `width` em, with an ellipsis."""
        if self.known.width(text) <= width:
            return text
        while text and self.known.width(text + "…") > width:
            text = text[:-1]
        return text.rstrip() + "…"

    def document(self, width: float, height: float, title: str) -> str:
        """The complete SVG; `title` is for screen readers."""
        size = f'width="{length(width)}" height="{length(height)}"'
        head = f'<svg xmlns="{NAMESPACE}" {size} viewBox="0 0 {length(width)} {length(height)}" role="img"'
        ground = f'<title>{escape(title, quote=False)}</title><rect {size} fill="{self.palette["stage"]}"/>'
        return f'{head} font-family="{_single(self.palette["sans"])}">{ground}{"".join(self._parts)}</svg>'

    def finished(self, width: float, height: float, title: str) -> str | bytes:
        """The picture as a file: PNG at double resolution if it was made for drawing, else SVG."""
        return self.png(width, height, title, zoom=2) if self.drawing else self.document(width, height, title)

    def png(self, width: float, height: float, title: str, zoom: int = 1) -> bytes:
        """The picture as PNG, rendered with the files of the fonts in it; nothing else is loaded."""
        used = list(self._used.values())
        with report.current().phase("draw"):
            return resvg_py.svg_to_bytes(
                svg_string=self.document(width, height, title),
                zoom=zoom,
                skip_system_fonts=True,
                font_files=sorted({face.path for face in used}),
                font_family=used[0].family if used else None,
            )

    def _tile(self, tile: Tile, left: float, top: float, em: float) -> None:
        """Draw a tile: its box, and on it the mark, the text and the label in the direction of the text."""
        if tile.cell.index is not None:
            self._box(tile, left + tile.x * em, top + _TOP * em, em)
        x, y, rtl = left + tile.x * em, top + _BASELINE * em, tile.level % 2 == 1
        palette, pad = self.palette, PAD * em
        for part in ("label", "text", "mark") if rtl else ("mark", "text", "label"):
            width = tile.widths[("mark", "text", "label").index(part)] * em
            if part == "text":
                text = f"{_RIGHT_TO_LEFT}{tile.text}{_RIGHT_TO_LEFT}" if rtl else tile.text
                self.say(text, x, y, em, palette["ink"], width=width)
            elif part == "mark" and tile.mark:
                self.say(tile.mark, x + pad, y, MARK * em, palette["quiet"], width=width - 2 * pad)
            elif part == "label" and tile.label:
                self.say(
                    tile.label, x + pad, y - 0.1 * em, LABEL * em, palette["ink"], width=width - 2 * pad, mono=True
                )
            x += width

    def _box(self, tile: Tile, x: float, y: float, em: float) -> None:
        palette, cell = self.palette, tile.cell
        width, height = tile.width * em, _HEIGHT * em
        frame = f'x="{length(x)}" y="{length(y)}" width="{length(width)}" height="{length(height)}"'
        radius = f'rx="{length(min(_RADIUS * em, width / 2))}"'
        self.add(f'<rect {frame} {radius} fill="{palette.tints[(cell.index or 0) % len(palette.tints)]}"/>')
        hairline = max(1.0, em / 24)
        if cell.label:
            dots = f'stroke-width="{length(1.5 * hairline)}" stroke-dasharray="{length(1.5 * hairline)}"'
            path = f"M{length(x)} {length(y + height - hairline)}h{length(width)}"
            self.add(f'<path d="{path}" stroke="{palette["ink"]}" {dots}/>')
        if cell.special:
            self.add(f'<rect {frame} {radius} fill="none" stroke="{palette["ink"]}" stroke-width="1.5"/>')
        if cell.unknown:
            arcs = max(1, round(width / (0.14 * em)))
            step = width / arcs
            curve = f"q{length(step / 2)} {length(-step)} {length(step)} 0" + f"t{length(step)} 0" * (arcs - 1)
            path = f"M{length(x)} {length(y + height - 0.12 * em)}{curve}"
            self.add(f'<path d="{path}" fill="none" stroke="{palette["bad"]}" stroke-width="{length(hairline)}"/>')


def length(value: float) -> str:
    """A length in pixels with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _single(fonts: str) -> str:
    """The fonts of a style sheet, with quotation marks that are valid in an attribute."""
    return fonts.replace('"', "'")


def _quoted(face: Face | None) -> str:
    """The name of a family, escaped for single quotation marks in an attribute."""
    family = face.family if face else ""
    return "'" + "".join(each for each in family if each.isalnum() or each in " -_.") + "'"


# --- colours, fonts and the looks of shapes


class Palette(dict[str, str]):
    """The variables of one theme by name: `stage` is the ground of tokens, `t1` to `t6` their tints."""

    @property
    def tints(self) -> list[str]:
        """The colours that tokens take in turn."""
        return [self[f"t{number}"] for number in range(1, 7)]


@cache
def palette_of(theme: Theme) -> Palette:
    """The colours and fonts of a theme, from `static/app.css`.

    >>> palette_of("light")["t2"], palette_of("dark")["ink"]
    ('#feefad', '#f4f6f8')
    """
    rules = _rules("app.css")
    return Palette({name.removeprefix("--"): value for name, value in (rules[":root"] | rules[THEMES[theme]]).items()})


@cache
def look(tag: str, kind: str) -> FigureLook:
    """The look of a shape, from `static/figures.css`: that of its element, changed by each word of its kind.

    >>> look("path", "win")["stroke"], look("path", "win")["fill"]
    ('var(--accent)', 'none')
    """
    looks = figure_looks()
    found = dict(looks[tag, ""])
    for word in kind.split():
        found |= looks.get((tag, word), {})
    return found


@cache
def figure_looks() -> Mapping[tuple[str, str], FigureLook]:
    """What the style sheet says of each kind of shape, by element and kind; the kind of the element alone is empty."""
    rules = {_FIGURE.fullmatch(selector): found for selector, found in _rules("figures.css").items()}
    return {(match[1], match[2] or ""): found for match, found in rules.items() if match}


def _rules(name: str) -> dict[str, FigureLook]:
    """The declarations of each rule of a style sheet, by its selector."""
    text = re.sub(r"/\*.*?\*/", "", (STATIC / name).read_text(encoding="utf-8"), flags=re.DOTALL)
    rules: dict[str, FigureLook] = {}
    for selector, declarations in _RULE.findall(text):
        rules.setdefault(selector.strip(), dict(_DECLARATION.findall(declarations)))  # not those for small screens
    return rules
