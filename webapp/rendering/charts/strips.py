"""The chart: for each row a strip with a mark for every tokenizer, told apart by shape and by colour.

Positions are percentages of the strip's width, so that one drawing fits a phone and a wide screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log2

# SVG paths centred on 0 0, one for each tokenizer that can be chosen.
SHAPES = (
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",  # a disc
    "M-4 -4h8v8h-8z",  # a square
    "M0 -5l5 8.5h-10z",  # a triangle
    "M0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5z",  # a diamond
    "M-1.5 -5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5v-3h3.5z",  # a plus
    "M0 5l5 -8.5h-10z",  # a triangle, upside down
)

MARGIN = 3.0  # percent on either side, so that marks stay inside the strip
TICKS = (1, 2, 5)


@dataclass(frozen=True)
class ScaleTick:
    """A line of the scale: its value, and its position in percent; a `minor` one has no number where space is short."""

    value: float
    place: float
    minor: bool = False


@dataclass(frozen=True)
class Scale:
    """Maps values to positions. Ratios use a logarithmic scale, on which doubling and halving are the same distance."""

    minimum: float
    maximum: float
    logarithmic: bool

    @staticmethod
    def covering(values: Sequence[float], *, logarithmic: bool) -> Scale:
        """The scale of some values: from 0, or from one power of two to another with 1 between them.

        >>> Scale.covering([0.6, 3], logarithmic=True)
        Scale(minimum=0.5, maximum=4.0, logarithmic=True)
        """
        if logarithmic:
            least, most = min([*values, 1.0]), max([*values, 2.0])
            return Scale(2.0 ** floor(log2(least)), 2.0 ** ceil(log2(most)), True)
        return Scale(0, max(values) * 1.02 if values else 2, False)

    def place(self, value: float) -> float:
        """The position of a value, in percent of the width.

        >>> scale = Scale(1, 4, True)
        >>> [round(scale.place(value)) for value in (1, 2, 4)]
        [3, 50, 97]
        """
        left, right = self._scaled(self.minimum), self._scaled(self.maximum)
        share = (self._scaled(value) - left) / (right - left) if right > left else 0.5
        return round(MARGIN + share * (100 - 2 * MARGIN), 2)

    def ticks(self) -> list[ScaleTick]:
        """The lines of the scale: powers of two, or at most seven round numbers.

        >>> [tick.value for tick in Scale(0.5, 8, True).ticks()], [tick.value for tick in Scale(0, 230, False).ticks()]
        ([0.5, 1.0, 2.0, 4.0, 8.0], [0.0, 50.0, 100.0, 150.0, 200.0])
        """
        if self.logarithmic:
            values = [2.0**power for power in range(-6, 12)]
            minor = {2.0**power for power in range(-5, 12, 2)}
        else:
            step = _step(self.maximum)
            values = [step * count for count in range(8)]
            minor = {step * count for count in range(1, 8, 2)}
        return [
            ScaleTick(value, self.place(value), value in minor)
            for value in values
            if self.minimum <= value <= self.maximum
        ]

    def _scaled(self, value: float) -> float:
        return log2(value) if self.logarithmic else value


def _step(most: float) -> float:
    """A round distance between lines that gives at most seven of them.

    >>> _step(230), _step(5.5), _step(0.9)
    (50.0, 1.0, 0.2)
    """
    size = 0.01
    while True:
        for digit in TICKS:
            if most / (size * digit) <= 6:
                return round(size * digit, 4)
        size *= 10
