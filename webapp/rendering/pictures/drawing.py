"""Draws a segmentation as SVG or PNG, and the preview card of a shared link."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import regex
import resvg_py

from webapp.core.encoding import Encoding
from webapp.observing import report
from webapp.rendering.pictures.cells import cells, drawable
from webapp.rendering.pictures.fonts import Face, Fonts, fonts
from webapp.rendering.pictures.layout import Layout, lay_out
from webapp.rendering.pictures.palette import PALETTES, Theme
from webapp.rendering.pictures.svg import LEADING, Writer, document, quoted

SIZE = 17  # pixels, as on the page
MARGIN = 24
MOST_CHARACTERS = {"svg": 20_000, "png": 2_000}
"""The longest text to draw, in characters. The picture gives the number of further tokens."""
MOST_LINES = {"svg": 2_000, "png": 120}
LEAST_WIDTH, MOST_WIDTH = 160, 4_000
CARD = (1200, 630)
_CARD_MARGIN = 64
_CARD_HEAD = 132  # the height of the count and the mark above the tokens
_CARD_SIZES = (88, 72, 60, 50, 42, 36)
_CARD_CHARACTERS = 600
_CARD_BOTTOM = 76  # the height of the text below the tokens
_NUMBER = regex.compile(r"[\d.,\s]*\d")


@dataclass(frozen=True)
class PictureTexts:
    """The captions of a picture in the visitor's language; English by default."""

    tokens: Callable[[int], str] = field(default=lambda count: f"{count:,} token{'s' * (count != 1)}")
    more: Callable[[int], str] = field(default=lambda count: f"and {count:,} more token{'s' * (count != 1)}")
    missing: Callable[[Sequence[str]], str] = field(
        default=lambda scripts: "No font on this server for: " + ", ".join(map(_script, scripts))
    )
    empty: str = "No text, no tokens."
    beginning: str = "Only the beginning of the text is shown."  # of a comparison


def _script(code: str) -> str:
    return "some symbols" if code in ("Zyyy", "Zinh", "Zzzz") else code


ENGLISH = PictureTexts()


def svg(
    encoding: Encoding,
    *,
    theme: Theme = "light",
    width: int = 760,
    title: str = "",
    show: bool = False,
    words: PictureTexts = ENGLISH,
) -> str:
    """The coloured segmentation as an SVG file, `width` pixels wide and as high as it needs.

    `title` (algorithm and vocabulary) appears below the text, with the number of tokens.
    """
    return _picture(encoding, theme, width, title, show, words, drawing=False)[0]


def png(
    encoding: Encoding,
    *,
    width: int = 760,
    height: int | None = None,
    theme: Theme = "light",
    title: str = "",
    show: bool = False,
    words: PictureTexts = ENGLISH,
) -> bytes:
    """The same picture as a PNG file at double resolution; with `height`, a card of exactly `width` × `height`.

    Characters that no font of the machine has stay blank, and a caption names their scripts.
    """
    if height is not None:
        return card(encoding, width=width, height=height, title=title, theme=theme, words=words)
    source, used = _picture(encoding, theme, width, title, show, words, drawing=True)
    return rendered(source, used, zoom=2)


def _picture(
    encoding: Encoding, theme: Theme, width: int, title: str, show: bool, words: PictureTexts, *, drawing: bool
) -> tuple[str, list[Face]]:
    sheet = Sheet(theme, drawing=drawing)
    width = min(max(width, LEAST_WIDTH), MOST_WIDTH)
    kind = "png" if drawing else "svg"
    most = MOST_CHARACTERS[kind]
    room = (width - 2 * MARGIN) / SIZE
    layout = lay_out(cells(encoding, show, most), sheet.known, room, most_lines=MOST_LINES[kind], most_characters=most)
    sheet.draw(layout, MARGIN, MARGIN, SIZE)
    y = MARGIN + len(layout.lines) * LEADING * SIZE + 10
    summary = " · ".join(filter(None, (drawable(title), words.tokens(len(encoding)))))
    y = sheet.captions([summary, *_remarks(encoding, layout, words, drawing)], y, width)
    return sheet.document(width, y + MARGIN, summary), sheet.used


