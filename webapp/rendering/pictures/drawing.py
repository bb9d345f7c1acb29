"""Draws a segmentation as SVG or PNG, and the preview card of a shared link."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import resvg_py

from webapp.core.encoding import Encoding
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
_CARD_MARGIN = 72
_CARD_SIZES = (88, 72, 60, 50, 42, 36)
_CARD_CHARACTERS = 600
_ROW_SIZES = (50, 42, 36, 30, 26, 23)
_ROWS_MORE = 90  # additional height for the tokens of a comparison, which has no text below them
_CARD_BOTTOM = 150  # the height of the text below the tokens


@dataclass(frozen=True)
class PictureTexts:
    """The captions of a picture in the visitor's language; English by default."""

    tokens: Callable[[int], str] = field(default=lambda count: f"{count:,} token{'s' * (count != 1)}")
    more: Callable[[int], str] = field(default=lambda count: f"and {count:,} more token{'s' * (count != 1)}")
    missing: Callable[[Sequence[str]], str] = field(
        default=lambda scripts: "No font on this server for: " + ", ".join(map(_script, scripts))
    )
    empty: str = "No text, no tokens."


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
    known, palette = fonts(), PALETTES[theme]
    width = min(max(width, LEAST_WIDTH), MOST_WIDTH)
    kind = "png" if drawing else "svg"
    most = MOST_CHARACTERS[kind]
    room = (width - 2 * MARGIN) / SIZE
    layout = lay_out(cells(encoding, show, most), known, room, most_lines=MOST_LINES[kind], most_characters=most)
    writer = Writer(palette, SIZE, drawing=drawing)
    body = writer.lines(layout, MARGIN, MARGIN)
    y = MARGIN + len(layout.lines) * LEADING * SIZE + 10
    used = faces_of(layout)
    lines = [_summary(encoding, title, words), *_remarks(encoding, layout, words, drawing)]
    for line in lines:
        for part in _words_in_lines(line, known, (width - 2 * MARGIN) / 13):
            y += 20
            body += writer.text(part, MARGIN, y, 13, palette.quiet, _families(part, known))
            used += [face for character in part if (face := known.face_for(character))]
    source = document(body, width, y + MARGIN, title=_summary(encoding, title, words), background=palette.stage)
    return source, used


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
    sheet = _Sheet(width, height, theme)
    for size in (each * sheet.scale for each in _CARD_SIZES):
        lines = max(1, int(sheet.room / (LEADING * size)))
        layout = sheet.laid_out(encoding, size, lines)
        if layout.tokens == len(encoding):
            break
    taken = len(layout.lines) * LEADING * size
    top = sheet.margin + max(0.0, (sheet.room - taken) / 2)
    sheet.draw(layout, size, top)
    remarks = " · ".join(_remarks(encoding, layout, words, True))
    if remarks:
        sheet.say(remarks, sheet.margin, top + taken + 34 * sheet.scale, 24 * sheet.scale, sheet.palette.quiet)
    return sheet.png(_summary(encoding, title, words), title)


def comparison_card(
    rows: Sequence[tuple[str, Encoding]],
    *,
    width: int = CARD[0],
    height: int = CARD[1],
    title: str = "",
    theme: Theme = "light",
    words: PictureTexts = ENGLISH,
) -> bytes:
    """The preview card of a comparison's link: its rows, each with its name and its number of tokens."""
    sheet = _Sheet(width, height, theme)
    room = sheet.room + _ROWS_MORE * sheet.scale
    label = (22 if len(rows) <= 4 else 18) * sheet.scale
    free = room / max(1, len(rows)) - 1.6 * label  # the height for the tokens of a row
    size, layouts = 0.0, []
    for size in (size * sheet.scale for size in _ROW_SIZES):
        lines = int(free / (LEADING * size))
        layouts = [sheet.laid_out(encoding, size, lines) for _name, encoding in rows] if lines else []
        if layouts and all(one.tokens == len(each) for one, (_name, each) in zip(layouts, rows, strict=True)):
            break
    heights = [1.6 * label + max(len(layout.lines), 1) * LEADING * size for layout in layouts]
    top = sheet.margin - 20 * sheet.scale + max(0.0, room - sum(heights)) / 2
    for (name, encoding), layout, height_of_row in zip(rows, layouts, heights, strict=True):
        sheet.say(_summary(encoding, name, words), sheet.margin, top + label, label, sheet.palette.quiet)
        sheet.draw(layout, size, top + 1.35 * label)
        top += height_of_row
    return sheet.png(drawable(title), title)


