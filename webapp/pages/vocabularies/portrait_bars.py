"""The figures of a portrait as rows with bars."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from webapp.core.analysis.portrait import Portrait
from webapp.vocabularies.token_kinds import kind_title
from webapp.web.localization import number

ONE_BY_ONE = 16  # lengths up to this have their own row; longer ones share rows


@dataclass(frozen=True)
class PortraitBar:
    """A row: the number of tokens, their share, and the length of the bar in percent of the longest."""

    title: str
    count: int
    share: float
    percent: float


def length_bars(portrait: Portrait) -> list[PortraitBar]:
    """The tokens by number of characters: 1, 2, … 16, 17–32, 33–64 and so on.

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
    """The tokens by script or other kind, most frequent first."""
    return _bars(((kind_title(kind), count) for kind, count in portrait.kinds.items()), portrait.size)


def _range(length: int) -> tuple[int, int]:
    """The first and last length of the row that contains `length`.

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
