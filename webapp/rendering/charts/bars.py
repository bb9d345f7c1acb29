"""Horizontal bar charts: each row has a label, a bar and its value."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.rendering.charts.axes import Axis

WIDTH = 400
RIGHT, TOP, BOTTOM = 56, 4, 40  # margins for the figures, and the axis with its title
ROW, THICK = 24, 14  # height of a row, and of its bar


@dataclass(frozen=True)
class Bar:
    """A row: its label, its value, and the value as text; `strong` highlights it."""

    name: str
    value: float
    label: str
    strong: bool = False


@dataclass(frozen=True)
class DrawnBar:
    """The position of a bar: the middle of its row, and its ends."""

    name: str
    label: str
    strong: bool
    middle: float
    begin: float
    end: float


@dataclass(frozen=True)
class BarChart:
    """Rows of bars over one axis from 0. `names` is the width of the labels, in units of the picture.

    `key`, `title` and `description` are as in `LineChart`.
    """

    key: str
    title: str
    description: str
    axis: Axis
    bars: tuple[Bar, ...]
    names: float = 96

    width, thick, top = WIDTH, THICK, TOP

    @property
    def bottom(self) -> float:
        """The vertical position of the axis."""
        return TOP + ROW * len(self.bars)

    @property
    def height(self) -> float:
        """The height of the picture, for all rows and the axis."""
        return self.bottom + BOTTOM

    def drawn(self) -> list[DrawnBar]:
        """The bars from top to bottom.

        >>> from webapp.rendering.charts import Axis
        >>> chart = BarChart("c", "", "", Axis("", 0, 4, ()), (Bar("a", 1, "1"), Bar("b", 4, "4")), names=44)
        >>> [(bar.middle, bar.begin, bar.end) for bar in chart.drawn()]
        [(16.0, 44, 119.0), (40.0, 44, 344.0)]
        """
        return [
            DrawnBar(bar.name, bar.label, bar.strong, TOP + ROW * (row + 0.5), self.names, self.at(bar.value))
            for row, bar in enumerate(self.bars)
        ]

    def at(self, value: float) -> float:
        """The horizontal position of a value."""
        return round(self.names + self.axis.place(value) * (WIDTH - RIGHT - self.names), 1)
