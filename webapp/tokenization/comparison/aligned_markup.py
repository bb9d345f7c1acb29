"""Renders passages of aligned columns as HTML; joined strings, because there are thousands of columns.

A column has a line for each row, one below the other, and columns wrap like words:

    <span class="col d2"><b><i class="k1">low</i></b><b><i class="k1">lo</i><i class="k2">w</i></b></span>

`d2` to `d4` say in how many ways the rows split the text of the column; `k1` to `k6` are the tints of the tokens.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import pairwise, starmap
from types import MappingProxyType

from flask_babel import gettext as _
from flask_babel import ngettext
from markupsafe import Markup, escape

from webapp.rendering.markup import visible
from webapp.tokenization.comparison.aligned_spans import AlignedCell, AlignedSpan, width_of
from webapp.tokenization.comparison.joins import begins_right_to_left, direction_of, is_joined
from webapp.tokenization.comparison.passages import Passage
from webapp.tokenization.comparison.tints import TINTS
from webapp.web.localization import number

_DIRECTIONS = {1: ("&rlm;", ' dir="rtl"'), 0: ("&lrm;", ' dir="ltr"'), None: ("", "")}
_MOST_WAYS = 4  # more have the same colour
_NARROWEST_LINE = 10  # half-width characters that a line has at least


class AlignedMarkup:
    """Renders columns of one text as HTML."""

    def __init__(
        self,
        text: str,
        numbers: Sequence[int],
        *,
        show: bool = False,
        notes: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        """`numbers` are those of the rows; with `show`, spaces and line ends are visible.

        `notes` are added to the titles of the columns in which their offsets are.
        """
        self._numbers = "\n".join(map(str, numbers))
        self._text = text
        self._show = show
        self._notes = notes
        self._cells: dict[tuple[object, ...], tuple[str, str]] = {}  # many rows have the same cells
        self._bidirectional = direction_of(text) == 1
        self._title = _("%(count)s ways to split “%(text)s”")

    def is_right_to_left(self, passage: Passage) -> bool:
        """Whether the first letter of a passage is from a right-to-left script."""
        start, end = passage.columns[0].start, passage.columns[-1].end
        return self._bidirectional and begins_right_to_left(self._text, start, end)

    def html(self, passage: Passage, tints: Sequence[Sequence[int]]) -> Markup:
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
            sentence = self._title % {"count": column.ways, "text": shown or "·"}
            notes = filter(None, map(self._notes.get, range(column.start, column.end))) if self._notes else ()
            title = f' title="{escape(" · ".join([sentence, *dict.fromkeys(notes)]))}"'
        if is_joined(self._text, column.start):
            kinds += " p"
        if is_joined(self._text, column.end):
            kinds += " j"
        mark, direction = self._direction(text)
        return f'{mark}<span class="{kinds}"{direction}{title}>{rows}</span>{mark}'

    def _direction(self, text: str) -> tuple[str, str]:
        """In a text with both directions, the mark that gives a column its own direction, and its `dir` attribute."""
        if not self._bidirectional:
            return "", ""
        return _DIRECTIONS[direction_of(text)]

    def _row(self, cells: Sequence[AlignedCell], tint: int) -> str:
        parts = []
        for cell in cells:
            before, after = self._cell(cell)
            if cell.has_box:
                parts.append(f"{before}{tint}{after}")
                tint = tint % TINTS + 1
            else:
                parts.append(before)
        return "".join(parts)

    def _cell(self, cell: AlignedCell) -> tuple[str, str]:
        """The HTML of a cell before and after the number of its tint."""
        text = self._text
        own = text[cell.first : cell.last]
        before, after = text[cell.start : cell.first], text[cell.last : cell.end]
        key = (before, own, after, *cell[4:])
        html = self._cells.get(key)
        if html is None:
            html = self._cells[key] = self._written(cell, before, own, after)
        return html

    def _written(self, cell: AlignedCell, before: str, own: str, after: str) -> tuple[str, str]:
        before, own, after = map(self._shown, (before, own, after))
        if not cell.has_box:
            return before + after, ""
        kinds = [
            name
            for name, holds in (
                ("b", cell.shared),
                ("o", not cell.tokens),
                ("u", cell.unknown),
                ("x", cell.special),
                ("n", own == "↵"),
            )
            if holds
        ]
        count = ""
        if cell.tokens > 1:
            sentence = ngettext("%(count)s token", "%(count)s tokens", cell.tokens, count=number(cell.tokens))
            # The mark of a split character says two; a number says more, or that a token has no text of its own.
            number_shown = f' data-n="{cell.tokens}"' if cell.tokens > 2 or not cell.shared else ""
            count = f'{number_shown} title="{escape(sentence)}"'
        return f'{before}<i class="k', f'{"".join(f" {kind}" for kind in kinds)}"{count}>{own}</i>{after}'

    def _shown(self, text: str) -> str:
        if not text:
            return ""
        # A line end is shown, but does not break the line: the text after it is in another column.
        text = visible(text, self._show).replace("↵\n", "↵").replace("→\t", "⇥").replace("\n", "↵").replace("\t", "⇥")
        return str(escape(text))


def as_text(text: str, cuts: Sequence[int], last: int) -> str:
    """The tokens of one row up to offset `last`, separated by bars.

    >>> as_text("however little", [3, 7, 10], 12)
    'how | ever |  li | tt'
    """
    edges = [0, *cuts[: bisect_left(cuts, last)], last]
    return visible(" | ".join(map(text.__getitem__, starmap(slice, pairwise(edges)))))
