"""Draws a segmentation as SVG or PNG, and the preview card of a shared link."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import regex

from webapp.core.encoding import Encoding
from webapp.rendering.pictures.fonts import Fonts
from webapp.rendering.pictures.layout import Layout, cells, drawable, lay_out
from webapp.rendering.pictures.svg import LEADING, MARGIN, Sheet, Theme

PictureKind = Literal["svg", "png"]

SIZE = 17  # pixels, as on the page
WIDTH = 760
MOST_CHARACTERS = {"svg": 20_000, "png": 2_000}
"""The longest text to draw, in characters. The picture gives the number of further tokens."""
MOST_LINES = {"svg": 2_000, "png": 120}
CARD = (1200, 630)
_CARD_MARGIN = 64.0
_CARD_TOP = 196.0  # of the tokens, below the count and the mark
_CARD_ROOM = 294.0  # in height, for tokens
_CARD_SIZES = (88, 72, 60, 50, 42, 36)
_CARD_CHARACTERS = 600
_NUMBER = regex.compile(r"[\d.,\s]*\d")


@dataclass(frozen=True)
class PictureTexts:
    """The captions of a picture in the visitor's language."""

    tokens: Callable[[int], str]
    more: Callable[[int], str]
    missing: Callable[[Sequence[str]], str]
    empty: str
    beginning: str  # of a comparison: only the beginning of the text is shown


def picture(
    encoding: Encoding,
    kind: PictureKind,
    words: PictureTexts,
    *,
    theme: Theme = "light",
    title: str = "",
    show: bool = False,
) -> str | bytes:
    """The coloured segmentation as an SVG file, or as a PNG file at double resolution, as high as it needs.

    `title` (algorithm and vocabulary) appears below the text, with the number of tokens. In a PNG, characters that no
    font of the machine has stay blank, and a caption names their scripts.
    """
    sheet = Sheet(theme, drawing=kind == "png")
    most, room = MOST_CHARACTERS[kind], (WIDTH - 2 * MARGIN) / SIZE
    layout = lay_out(cells(encoding, show, most), sheet.known, room, most_lines=MOST_LINES[kind], most_characters=most)
    sheet.lines(layout.lines, MARGIN, MARGIN, SIZE)
    summary = " · ".join(filter(None, (drawable(title), words.tokens(len(encoding)))))
    remarks = _remarks(encoding, layout, words, sheet.drawing)
    y = sheet.captions([summary, *remarks], MARGIN + len(layout.lines) * LEADING * SIZE + 10, WIDTH)
    return sheet.finished(WIDTH, y + MARGIN, summary)


def card(encoding: Encoding, words: PictureTexts, *, title: str = "") -> bytes:
    """The preview card of a link: the beginning of the text in the largest size that fits, and a caption."""
    sheet = CardSheet("light", drawing=True)
    for size in _CARD_SIZES:
        layout = lay_out(
            cells(encoding, most=_CARD_CHARACTERS),
            sheet.known,
            (CARD[0] - 2 * sheet.margin) / size,
            most_lines=max(1, int(sheet.room / (LEADING * size))),
            most_characters=_CARD_CHARACTERS,
        )
        if layout.tokens == len(encoding):
            break
    taken = len(layout.lines) * LEADING * size
    top = sheet.top + max(0.0, (sheet.room - taken) / 2)
    sheet.lines(layout.lines, sheet.margin, top, size)
    remarks = " · ".join(_remarks(encoding, layout, words, True))
    sheet.caption(remarks, sheet.margin, top + taken + 34, 24, sheet.palette["quiet"])
    return sheet.card(words.tokens(len(encoding)), title)


class CardSheet(Sheet):
    """A card under construction."""

    margin, top, room = _CARD_MARGIN, _CARD_TOP, _CARD_ROOM

    def caption(self, text: str, x: float, y: float, size: float, colour: str, *, strong: bool = False) -> float:
        """Draw one line of the caption, shortened to fit; the x where it ends."""
        text = self.shortened(drawable(text), (CARD[0] - self.margin - x) / size)
        return self.say(text, x, y, size, colour, strong=strong)

    def card(self, count: str, title: str, *, at_least: str = "") -> bytes:
        """The finished card: a count of tokens such as `36 tokens` and the site's mark above, a title below.

        `at_least` is the lower end of a range of counts.
        """
        baseline, end, ink = self.margin + 84, self.margin, self.palette["ink"]
        number = _NUMBER.match(count)
        if number:
            shown = f"{at_least}–{number[0]}" if at_least else number[0]
            end = self.caption(shown, end, baseline, 104, ink, strong=True) + 16
        self.caption(count[number.end() :].strip() if number else count, end, baseline, 28, self.palette["quiet"])
        # The name of the site as two tokens, at the right edge.
        sizes = [(part, self.known.width(part) * 30 + 12) for part in ("Token", "scope")]
        x = CARD[0] - self.margin - sum(width for _part, width in sizes)
        for (part, width), tint in zip(sizes, self.palette.tints, strict=False):
            self.add(
                f'<rect x="{x:.1f}" y="{baseline - 31.5}" width="{width:.1f}" height="42" rx="7.2" fill="{tint}"/>'
            )
            self.caption(part, x + 6, baseline, 30, ink, strong=True)
            x += width
        self.caption(title, self.margin, CARD[1] - self.margin, 30, ink, strong=True)
        return self.png(*CARD, drawable(title))


