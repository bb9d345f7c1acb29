"""A portrait's figures as rows with a bar each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from webapp.core.portrait import Portrait
from webapp.vocabulary_pages.words import kind_title

ONE_BY_ONE = 16  # lengths that have a row of their own; longer ones share one with as many more


@dataclass(frozen=True)
class Bar:
    """A row: how many tokens, which share of all, and how long the bar is, in percent of the longest."""

    title: str
    count: int
    share: float
    percent: float


def length_bars(portrait: Portrait) -> list[Bar]:
    """The tokens by their number of characters: 1, 2, … 16, 17–32, 33–64 and so on."""
    counts: dict[str, int] = {}
    if portrait.lengths:
        counts = dict.fromkeys(map(_range, range(1, min(max(portrait.lengths), ONE_BY_ONE) + 1)), 0)
    for length, count in portrait.lengths.items():
        title = _range(length)
        counts[title] = counts.get(title, 0) + count
    return _bars(counts.items(), portrait.size)


def kind_bars(portrait: Portrait) -> list[Bar]:
    """The tokens by script, and those that are of none, most first."""
    return _bars(((kind_title(kind), count) for kind, count in portrait.kinds.items()), portrait.size)


def _range(length: int) -> str:
    """The row of a length.

    >>> [_range(length) for length in (7, 16, 17, 32, 33, 128)]
    ['7', '16', '17–32', '17–32', '33–64', '65–128']
    """
    if length <= ONE_BY_ONE:
        return str(length)
    last = 1 << (length - 1).bit_length()
    return f"{last // 2 + 1}–{last}"


def _bars(counts: Iterable[tuple[str, int]], size: int) -> list[Bar]:
    counts = list(counts)
    longest = max((count for _, count in counts), default=0) or 1
    return [Bar(title, count, count / size, round(100 * count / longest, 2)) for title, count in counts]
