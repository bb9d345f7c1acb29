"""Renders passages of aligned columns as HTML; joined strings, because there are thousands of columns.

A column has a line for each row, one below the other, and columns wrap like words:

    <span class="col d2"><b><i class="k1">low</i></b><b><i class="k1">lo</i><i class="k2">w</i></b></span>

`d2` to `d4` say in how many ways the rows split the text of the column; `k1` to `k6` are the tints of the tokens.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, starmap, zip_longest
from unicodedata import combining

import regex
from flask_babel import gettext as _
from flask_babel import ngettext
from markupsafe import Markup, escape

from webapp.rendering.markup import visible
from webapp.tokenization.comparison.aligned_spans import AlignedCell, AlignedSpan, width_of
from webapp.web.localization import number

_RIGHT_TO_LEFT = regex.compile(r"[\p{BC=R}\p{BC=AL}]")
_LEFT_TO_RIGHT = regex.compile(r"\p{BC=L}")
_STRONG = regex.compile(r"[\p{BC=L}\p{BC=R}\p{BC=AL}]")
_JOINS_NEXT = regex.compile(r"[\p{JT=D}\p{JT=L}\p{JT=C}]\p{JT=T}*+$")
_JOINS_PREVIOUS = regex.compile(r"[\p{JT=D}\p{JT=R}\p{JT=C}]")
_VIRAMA = 9  # the canonical combining class
_LOOK_BACK = 8  # characters: a letter and its marks


def direction_of(text: str) -> int | None:
    """1 if a text has letters that run from right to left, 0 if it has other letters, None if it has none.

    >>> direction_of("سلام 1"), direction_of("low"), direction_of(" “")
    (1, 0, None)
    """
    if _RIGHT_TO_LEFT.search(text):
        return 1
    return 0 if _LEFT_TO_RIGHT.search(text) else None


def begins_right_to_left(text: str, start: int, end: int) -> bool:
    """Whether the first letter of a span is from a right-to-left script."""
    first = _STRONG.search(text, start, end)
    return first is not None and _LEFT_TO_RIGHT.match(first[0]) is None


def is_joined(text: str, offset: int) -> bool:
    """Whether the letters before and after an offset are joined, or form a conjunct, in their script.

    >>> is_joined("سلام", 1), is_joined("سلام", 3), is_joined("low", 1)
    (True, False, False)
    """
    if not 0 < offset < len(text) or text[offset] < "\u0600":
        return False
    if combining(text[offset - 1]) == _VIRAMA:
        return text[offset].isalpha()
    before = text[max(0, offset - _LOOK_BACK) : offset]
    return bool(_JOINS_PREVIOUS.match(text[offset]) and _JOINS_NEXT.search(before))


MOST_LINES = 12  # lines of the text that each have a passage of their own; more would repeat the names too often
FULL = 40  # columns, about three lines on a wide page
LONGEST = 80  # columns of a line that is longer


@dataclass(frozen=True, slots=True)
class AlignedPassage:
    """Consecutive columns, from the line of the text with number `first_line` to that with `last_line`."""

    columns: Sequence[AlignedSpan]
    first_line: int
    last_line: int

    @property
    def token_counts(self) -> list[int]:
        """The number of tokens of each row that begin in the passage."""
        each = zip(*(column.rows for column in self.columns), strict=True)
        return [sum(cell.tokens for cells in row for cell in cells) for row in each]


def passages_of(columns: Sequence[AlignedSpan]) -> Iterator[AlignedPassage]:
    """Yield the passages: a line each if there are few lines; a long line has several."""
    lines = sum(column.ends_line for column in columns[:-1]) + 1
    least = 1 if lines <= MOST_LINES else FULL
    passage: list[AlignedSpan] = []
    first_line = line = 1
    for column, after in zip_longest(columns, columns[1:]):
        passage.append(column)
        is_full = len(passage) >= LONGEST and after is not None and after.starts and not after.ends_line
        if after is None or is_full or (column.ends_line and len(passage) >= least):
            yield AlignedPassage(passage, first_line, line)
            passage = []
            first_line = line + column.ends_line
        line += column.ends_line


TINTS = 6  # odd ones are deep, even ones light


def first_tints(columns: Sequence[AlignedSpan]) -> Iterator[list[int]]:
    """Yield for each column the tint of the first token of each row, from 1 to `TINTS`; the next tokens count on.

    All rows begin with one tint, the next that as few rows as possible ended with; a token that continues keeps its.
    """
    start, lasts = 0, [0] * (len(columns[0].rows) if columns else 0)
    for column in columns:
        start = min(((start + step) % TINTS + 1 for step in range(TINTS)), key=lasts.count)
        boxes = [[cell.tokens for cell in cells if cell.has_box] for cells in column.rows]
        firsts = [last if row and not row[0] and last else start for row, last in zip(boxes, lasts, strict=True)]
        yield firsts
        lasts = [
            (first + len(row) - 2) % TINTS + 1 if row else last
            for row, first, last in zip(boxes, firsts, lasts, strict=True)
        ]


def _tinted(text: str, cells: Sequence[AlignedCell], tint: int) -> Iterator[tuple[AlignedCell, int, list[str]]]:
    """Yield each cell with its tint, and the text before, in and after its token."""
    for cell in cells:
        yield cell, tint, [text[cell.start : cell.first], text[cell.first : cell.last], text[cell.last : cell.end]]
        if cell.has_box:
            tint = tint % TINTS + 1


_DIRECTIONS = {1: ("&rlm;", ' dir="rtl"'), 0: ("&lrm;", ' dir="ltr"'), None: ("", "")}
_MOST_WAYS = 4  # more have the same colour
_NARROWEST_LINE = 10  # half-width characters that a line has at least


class AlignedMarkup:
    """Renders columns of one text as HTML."""

    def __init__(self, text: str, numbers: Sequence[int], *, show: bool = False) -> None:
        """`numbers` are those of the rows; with `show`, spaces and line ends are visible."""
        self._numbers = "\n".join(map(str, numbers))
        self._text = text
        self._show = show
        self._bidirectional = direction_of(text) == 1
        self._title = _("%(count)s ways to split “%(text)s”")

    def is_right_to_left(self, passage: AlignedPassage) -> bool:
        """Whether the first letter of a passage is from a right-to-left script."""
        start, end = passage.columns[0].start, passage.columns[-1].end
        return self._bidirectional and begins_right_to_left(self._text, start, end)

    def html(self, passage: AlignedPassage, tints: Sequence[Sequence[int]]) -> Markup:
        """The HTML of a passage; `tints` are those of the first tokens, from `first_tints`."""
        columns = passage.columns
        parts = [self._line_numbers(columns)]
        for column, firsts in zip(columns, tints, strict=True):
            parts.append(self._column(column, firsts))
            if column.ends_line and column is not columns[-1]:
                parts.append("<br>")
        return Markup("".join(parts))

    def _line_numbers(self, columns: Sequence[AlignedSpan]) -> str:
        """The numbers of the rows for each line to which the columns may wrap; CSS hides those below the last."""
        width = sum(map(width_of, self._text[columns[0].start : columns[-1].end]))
        lines = 2 + width // _NARROWEST_LINE + sum(column.ends_line for column in columns)
        return f'<span class="nos" aria-hidden="true">{f"<b>{self._numbers}</b>" * lines}</span>'

    def _column(self, column: AlignedSpan, firsts: Sequence[int]) -> str:
        text = self._text[column.start : column.end]
        rows = "".join([f"<b>{self._row(cells, tint)}</b>" for cells, tint in zip(column.rows, firsts, strict=True)])
        kinds, title = "col", ""
        if column.ways > 1:
            kinds += f" d{min(column.ways, _MOST_WAYS)}"
            shown = visible(text, show=True).replace("\n", "").strip("·")
            title = f' title="{escape(self._title % {"count": column.ways, "text": shown or "·"})}"'
        if is_joined(self._text, column.start):
            kinds += " p"
        if is_joined(self._text, column.end):
            kinds += " j"
        # In a text with both directions, a mark and an attribute give the column its own.
        mark, direction = _DIRECTIONS[direction_of(text) if self._bidirectional else None]
        return f'{mark}<span class="{kinds}"{direction}{title}>{rows}</span>{mark}'

    def _row(self, cells: Sequence[AlignedCell], first: int) -> str:
        parts = []
        for cell, tint, texts in _tinted(self._text, cells, first):
            before, own, after = (_shown(each, self._show) for each in texts)
            parts.append(f"{before}{_box(cell, tint, own)}{after}")
        return "".join(parts)


def _box(cell: AlignedCell, tint: int, own: str) -> str:
    if not cell.has_box:
        return own
    marks = {"b": cell.shared, "o": not cell.tokens, "u": cell.unknown, "x": cell.special, "n": own == "↵"}
    count = ""
    if cell.tokens > 1:
        sentence = ngettext("%(count)s token", "%(count)s tokens", cell.tokens, count=number(cell.tokens))
        # The mark of a split character says two; a number says more, or that a token has no text of its own.
        number_shown = f' data-n="{cell.tokens}"' if cell.tokens > 2 or not cell.shared else ""
        count = f'{number_shown} title="{escape(sentence)}"'
    kinds = " ".join([f"k{tint}", *(name for name, holds in marks.items() if holds)])
    return f'<i class="{kinds}"{count}>{own}</i>'


@lru_cache(1 << 12)
def _shown(text: str, show: bool) -> str:
    if not text:
        return ""
    # A line end is shown, but does not break the line: the text after it is in another column.
    text = visible(text, show).replace("↵\n", "↵").replace("→\t", "⇥").replace("\n", "↵").replace("\t", "⇥")
    return str(escape(text))


def as_text(text: str, cuts: Sequence[int], last: int) -> str:
    """The tokens of one row up to offset `last`, separated by bars.

    >>> as_text("however little", [3, 7, 10], 12)
    'how | ever |  li | tt'
    """
    edges = [0, *cuts[: bisect_left(cuts, last)], last]
    return visible(" | ".join(map(text.__getitem__, starmap(slice, pairwise(edges)))))
