"""Splits a text into aligned columns, each with the tokens of every row.

A column ends where all rows have a boundary, so that no token crosses it. If it would be too wide for a narrow page,
and where a line of the text ends, it ends earlier, if possible at a boundary of some rows; a token that crosses this
boundary is drawn in two cells.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, groupby
from typing import NamedTuple
from unicodedata import combining, east_asian_width

from webapp.core.analysis.measures import Agreement
from webapp.core.encoding import Encoding
from webapp.rendering.graphemes import cluster_ends
from webapp.rendering.markup import is_mark_alone, visible

WIDEST = 22  # a column, in half-width characters: two thirds of a line on a phone


class AlignedCell(NamedTuple):
    """A token of a row, several that share a character, or the part of a token inside a span.

    The cell covers the text from `start` to `end`, the token that from `first` to `last`. `tokens` is the number of
    tokens that begin in the cell: 0 if one continues from the column before. `shared` says whether several of them are
    parts of one character; if not, tokens beyond the first have no text of their own.
    """

    start: int
    first: int
    last: int
    end: int
    tokens: int
    shared: bool
    unknown: bool
    special: bool

    @property
    def has_box(self) -> bool:
        """Whether a token is drawn in the cell; if not, a tokenizer drops its text."""
        return self.first < self.last


@dataclass(frozen=True, slots=True)
class AlignedSpan:
    """A column: a span of the text with the cells of each row.

    `ways` is the number of different ways in which the rows split the text between two boundaries that all rows have;
    columns that share such a span have the same number. `starts` says whether the column begins at such a boundary,
    and `ends_line` whether it ends with a line end.
    """

    start: int
    end: int
    rows: Sequence[Sequence[AlignedCell]]
    ways: int
    starts: bool
    ends_line: bool


def aligned_spans_of(
    text: str,
    encodings: Sequence[Encoding],
    agreement: Agreement,
    most: int,
    inside: Mapping[int, int] | None = None,
) -> list[AlignedSpan]:
    """The columns of a text, up to about `most` characters; the time is linear in the length shown.

    `inside` has the offsets inside grapheme clusters, from `cluster_ends`, if they are known.
    """
    last = _last_shown(text, agreement, most)
    if inside is None:
        inside = cluster_ends(text[:last])
    edges = list(_edges(text, last, agreement, inside))
    agreed = frozenset(agreement.agreed[: bisect_right(agreement.agreed, last)])
    rows = [
        _cells(encoding, [offset for offset in cuts[: bisect_right(cuts, last)] if offset not in inside], edges)
        for encoding, cuts in zip(encodings, agreement.each, strict=True)
    ]
    begins = [0, *edges[:-1]]
    starts = [at == 0 or begin in agreed for at, begin in enumerate(begins)]
    ways: list[int] = []
    for _number, group in groupby(range(len(edges)), list(accumulate(starts)).__getitem__):
        columns = list(group)
        found = _ways(agreement, begins[columns[0]], edges[columns[-1]], [[row[at] for at in columns] for row in rows])
        ways += [found] * len(columns)
    return [
        AlignedSpan(begins[at], end, [cells[at] for cells in rows], ways[at], starts[at], text[end - 1] == "\n")
        for at, end in enumerate(edges)
    ]


def _ways(agreement: Agreement, start: int, end: int, rows: Sequence[Sequence[Sequence[AlignedCell]]]) -> int:
    """In how many ways the rows split a span: their boundaries differ, or the tokens of one character."""
    return len(
        {
            (
                cuts[bisect_right(cuts, start) : bisect_left(cuts, end)],
                sum(cell.tokens for part in row for cell in part),
            )
            for cuts, row in zip(agreement.each, rows, strict=True)
        }
    )


def _last_shown(text: str, agreement: Agreement, most: int) -> int:
    """The offset where the drawing ends: the end of the text, a boundary of all rows, or the limit."""
    if len(text) <= most:
        return len(text)
    at = bisect_right(agreement.agreed, most)
    last = agreement.agreed[at - 1] if at else 0
    return last if last > most // 2 else most


def _edges(text: str, last: int, agreement: Agreement, inside: Mapping[int, int]) -> Iterator[int]:
    """Yield the end of each column."""
    votes = Counter(offset for each in agreement.each for offset in each[: bisect_right(each, last)])
    every = len(agreement.each)
    start, width, best, weight = 0, 0, 0, 0
    for offset in range(1, last):
        width += width_of(text[offset - 1])
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
            width = sum(map(width_of, text[cut:offset]))
            start, best, weight = cut, cut, 0
        elif votes[offset] and votes[offset] >= weight and width * 3 >= WIDEST:
            best, weight = offset, votes[offset]
    if last > start:
        yield last


def _cells(encoding: Encoding, cuts: Sequence[int], edges: Sequence[int]) -> list[list[AlignedCell]]:
    """The cells of one row, for each column."""
    starts, ends, unknown, special = encoding.starts, encoding.ends, encoding.unknown, encoding.special
    total, length = len(encoding), len(encoding.text)
    count = len(cuts)
    rows: list[list[AlignedCell]] = []
    token, reach, at, start = 0, 0, 0, 0
    is_unknown = is_special = False  # of the token that continues into the cell
    for edge in edges:
        cells = []
        while start < edge:
            while at < count and cuts[at] <= start:
                at += 1
            end = cuts[at] if at < count and cuts[at] < edge else edge
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
            last = end if first == end or reach > end else reach
            shared = token - began > 1 and _without_marks(encoding, began, token) > 1
            cells.append(AlignedCell(start, first, last, end, token - began, shared, is_unknown, is_special))
            start = end
        rows.append(cells)
    return rows


def _without_marks(encoding: Encoding, first: int, last: int) -> int:
    """How many of some tokens have text: not the mark of a space before a word that is the next token."""
    starts, ends = encoding.starts, encoding.ends
    return sum(starts[at] < ends[at] and not is_mark_alone(encoding, at) for at in range(first, last))


def width_of(character: str) -> int:
    """The approximate width of a character in half-widths; an invisible one is as wide as its substitute."""
    if character < "\x7f" and character.isprintable():
        return 2 if character in "mwMW@%" else 1
    if combining(character):
        return 0
    if east_asian_width(character) in "WF":
        return 2
    return len(visible(character))


class SpanCounts(NamedTuple):
    """The spans between the boundaries that all rows have, and how many of them the rows split differently."""

    spans: int
    differing: int


def span_counts(
    text: str, encodings: Sequence[Encoding], agreement: Agreement, inside: Container[int] = ()
) -> SpanCounts:
    """Count the spans of a text; `inside` has the offsets inside visible characters, where no span ends.

    A span differs if a row has a boundary in it, or if a character in it has more tokens in one row than in another.
    """
    if not text or not encodings:
        return SpanCounts(0, 0)
    edges = [offset for offset in agreement.agreed if offset not in inside] if inside else agreement.agreed
    differing = {bisect_right(edges, offset) for offset in agreement.disputed}
    extras = [
        Counter(bisect_right(edges, start) for start in _tokens_without_boundary(encoding, len(cuts)))
        for encoding, cuts in zip(encodings, agreement.each, strict=True)
    ]
    for at in frozenset().union(*extras):
        if len({each[at] for each in extras}) > 1:
            differing.add(at)
    return SpanCounts(len(edges) + 1, len(differing))


def _tokens_without_boundary(encoding: Encoding, boundaries: int) -> list[int]:
    """Where the tokens begin that share a character with the token before them, or that have no text."""
    if len(encoding) == boundaries + 1:
        return []  # each token begins at a boundary: the usual case, and fast
    starts, ends = encoding.starts, encoding.ends
    last = max(len(encoding.text) - 1, 0)
    before = chain((0,), ends)
    return [
        min(start, last)
        for start, end, reach in zip(starts, ends, before, strict=False)
        if start < reach or start == end
    ]
