"""Draws aligned segmentations of one text as SVG or PNG, and the preview card of a shared comparison.

The shapes are those of the page: columns with a line for each row, which wrap together, and below each column a track
whose colour says in how many ways the rows split it. The text of each cell is laid out by `lay_out`; here the results
are only placed. All lengths are in pixels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from webapp.rendering.pictures.cells import PictureCell, drawable
from webapp.rendering.pictures.drawing import (
    CARD,
    ENGLISH,
    MARGIN,
    CardSheet,
    PictureTexts,
    Sheet,
    measure,
    rendered,
    shortened,
)
from webapp.rendering.pictures.fonts import Face, Fonts
from webapp.rendering.pictures.layout import Layout, lay_out, levels, visual_order
from webapp.rendering.pictures.palette import Theme
from webapp.rendering.pictures.svg import LEADING, Writer

SIZE = 20
WIDTH = 960
MOST_LINES = {"svg": 400, "png": 60}
MOST_CHARACTERS = {"svg": 16_000, "png": 6_000}  # in all rows together
_NAMES = 208  # the width of the names and counts beside the columns
_GAP = 2  # between columns
_TRACK = 5  # its height
_CARD_NAMES = 276.0
_CARD_ENOUGH = 10  # columns in a line, where not all columns fit
_CARD_SIZES = (44, 40, 36, 32, 28, 25, 22, 19)
_STRONG = ("a", "א")  # the letter that stands for a column when columns are ordered, by its direction
_NEUTRAL = "\ufffc"
_UNBOUNDED = 1e6


@dataclass(frozen=True)
class PictureRow:
    """The name of a row, and its tokens in the whole text."""

    number: int
    name: str
    tokens: int


@dataclass(frozen=True)
class PictureColumn:
    """The cells of each row; the index of a cell is its tint. `direction` is 0, 1 if from right to left, or None."""

    rows: Sequence[Sequence[PictureCell]]
    ways: int
    ends_line: bool
    direction: int | None = 0


@dataclass(frozen=True)
class ComparisonPicture:
    """What a picture of a comparison shows.

    `summary` is a sentence; `continues` says whether there is more text.
    """

    rows: Sequence[PictureRow]
    columns: Sequence[PictureColumn]
    summary: str
    continues: bool = False


def comparison_svg(picture: ComparisonPicture, *, theme: Theme = "light", words: PictureTexts = ENGLISH) -> str:
    """The comparison as an SVG file."""
    return _picture(picture, theme, words, drawing=False)[0]


def comparison_png(picture: ComparisonPicture, *, theme: Theme = "light", words: PictureTexts = ENGLISH) -> bytes:
    """The comparison as a PNG file at double resolution."""
    source, used = _picture(picture, theme, words, drawing=True)
    return rendered(source, used, zoom=2)


def comparison_card(
    picture: ComparisonPicture, *, title: str = "", theme: Theme = "light", words: PictureTexts = ENGLISH
) -> bytes:
    """The preview card of a comparison's link: the beginning of the text in the largest size that fits."""
    card = CardSheet(*CARD, theme)
    rows = max(len(picture.rows), 1)
    room = CARD[0] - 2 * card.margin - _CARD_NAMES
    size, lines = 0.0, []
    for size in _CARD_SIZES:
        most = int((card.room + _between(size)) / _pitch(size, rows))
        lines = _lines(picture, card.known, room, size, most, MOST_CHARACTERS["png"]) if most else []
        if lines and sum(len(line.columns) for line in lines) >= min(len(picture.columns), _CARD_ENOUGH * len(lines)):
            break
    if lines:
        pitch = _pitch(size, rows)
        top = card.top + max(0.0, (card.room - len(lines) * pitch + _between(size)) / 2)
        _draw_names(card, picture.rows, card.margin, top, size, _CARD_NAMES - 24, min(19.0, LEADING * size / 1.9))
        for number, line in enumerate(lines):
            _draw_line(card, line, card.margin + _CARD_NAMES, top + number * pitch, size, room)
    counts = [row.tokens for row in picture.rows]
    least, most_tokens = min(counts, default=0), max(counts, default=0)
    return card.png(words.tokens(most_tokens), title, at_least=f"{least:,}" if least < most_tokens else "")


@dataclass
class _PlacedColumn:
    column: PictureColumn
    layouts: Sequence[Layout]
    width: float


@dataclass
class _Line:
    columns: list[_PlacedColumn] = field(default_factory=list)
    width: float = 0.0
    right_to_left: bool = False


def _picture(picture: ComparisonPicture, theme: Theme, words: PictureTexts, *, drawing: bool) -> tuple[str, list[Face]]:
    sheet = Sheet(theme, drawing=drawing)
    kind = "png" if drawing else "svg"
    room = WIDTH - 2 * MARGIN - _NAMES
    lines = _lines(picture, sheet.known, room, SIZE, MOST_LINES[kind], MOST_CHARACTERS[kind])
    y = float(MARGIN)
    for number, line in enumerate(lines):
        if number == 0:
            _draw_names(sheet, picture.rows, MARGIN, y, SIZE, _NAMES - 24, 13)
        else:
            for at, row in enumerate(picture.rows):
                sheet.say(str(row.number), MARGIN, y + (at * LEADING + 1.1) * SIZE, 13, sheet.palette.quiet)
        _draw_line(sheet, line, MARGIN + _NAMES, y, SIZE, room)
        y += _pitch(SIZE, len(picture.rows))
    drawn = sum(len(line.columns) for line in lines)
    remarks = [picture.summary or words.empty]
    if drawn < len(picture.columns) or picture.continues:
        remarks.append(words.beginning)
    missing = _missing(lines)
    if missing and drawing:
        remarks.append(words.missing(missing))
    y = sheet.captions(map(drawable, remarks), y, WIDTH)
    return sheet.document(WIDTH, y + MARGIN, drawable(picture.summary)), sheet.used


