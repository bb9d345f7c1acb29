"""The chart of rank against frequency on logarithmic axes; positions are in percent of its width and height."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10

from webapp.core.analysis.frequencies import RankedToken, thinned

LEFT, RIGHT, TOP, BOTTOM = 9.0, 1.5, 3.0, 9.0  # margins in percent, for the numbers of the axes


@dataclass(frozen=True)
class PlotTick:
    """A grid line: its value, and its position in percent."""

    value: int
    position: float


@dataclass(frozen=True)
class PlotPoint:
    """The mark of one token, in percent."""

    x: float
    y: float


@dataclass(frozen=True)
class Plot:
    """The chart. `zipf` holds the ends of the line on which rank times frequency is that of the first token."""

    points: Sequence[PlotPoint]
    ranks: Sequence[PlotTick]
    counts: Sequence[PlotTick]
    zipf: tuple[PlotPoint, PlotPoint]


def plot_of(tokens: Sequence[RankedToken]) -> Plot:
    """The chart of `tokens`, of which there must be at least one.

    >>> plot = plot_of([RankedToken(1, 7, 10), RankedToken(2, 3, 5), RankedToken(3, 5, 1)])
    >>> [tick.value for tick in plot.ranks], [tick.value for tick in plot.counts]
    ([1, 10], [1, 10])
    """
    most = tokens[0].count
    widest, highest = _decades(len(tokens)), _decades(most)

    def x(rank: float) -> float:
        return round(LEFT + log10(rank) / widest * (100 - LEFT - RIGHT), 2)

    def y(count: float) -> float:
        return round(100 - BOTTOM - log10(count) / highest * (100 - TOP - BOTTOM), 2)

    # On Zipf's line rank times frequency is constant; it ends where it meets an edge of the chart.
    last = min(most, 10.0**widest)
    return Plot(
        [PlotPoint(x(token.rank), y(token.count)) for token in thinned(tokens)],
        [PlotTick(10**power, x(10**power)) for power in range(widest + 1)],
        [PlotTick(10**power, y(10**power)) for power in range(highest + 1)],
        (PlotPoint(x(1), y(most)), PlotPoint(x(last), y(most / last))),
    )


def _decades(most: int) -> int:
    """The number of decades that cover 1 to `most`, at least one.

    >>> _decades(1), _decades(10), _decades(11)
    (1, 1, 2)
    """
    return max(1, len(str(most - 1)))