class _Sheet:
    """A card under construction; all lengths are in pixels."""

    def __init__(self, width: int, height: int, theme: Theme) -> None:
        self.known, self.palette = fonts(), PALETTES[theme]
        self.width, self.height = width, height
        self.scale = min(width / CARD[0], height / CARD[1])
        self.margin = _CARD_MARGIN * self.scale
        self.room = height - 2 * self.margin - _CARD_BOTTOM * self.scale  # in height, for tokens
        self._body = ""
        self._used: list[Face] = []

    def laid_out(self, encoding: Encoding, size: float, lines: int) -> Layout:
        """The layout of the beginning of an encoding, with at most `lines` lines."""
        width = (self.width - 2 * self.margin) / size
        some = cells(encoding, most=_CARD_CHARACTERS)
        return lay_out(some, self.known, width, most_lines=lines, most_characters=_CARD_CHARACTERS)

    def draw(self, layout: Layout, size: float, top: float) -> None:
        """Draw the lines of a layout."""
        self._body += Writer(self.palette, size, drawing=True).lines(layout, self.margin, top)
        self._used += faces_of(layout)

    def say(self, text: str, x: float, y: float, size: float, colour: str) -> None:
        """Draw one line of the caption, shortened to fit."""
        text = _shortened(drawable(text), self.known, (self.width - self.margin - x) / size)
        writer = Writer(self.palette, size, drawing=True)
        self._body += writer.text(text, x, y, size, colour, _families(text, self.known))
        self._used += [face for character in text if (face := self.known.face_for(character))]

    def png(self, summary: str, title: str) -> bytes:
        """The finished picture, with a caption as its last line."""
        size, margin, baseline = 32 * self.scale, self.margin, self.height - self.margin
        line = (
            f'<path d="M{margin} {baseline - 62 * self.scale}h{self.width - 2 * margin}" stroke="{self.palette.line}"/>'
        )
        self._body += line
        name = "Tokenscope"
        name_width = _measure(name, self.known) * size
        room = self.width - 2 * margin - name_width - 40 * self.scale
        self.say(_shortened(summary, self.known, room / size), margin, baseline, size, self.palette.ink)
        self.say(name, self.width - margin - name_width, baseline, size, self.palette.accent)
        background = self.palette.stage
        source = document(self._body, self.width, self.height, title=drawable(title), background=background)
        return rendered(source, self._used)


def rendered(source: str, used: Sequence[Face], zoom: int = 1) -> bytes:
    """Render an SVG of this module as PNG, with the files of the fonts that it names; nothing else is loaded."""
    files = sorted({face.path for face in used})
    first = used[0].family if used else None
    return resvg_py.svg_to_bytes(
        svg_string=source, zoom=zoom, skip_system_fonts=True, font_files=files, font_family=first
    )


def faces_of(layout: Layout) -> list[Face]:
    """The font faces of a layout."""
    return list({id(run.face): run.face for line in layout.lines for run in line.runs if run.face}.values())


def _summary(encoding: Encoding, title: str, words: PictureTexts) -> str:
    return " · ".join(filter(None, (drawable(title), words.tokens(len(encoding)))))


def _remarks(encoding: Encoding, layout: Layout, words: PictureTexts, drawing: bool) -> list[str]:
    remarks = []
    if not encoding.text and not len(encoding):
        remarks.append(words.empty)
    if layout.tokens < len(encoding):
        remarks.append(words.more(len(encoding) - layout.tokens))
    if layout.missing and drawing:
        remarks.append(words.missing(layout.missing))
    return remarks


def _families(text: str, known: Fonts) -> str:
    """The names of the fonts for a caption, which may be in any script."""
    names = dict.fromkeys(face.family for character in text if (face := known.face_for(character)))
    listed = ", ".join(f"'{quoted(name)}'" for name in names)
    return f'font-family="{listed}"' if listed else ""


def _measure(text: str, known: Fonts) -> float:
    width = 0.0
    for character in text:
        face = known.face_for(character)
        width += sum(advance.width for advance in face.advances(character)) if face else 1.0
    return width


def _shortened(text: str, known: Fonts, width: float) -> str:
    """`text` shortened to at most `width` em, with an ellipsis."""
    if _measure(text, known) <= width:
        return text
    while text and _measure(text + "…", known) > width:
        text = text[:-1]
    return text.rstrip() + "…"


def _words_in_lines(text: str, known: Fonts, width: float) -> list[str]:
    """A caption, wrapped into lines at spaces."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and _measure(longer, known) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
