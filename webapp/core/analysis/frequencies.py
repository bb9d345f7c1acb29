"""Token frequencies of a text, most frequent first.

Zipf 1949, "Human Behavior and the Principle of Least Effort": in a large text the second most frequent word occurs
about half as often as the first, the third a third as often, and so on: rank times frequency is nearly constant.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from statistics import linear_regression


@dataclass(frozen=True, slots=True)
class RankedToken:
    """A token and its number of occurrences; ranks start at 1, and ties are in order of first occurrence."""

    rank: int
    id: int
    count: int


def ranked(ids: Iterable[int] | Mapping[int, int]) -> list[RankedToken]:
    """The distinct ids, or those of a mapping to counts, with their ranks and counts, most frequent first.

    >>> ranked([7, 3, 7, 5, 7, 3])
    [RankedToken(rank=1, id=7, count=3), RankedToken(rank=2, id=3, count=2), RankedToken(rank=3, id=5, count=1)]
    """
    return [RankedToken(rank, id, count) for rank, (id, count) in enumerate(Counter(ids).most_common(), 1)]


def thinned(tokens: Sequence[RankedToken], most: int = 150) -> list[RankedToken]:
    """At most `most` of the tokens, evenly spaced on a logarithmic scale of ranks, including the first and the last.

    >>> tokens = [RankedToken(rank, 0, 1) for rank in range(1, 10_001)]
    >>> [token.rank for token in thinned(tokens, 5)]
    [1, 10, 100, 1000, 10000]
    """
    if len(tokens) <= most:
        return list(tokens)
    ranks = {round(len(tokens) ** (step / (most - 1))) for step in range(most)}
    return [tokens[rank - 1] for rank in sorted(ranks)]


def slope(tokens: Sequence[RankedToken]) -> float | None:
    """The slope of the logarithm of the count over that of the rank; -1 by Zipf's law, None with fewer than ten points.

    It is fitted by least squares to the tokens that occur twice or more, `thinned`, so that the many rare ones do not
    decide alone.

    >>> round(slope([RankedToken(rank, 0, 10_000 // rank) for rank in range(1, 1_000)]), 1)
    -1.0
    """
    points = [(log(token.rank), log(token.count)) for token in thinned(tokens) if token.count > 1]
    return linear_regression(*zip(*points, strict=True)).slope if len(points) >= 10 else None