class Sheet:
    """A picture under construction: what is drawn so far, and the font faces in it. All lengths are in pixels.

    `drawing`: for the site's own renderer, see `Writer`.
    """

    def __init__(self, theme: Theme, *, drawing: bool) -> None:
        self.known, self.palette, self.drawing = fonts(), PALETTES[theme], drawing
        self._parts: list[str] = []
        self._used: dict[int, Face] = {}

    @property
    def used(self) -> list[Face]:
        """The font faces so far."""
        return list(self._used.values())

    def add(self, *parts: str, faces: Iterable[Face | None] = ()) -> None:
        """Add SVG with its font faces."""
        self._parts += parts
        self._used |= {id(face): face for face in faces if face}

    def draw(self, layout: Layout, left: float, top: float, size: float) -> None:
        """Draw the lines of a layout."""
        lines = Writer(self.palette, size, drawing=self.drawing).lines(layout, left, top)
        self.add(lines, faces=(run.face for line in layout.lines for run in line.runs))

    def say(self, text: str, x: float, y: float, size: float, colour: str, *, strong: bool = False) -> float:
        """Draw one line of text in the fonts of captions; the x where it ends."""
        # Only the regular faces are measured and loaded: an outline in the colour of the text makes it bold.
        bold = f' stroke="{colour}" stroke-width="{size / 22:.2f}"' if strong else ""
        families = caption_families(text, self.known)
        written = Writer(self.palette, size, drawing=self.drawing).text(text, x, y, size, colour, families + bold)
        self.add(written, faces=map(self.known.face_for, text))
        return x + measure(text, self.known) * size

    def captions(self, lines: Iterable[str], y: float, width: float) -> float:
        """Draw remarks below a picture of some width, wrapped; the y of the last line."""
        for line in lines:
            for part in wrapped_caption(line, self.known, (width - 2 * MARGIN) / 13):
                y += 20
                self.say(part, MARGIN, y, 13, self.palette.quiet)
        return y

    def document(self, width: float, height: float, title: str) -> str:
        """The complete SVG; `title` is for screen readers."""
        return document("".join(self._parts), width, height, title=title, background=self.palette.stage)


def card(
    encoding: Encoding,
    *,
    width: int = CARD[0],
    height: int = CARD[1],
    title: str = "",
    theme: Theme = "light",
    words: PictureTexts = ENGLISH,
) -> bytes:
    """The preview card of a link: the beginning of the text in the largest size that fits, and a caption."""
    sheet = CardSheet(width, height, theme)
    for size in (each * sheet.scale for each in _CARD_SIZES):
        lines = max(1, int(sheet.room / (LEADING * size)))
        some = cells(encoding, most=_CARD_CHARACTERS)
        room = (width - 2 * sheet.margin) / size
        layout = lay_out(some, sheet.known, room, most_lines=lines, most_characters=_CARD_CHARACTERS)
        if layout.tokens == len(encoding):
            break
    taken = len(layout.lines) * LEADING * size
    top = sheet.top + max(0.0, (sheet.room - taken) / 2)
    sheet.draw(layout, sheet.margin, top, size)
    remarks = " · ".join(_remarks(encoding, layout, words, True))
    if remarks:
        sheet.caption(remarks, sheet.margin, top + taken + 34 * sheet.scale, 24 * sheet.scale, sheet.palette.quiet)
    return sheet.png(words.tokens(len(encoding)), title)


