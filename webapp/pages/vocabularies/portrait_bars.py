"""A portrait's figures as rows with a bar each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from webapp.core.analysis.portrait import Portrait
from webapp.pages.vocabularies.messages import kind_title
from webapp.web.localization import number

ONE_BY_ONE = 16  # lengths that have a row of their own; longer ones share one with as many more


@dataclass(frozen=True)
class PortraitBar:
    """A row: how many tokens, which share of all, and how long the bar is, in percent of the longest."""

    title: str
    count: int
    share: float
    percent: float


def length_bars(portrait: Portrait) -> list[PortraitBar]:
    """The tokens by their number of characters: 1, 2, … 16, 17–32, 33–64 and so on.

    Rows without a token that follow each other are one row, so that a gap is seen and does not fill the page.
    """
    counts: dict[tuple[int, int], int] = {}
    first, longest = min(portrait.lengths, default=1), max(portrait.lengths, default=0)
    length = min(first, 1)
    while length <= longest:
        counts[_range(length)] = 0
        length = _range(length)[1] + 1
    for length, count in portrait.lengths.items():
        counts[_range(length)] += count
    rows: list[tuple[str, int]] = []
    for is_empty, group in groupby(counts.items(), key=lambda row: not row[1]):
        if is_empty:
            gap = [lengths for lengths, _count in group]
            rows.append((_title(gap[0][0], gap[-1][1]), 0))
        else:
            rows += [(_title(*lengths), count) for lengths, count in group]
    return _bars(rows, portrait.size)


def kind_bars(portrait: Portrait) -> list[PortraitBar]:
    """The tokens by script, and those that are of none, most first."""
    return _bars(((kind_title(kind), count) for kind, count in portrait.kinds.items()), portrait.size)


def _range(length: int) -> tuple[int, int]:
    """The lengths, first and last, that share a row with `length`.

    >>> [_range(length) for length in (7, 16, 17, 32, 33, 128)]
    [(7, 7), (16, 16), (17, 32), (17, 32), (33, 64), (65, 128)]
    """
    if length <= ONE_BY_ONE:
        return length, length
    last = 1 << (length - 1).bit_length()
    return last // 2 + 1, last


def _title(first: int, last: int) -> str:
    return number(first) if first == last else f"{number(first)}–{number(last)}"


def _bars(counts: Iterable[tuple[str, int]], size: int) -> list[PortraitBar]:
    counts = list(counts)
    longest = max((count for _, count in counts), default=0) or 1
    return [PortraitBar(title, count, count / size, round(100 * count / longest, 2)) for title, count in counts]
