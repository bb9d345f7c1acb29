"""Axes: the position of a value between two ends, and the values with labels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import floor, log, log10

from webapp.web.localization import number


@dataclass(frozen=True)
class Tick:
    """A value that an axis marks; `label` is empty for a mark without a label."""

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
        """The position of a value, from 0 at `low` to 1 at `high`.

        >>> Axis("", 0, 4, ()).place(1), Axis("", 1, 16, (), logarithmic=True).place(4)
        (0.25, 0.5)
        """
        if self.logarithmic:
            return log(value / self.low) / log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def linear(title: str, values: Iterable[float], *, most_ticks: int = 6) -> Axis:
    """An axis from 0, or the lowest negative value, to just above the highest, with marks at round numbers.

    Requires a request context, for the number format of the visitor's language.
    """
    with_zero = [*values, 0.0]
    low, high = min(with_zero), max(with_zero)
    step = _round_step((high - low) / most_ticks if high > low else 1.0)
    first, last = floor(low / step + 1e-9), max(floor(high / step + 1e-9), 1)
    digits = max(0, -floor(log10(step)))
    ticks = tuple(Tick(round(count * step, 12), number(count * step, digits)) for count in range(first, last + 1))
    # The highest value is slightly below the top, independent of the last round number.
    return Axis(title, first * step, max(last * step, high + 0.03 * (high - low)), ticks)


def logarithmic(title: str, low: float, high: float, marked: Iterable[float], named: Iterable[float]) -> Axis:
    """A logarithmic axis from `low` to `high`, both above 0, with marks at some values and labels at some marks."""
    names = set(named)
    ticks = tuple(Tick(value, number(value) if value in names else "") for value in marked)
    return Axis(title, low, high, ticks, logarithmic=True)


def _round_step(least: float) -> float:
    """The smallest of 1, 2, 5, 10, 20 … (or 0.5, 0.2 …) that is at least `least`.

    >>> [_round_step(least) for least in (0.12, 0.7, 1, 3, 60)]
    [0.2, 1.0, 1.0, 5.0, 100.0]
    """
    power = 10.0 ** floor(log10(least))
    return next(round(factor * power, 12) for factor in (1, 2, 5, 10) if factor * power >= least - 1e-12)
