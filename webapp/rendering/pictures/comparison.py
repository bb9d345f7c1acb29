"""Draws the segmentations of one text as SVG or PNG, one below the other, and the preview card of a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.core.encoding import Encoding
from webapp.rendering.pictures.cells import cells, drawable
from webapp.rendering.pictures.drawing import CARD, CardSheet, PictureKind, PictureTexts
from webapp.rendering.pictures.fonts import Fonts
from webapp.rendering.pictures.layout import Layout, lay_out
from webapp.rendering.pictures.palette import Theme
from webapp.rendering.pictures.svg import LEADING, MARGIN, Sheet

SIZE = 20
WIDTH = 960
MOST_LINES = {"svg": 400, "png": 60}  # in all rows together
MOST_CHARACTERS = {"svg": 16_000, "png": 6_000}
_NAMES = 208  # the width of the names and counts before the tokens
_GAP = 14  # between rows
_CARD_NAMES = 276.0
_CARD_SIZES = (44, 40, 36, 32, 28, 25, 22, 19)


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
    lines = max(1, MOST_LINES[kind] // max(len(rows), 1))
    layouts = _layouts(rows, sheet.known, (WIDTH - 2 * MARGIN - _NAMES) / SIZE, lines, MOST_CHARACTERS[kind], show=show)
    y = _draw_rows(sheet, rows, layouts, MARGIN, MARGIN, SIZE, _NAMES, 13)
    remarks = [summary or words.empty]
    if any(layout.tokens < len(row.encoding) for row, layout in zip(rows, layouts, strict=True)):
        remarks.append(words.beginning)
    missing = list(dict.fromkeys(script for layout in layouts for script in layout.missing))
    if missing and sheet.drawing:
        remarks.append(words.missing(missing))
    y = sheet.captions(map(drawable, remarks), y, WIDTH)
    return sheet.finished(WIDTH, y + MARGIN, drawable(summary))


def comparison_card(rows: Sequence[PictureRow], words: PictureTexts, *, title: str = "") -> bytes:
    """The preview card of a comparison's link: the beginning of the text in the largest size that fits."""
    card = CardSheet("light", drawing=True)
    room = card.room / max(len(rows), 1) - _GAP
    for size in _CARD_SIZES:
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