def _remarks(encoding: Encoding, layout: Layout, words: PictureTexts, drawing: bool) -> list[str]:
    remarks = []
    if not encoding.text and not len(encoding):
        remarks.append(words.empty)
    if layout.tokens < len(encoding):
        remarks.append(words.more(len(encoding) - layout.tokens))
    if layout.missing and drawing:
        remarks.append(words.missing(layout.missing))
    return remarks


# --- the segmentations of one text, one below the other

ROW_SIZE = 20
ROWS_WIDTH = 960
MOST_LINES_OF_ROWS = {"svg": 400, "png": 60}  # in all rows together
MOST_CHARACTERS_OF_ROWS = {"svg": 16_000, "png": 6_000}
_NAMES = 208  # the width of the names and counts before the tokens
_GAP = 14  # between rows
_CARD_NAMES = 276.0
_CARD_ROW_SIZES = (44, 40, 36, 32, 28, 25, 22, 19)


@dataclass(frozen=True)
class PictureRow:
    """The name of a row, and its tokens."""

    number: int
    name: str
    encoding: Encoding


def comparison_picture(
    rows: Sequence[PictureRow],
    kind: PictureKind,
    words: PictureTexts,
    *,
    summary: str,
    theme: Theme = "light",
    show: bool = False,
) -> str | bytes:
    """The rows as an SVG file, or as a PNG file at double resolution; `summary` is the sentence below them."""
    sheet = Sheet(theme, drawing=kind == "png")
    lines = max(1, MOST_LINES_OF_ROWS[kind] // max(len(rows), 1))
    layouts = _layouts(
        rows,
        sheet.known,
        (ROWS_WIDTH - 2 * MARGIN - _NAMES) / ROW_SIZE,
        lines,
        MOST_CHARACTERS_OF_ROWS[kind],
        show=show,
    )
    y = _draw_rows(sheet, rows, layouts, MARGIN, MARGIN, ROW_SIZE, _NAMES, 13)
    remarks = [summary or words.empty]
    if any(layout.tokens < len(row.encoding) for row, layout in zip(rows, layouts, strict=True)):
        remarks.append(words.beginning)
    missing = list(dict.fromkeys(script for layout in layouts for script in layout.missing))
    if missing and sheet.drawing:
        remarks.append(words.missing(missing))
    y = sheet.captions(map(drawable, remarks), y, ROWS_WIDTH)
    return sheet.finished(ROWS_WIDTH, y + MARGIN, drawable(summary))


def comparison_card(rows: Sequence[PictureRow], words: PictureTexts, *, title: str = "") -> bytes:
    """The preview card of a comparison's link: the beginning of the text in the largest size that fits."""
    card = CardSheet("light", drawing=True)
    room = card.room / max(len(rows), 1) - _GAP
    for size in _CARD_ROW_SIZES:
        lines = max(1, int(room / (LEADING * size)))
        layouts = _layouts(rows, card.known, (CARD[0] - 2 * card.margin - _CARD_NAMES) / size, lines, 600)
        if all(layout.tokens == len(row.encoding) for row, layout in zip(rows, layouts, strict=True)):
            break
    taken = sum(len(layout.lines) * LEADING * size + _GAP for layout in layouts)
    top = card.top + max(0.0, (card.room - taken) / 2)
    _draw_rows(card, rows, layouts, card.margin, top, size, _CARD_NAMES, min(19.0, LEADING * size / 1.9))
    counts = [len(row.encoding) for row in rows]
    least, most = min(counts, default=0), max(counts, default=0)
    return card.card(words.tokens(most), title, at_least=f"{least:,}" if least < most else "")


def _layouts(
    rows: Sequence[PictureRow], known: Fonts, width: float, lines: int, characters: int, *, show: bool = False
) -> list[Layout]:
    """The tokens of each row in lines of `width` em; `characters` counts the text once for each row."""
    most = characters // max(len(rows), 1)
    return [
        lay_out(cells(row.encoding, show, most), known, width, most_lines=lines, most_characters=most) for row in rows
    ]


def _draw_rows(
    sheet: Sheet,
    rows: Sequence[PictureRow],
    layouts: Sequence[Layout],
    left: float,
    top: float,
    size: float,
    names: float,
    label: float,
) -> float:
    """Draw the rows, each with its name and its number of tokens level with its first line; the y of their end."""
    counts = [len(row.encoding) for row in rows]
    for row, layout in zip(rows, layouts, strict=True):
        tokens, baseline = len(row.encoding), top + 1.1 * size
        taken = sheet.known.width(f"{tokens:,}") * label * 1.1
        colour = sheet.palette["accent"] if tokens == min(counts) < max(counts) else sheet.palette["ink"]
        sheet.say(f"{tokens:,}", left + names - 24 - taken, baseline, label * 1.1, colour, strong=True)
        name = sheet.shortened(drawable(f"{row.number}  {row.name}"), (names - 24 - taken - label) / label)
        sheet.say(name, left, baseline, label, sheet.palette["ink"])
        sheet.lines(layout.lines, left + names, top, size)
        top += max(len(layout.lines), 1) * LEADING * size + _GAP
    return top
