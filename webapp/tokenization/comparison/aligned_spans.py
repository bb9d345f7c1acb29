"""Splits a text into aligned spans, each with the tokens of every row, for interlinear text.

A span ends where all rows have a boundary, so that no token crosses it. If a span would be too long for a narrow page,
and where a line of the text ends, it ends earlier, if possible at a boundary of some rows; a token that crosses this
boundary is drawn in two cells.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from unicodedata import combining, east_asian_width

from webapp.core.analysis.agreement import Agreement
from webapp.core.encoding import Encoding
from webapp.rendering.graphemes import cluster_ends
from webapp.rendering.markup import visible

WIDEST = 22  # a span, in half-width characters: two thirds of a line on a phone


class AlignedCell(NamedTuple):
    """A token of a row, several that share a character, or the part of a token inside a span.

    The cell covers the text from `start` to `end`, the token that from `first` to `last`. `tokens` is the number of
    tokens that begin in the cell: 0 if one continues from the span before. `alone` says whether the cell begins with a
    boundary that not every row has.
    """

    start: int
    first: int
    last: int
    end: int
    tokens: int
    alone: bool
    unknown: bool
    special: bool


@dataclass(frozen=True, slots=True)
class AlignedSpan:
    """A span of the text with the cells of each row; `ends_line` says whether it ends with a line end."""

    start: int
    end: int
    rows: Sequence[Sequence[AlignedCell]]
    ends_line: bool

    @property
    def disputed(self) -> bool:
        """Whether it begins with or contains a boundary that not all rows have."""
        return any(cell.alone for row in self.rows for cell in row)


def aligned_spans_of(text: str, encodings: Sequence[Encoding], agreement: Agreement, most: int) -> list[AlignedSpan]:
    """The spans of a text, up to about `most` characters; the time is linear in the length shown."""
    last = _last_shown(text, agreement, most)
    inside = cluster_ends(text[:last])
    edges = list(_edges(text, last, agreement, inside))
    agreed = frozenset(agreement.agreed[: bisect_right(agreement.agreed, last)])
    rows = [
        _cells(encoding, [offset for offset in cuts[: bisect_right(cuts, last)] if offset not in inside], edges, agreed)
        for encoding, cuts in zip(encodings, agreement.each, strict=True)
    ]
    return [
        AlignedSpan(start, end, [cells[at] for cells in rows], text[end - 1] == "\n")
        for at, (start, end) in enumerate(zip([0, *edges], edges, strict=False))
    ]


def _last_shown(text: str, agreement: Agreement, most: int) -> int:
    """The offset where the drawing ends: the end of the text, a boundary of all rows, or the limit."""
    if len(text) <= most:
        return len(text)
    at = bisect_right(agreement.agreed, most)
    last = agreement.agreed[at - 1] if at else 0
    return last if last > most // 2 else most


def _edges(text: str, last: int, agreement: Agreement, inside: Mapping[int, int]) -> Iterator[int]:
    """Yield the end of each span."""
    votes = Counter(offset for each in agreement.each for offset in each[: bisect_right(each, last)])
    every = len(agreement.each)
    start, width, best, weight = 0, 0, 0, 0
    for offset in range(1, last):
        width += _width(text[offset - 1])
        if offset in inside:
            continue
        if votes[offset] == every or (text[offset - 1] == "\n" and text[offset] != "\n"):
            yield offset
            start, width, best, weight = offset, 0, offset, 0
            continue
        if width >= WIDEST:
            # Prefer a boundary of some rows.
            cut = best if weight else offset
            yield cut
            width = sum(map(_width, text[cut:offset]))
            start, best, weight = cut, cut, 0
        elif votes[offset] and votes[offset] >= weight and width * 3 >= WIDEST:
            best, weight = offset, votes[offset]
    if last > start:
        yield last


def _cells(
    encoding: Encoding, cuts: Sequence[int], edges: Sequence[int], agreed: frozenset[int]
) -> list[list[AlignedCell]]:
    """The cells of one row, for each span."""
    starts, ends, unknown, special = encoding.starts, encoding.ends, encoding.unknown, encoding.special
    total, length = len(encoding), len(encoding.text)
    rows: list[list[AlignedCell]] = []
    token, reach, at, start = 0, 0, 0, 0
    is_unknown = is_special = False  # of the token that continues into the cell
    for edge in edges:
        cells = []
        while start < edge:
            while at < len(cuts) and cuts[at] <= start:
                at += 1
            end = min(edge, cuts[at]) if at < len(cuts) else edge
            first = start
            if reach <= start:
                first, is_unknown, is_special = end, False, False
            began = token
            # Tokens without text after the end of the text belong to the last cell.
            while token < total and (starts[token] < end or ends[token] == end == length):
                if first == end and starts[token] < ends[token]:
                    first = max(start, starts[token])
                is_unknown, is_special = is_unknown or token in unknown, is_special or token in special
                if ends[token] > reach:
                    reach = ends[token]
                token += 1
            alone = at > 0 and cuts[at - 1] == start and start not in agreed
            last = end if first == end or reach > end else reach
            cells.append(AlignedCell(start, first, last, end, token - began, alone, is_unknown, is_special))
            start = end
        rows.append(cells)
    return rows


def _width(character: str) -> int:
    """The approximate width of a character in half-widths; an invisible one is as wide as its substitute."""
    if character < "\x7f" and character.isprintable():
        return 1
    if combining(character):
        return 0
    if east_asian_width(character) in "WF":
        return 2
    return len(visible(character))