class CardSheet(Sheet):
    """A card under construction."""

    def __init__(self, width: int, height: int, theme: Theme) -> None:
        super().__init__(theme, drawing=True)
        self.width, self.height = width, height
        self.scale = min(width / CARD[0], height / CARD[1])
        self.margin = _CARD_MARGIN * self.scale
        self.top = self.margin + _CARD_HEAD * self.scale  # of the tokens
        self.room = height - self.top - self.margin - _CARD_BOTTOM * self.scale  # in height, for tokens

    def caption(self, text: str, x: float, y: float, size: float, colour: str, *, strong: bool = False) -> float:
        """Draw one line of the caption, shortened to fit; the x where it ends."""
        text = shortened(drawable(text), self.known, (self.width - self.margin - x) / size)
        return self.say(text, x, y, size, colour, strong=strong)

    def png(self, count: str, title: str, *, at_least: str = "") -> bytes:
        """The finished picture: a count of tokens such as `36 tokens` and the site's mark above, a title below.

        `at_least` is the lower end of a range of counts.
        """
        scale, margin = self.scale, self.margin
        baseline = margin + 84 * scale
        number = _NUMBER.match(count)
        end = margin
        if number:
            shown = f"{at_least}–{number[0]}" if at_least else number[0]
            end = self.caption(shown, margin, baseline, 104 * scale, self.palette.ink, strong=True) + 16 * scale
        self.caption(count[number.end() :].strip() if number else count, end, baseline, 28 * scale, self.palette.quiet)
        self._mark(baseline)
        self.caption(title, margin, self.height - margin, 30 * scale, self.palette.ink, strong=True)
        return rendered(self.document(self.width, self.height, drawable(title)), self.used)

    def _mark(self, baseline: float) -> None:
        """The name of the site as two tokens, at the right edge."""
        size, pad = 30 * self.scale, 6 * self.scale
        parts = ("Token", "scope")
        x = self.width - self.margin - sum(measure(part, self.known) * size + 2 * pad for part in parts)
        for part, tint in zip(parts, self.palette.tints, strict=False):
            width = measure(part, self.known) * size + 2 * pad
            self.add(
                f'<rect x="{x:.1f}" y="{baseline - 1.05 * size:.1f}" width="{width:.1f}" height="{1.4 * size:.1f}" '
                f'rx="{0.24 * size:.1f}" fill="{tint}"/>'
            )
            self.caption(part, x + pad, baseline, size, self.palette.ink, strong=True)
            x += width


def rendered(source: str, used: Sequence[Face], zoom: int = 1) -> bytes:
    """Render an SVG of this module as PNG, with the files of the fonts that it names; nothing else is loaded."""
    files = sorted({face.path for face in used})
    first = used[0].family if used else None
    with report.current().phase("draw"):
        return resvg_py.svg_to_bytes(
            svg_string=source, zoom=zoom, skip_system_fonts=True, font_files=files, font_family=first
        )


def _remarks(encoding: Encoding, layout: Layout, words: PictureTexts, drawing: bool) -> list[str]:
    remarks = []
    if not encoding.text and not len(encoding):
        remarks.append(words.empty)
    if layout.tokens < len(encoding):
        remarks.append(words.more(len(encoding) - layout.tokens))
    if layout.missing and drawing:
        remarks.append(words.missing(layout.missing))
    return remarks


def caption_families(text: str, known: Fonts) -> str:
    """The names of the fonts for a caption, which may be in any script."""
    names = dict.fromkeys(face.family for character in text if (face := known.face_for(character)))
    listed = ", ".join(f"'{quoted(name)}'" for name in names)
    return f'font-family="{listed}"' if listed else ""


def measure(text: str, known: Fonts) -> float:
    """The width of a caption in em."""
    width = 0.0
    for character in text:
        face = known.face_for(character)
        width += sum(advance.width for advance in face.advances(character)) if face else 1.0
    return width


def shortened(text: str, known: Fonts, width: float) -> str:
    """`text` shortened to at most `width` em, with an ellipsis."""
    if measure(text, known) <= width:
        return text
    while text and measure(text + "…", known) > width:
        text = text[:-1]
    return text.rstrip() + "…"


def wrapped_caption(text: str, known: Fonts, width: float) -> list[str]:
    """A caption, wrapped into lines at spaces."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and measure(longer, known) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
