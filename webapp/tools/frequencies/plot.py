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
    ([1, 2, 5], [1, 2, 5, 10])
    """
    most = tokens[0].count
    ranks, counts = axis_values(len(tokens)), axis_values(most)
    widest, highest = log10(ranks[-1]), log10(counts[-1])

    def x(rank: float) -> float:
        return round(LEFT + log10(rank) / widest * (100 - LEFT - RIGHT), 2)

    def y(count: float) -> float:
        return round(100 - BOTTOM - log10(count) / highest * (100 - TOP - BOTTOM), 2)

    # On Zipf's line rank times frequency is constant; it ends where it meets an edge of the chart.
    last = min(most, ranks[-1])
    return Plot(
        [PlotPoint(x(token.rank), y(token.count)) for token in thinned(tokens)],
        [PlotTick(value, x(value)) for value in ranks],
        [PlotTick(value, y(value)) for value in counts],
        (PlotPoint(x(1), y(most)), PlotPoint(x(last), y(most / last))),
    )


def axis_values(most: int) -> list[int]:
    """The values that an axis marks, from 1 to at least `most` and to at least 2: 1, 2, 5, 10 …, or powers of ten.

    >>> axis_values(1), axis_values(17), axis_values(3_000)
    ([1, 2], [1, 2, 5, 10, 20], [1, 10, 100, 1000, 5000])
    """
    steps = [digit * 10**power for power in range(len(str(most)) + 1) for digit in (1, 2, 5)]
    end = next(step for step in steps if step >= max(most, 2))
    shown = [step for step in steps if step < end and (end <= 1_000 or str(step)[0] == "1")]
    return [*shown, end]
