"""Axes: where a value stands between two ends, and which values are named."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import floor, log, log10

from webapp.web.localization import number


@dataclass(frozen=True)
class Tick:
    """A value that an axis marks; `label` is empty where there is only a mark."""

    value: float
    label: str = ""


@dataclass(frozen=True)
class Axis:
    """An axis from `low` to `high`; on a logarithmic one, equal steps multiply."""

    title: str
    low: float
    high: float
    ticks: tuple[Tick, ...]
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """Where a value stands, from 0 at `low` to 1 at `high`.

        >>> Axis("", 0, 4, ()).place(1), Axis("", 1, 16, (), logarithmic=True).place(4)
        (0.25, 0.5)
        """
        if self.logarithmic:
            return log(value / self.low) / log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def linear(title: str, values: Iterable[float], *, most_ticks: int = 6) -> Axis:
    """An axis from 0, or the least value below it, to just above the greatest, with round numbers marked.

    A page's request must be under way: numbers are written as its reader writes them.
    """
    found = [*values, 0.0]
    low, high = min(found), max(found)
    step = _round_step((high - low) / most_ticks if high > low else 1.0)
    first, last = floor(low / step + 1e-9), max(floor(high / step + 1e-9), 1)
    digits = max(0, -floor(log10(step)))
    ticks = tuple(Tick(round(count * step, 12), number(count * step, digits)) for count in range(first, last + 1))
    # What is greatest stands a little below the top, wherever the last round number is.
    return Axis(title, first * step, max(last * step, high + 0.03 * (high - low)), ticks)


def logarithmic(title: str, low: float, high: float, marked: Iterable[float], named: Iterable[float]) -> Axis:
    """An axis from `low` to `high`, both above 0, with marks at some values and names at some of these."""
    names = set(named)
    ticks = tuple(Tick(value, number(value) if value in names else "") for value in marked)
    return Axis(title, low, high, ticks, logarithmic=True)


def _round_step(least: float) -> float:
    """The least of 1, 2, 5, 10, 20 … (or 0.5, 0.2 …) that is not below `least`.

    >>> [_round_step(least) for least in (0.12, 0.7, 1, 3, 60)]
    [0.2, 1.0, 1.0, 5.0, 100.0]
    """
    power = 10.0 ** floor(log10(least))
    return next(round(factor * power, 12) for factor in (1, 2, 5, 10) if factor * power >= least - 1e-12)