def _missing(lines: Sequence[_Line]) -> list[str]:
    """The scripts without a font on this machine."""
    layouts = [layout for line in lines for column in line.columns for layout in column.layouts]
    return list(dict.fromkeys(script for layout in layouts for script in layout.missing))


def _between(size: float) -> float:
    """The space between two lines of columns."""
    return 0.7 * size


def _pitch(size: float, rows: int) -> float:
    """The distance from line to line."""
    return rows * LEADING * size + 0.25 * size + _TRACK + _between(size)


def _lines(
    picture: ComparisonPicture, known: Fonts, room: float, size: float, most_lines: int, most_characters: int
) -> list[_Line]:
    """Columns in lines of at most `room` pixels; omits what exceeds the limits.

    `most_characters` counts the text once for each row.
    """
    lines: list[_Line] = []
    line = _Line()
    characters, begins = 0, True
    cache: dict[tuple[PictureCell, ...], Layout] = {}
    for column in picture.columns:
        characters += sum(len(cell.text) for row in column.rows for cell in row)
        if characters > most_characters:
            break
        if begins:
            line.right_to_left = column.direction == 1
        placed = _placed(column, known, size, cache)
        if line.columns and line.width + _GAP + placed.width > room:
            lines.append(line)
            line = _Line(right_to_left=line.right_to_left)
            if len(lines) == most_lines:
                return lines
        line.width += placed.width + (_GAP if line.columns else 0)
        line.columns.append(placed)
        begins = column.ends_line
        if begins:
            lines.append(line)
            line = _Line()
            if len(lines) == most_lines:
                return lines
    return [*lines, line] if line.columns else lines


def _placed(
    column: PictureColumn, known: Fonts, size: float, cache: dict[tuple[PictureCell, ...], Layout]
) -> _PlacedColumn:
    layouts = []
    for row in column.rows:
        key = tuple(row)
        if key not in cache:
            layout = lay_out(row, known, _UNBOUNDED)
            if column.direction == 1 and layout.lines:  # it ends at the far right
                layout = lay_out(row, known, layout.lines[0].width)
            cache[key] = layout
        layouts.append(cache[key])
    width = max((line.width for layout in layouts for line in layout.lines), default=0.0)
    return _PlacedColumn(column, layouts, width * size)


def _in_visual_order(line: _Line) -> Iterator[_PlacedColumn]:
    """The columns of a line from left to right."""
    letters = [_NEUTRAL if each.column.direction is None else _STRONG[each.column.direction] for each in line.columns]
    for at in visual_order(levels(letters, int(line.right_to_left))):
        yield line.columns[at]


def _draw_line(sheet: Sheet, line: _Line, left: float, top: float, size: float, room: float) -> None:
    """Draw a line of columns with their tracks."""
    palette = sheet.palette
    colours = (palette.line, *palette.track, palette.accent)
    x = left + (max(0.0, room - line.width) if line.right_to_left else 0.0)
    rows = max((len(each.layouts) for each in line.columns), default=0)
    y = top + rows * LEADING * size + 0.25 * size
    tracks, places = [], []
    for each in _in_visual_order(line):
        for number, layout in enumerate(each.layouts):
            for part in layout.lines:
                shift = each.width - part.width * size if each.column.direction == 1 else 0.0
                places.append((part, x + shift, top + number * LEADING * size))
        frame = f'x="{x:.2f}" y="{y:.2f}" width="{each.width:.2f}" height="{_TRACK}"'
        tracks.append(f'<rect {frame} fill="{colours[min(max(each.column.ways, 1), 4) - 1]}"/>')
        x += each.width + _GAP
    family = Writer.common_family(Layout([part for part, *_place in places]))
    written = Writer(palette, size, drawing=sheet.drawing).placed(places, family)
    sheet.add(written, *tracks, faces=(run.face for part, *_place in places for run in part.runs))


def _draw_names(
    sheet: Sheet, rows: Sequence[PictureRow], left: float, top: float, size: float, width: float, label: float
) -> None:
    """Write the name and the number of tokens of each row, level with its first line."""
    fewest, most = min(row.tokens for row in rows), max(row.tokens for row in rows)
    for number, row in enumerate(rows):
        y = top + (number * LEADING + 1.1) * size
        count = f"{row.tokens:,}"
        taken = measure(count, sheet.known) * label * 1.1
        colour = sheet.palette.accent if row.tokens == fewest < most else sheet.palette.ink
        sheet.say(count, left + width - taken, y, label * 1.1, colour, strong=True)
        name = shortened(drawable(f"{row.number}  {row.name}"), sheet.known, (width - taken - label) / label)
        if name:
            sheet.say(name, left, y, label, sheet.palette.ink)
