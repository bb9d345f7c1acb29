"""Line charts: each line has its own marker and dash, and a label at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.rendering.charts.axes import Axis

WIDTH, HEIGHT = 400, 300
LEFT, RIGHT, TOP, BOTTOM = 34, 90, 26, 42  # margins for the axes' numbers, the lines' names, the axes' titles
KINDS = 4  # of distinguishable lines: circle, square, triangle, diamond
NAME_HEIGHT = 15  # the minimum distance between two labels


@dataclass(frozen=True)
class Series:
    """A line: its label and its points from left to right; `strong` for the line that the page is about."""

    name: str
    points: tuple[tuple[float, float], ...]
    strong: bool = False


@dataclass(frozen=True)
class DrawnTick:
    """A mark of an axis at a position in the picture."""

    at: float
    label: str


@dataclass(frozen=True)
class DrawnLine:
    """The positions of a line: `kind`, 0 to 3, selects marker, dash and colour; `name_at` is that of its label."""

    name: str
    kind: int
    strong: bool
    places: tuple[tuple[float, float], ...]
    name_at: float

    @property
    def points(self) -> str:
        """The points in the syntax of an SVG polyline."""
        return " ".join(f"{x:g},{y:g}" for x, y in self.places)


@dataclass(frozen=True)
class LineChart:
    """At most four lines over two axes. `key` is unique among the charts of a page.

    `title` is a short name of the chart, `description` one or two sentences about what it shows, `files` the title and
    address of each file to export.
    """

    key: str
    title: str
    description: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    files: tuple[tuple[str, str], ...] = ()

    width, height = WIDTH, HEIGHT
    left, right, top, bottom = LEFT, WIDTH - RIGHT, TOP, HEIGHT - BOTTOM

    def lines(self) -> list[DrawnLine]:
        """The lines, strong ones last, so that they are on top."""
        placed = [tuple(self._place(point) for point in one.points) for one in self.series]
        names = spread_labels([places[-1][1] for places in placed], NAME_HEIGHT, self.top, self.bottom)
        drawn = [
            DrawnLine(one.name, kind % KINDS, one.strong, places, name)
            for kind, (one, places, name) in enumerate(zip(self.series, placed, names, strict=True))
        ]
        return sorted(drawn, key=lambda line: line.strong)

    def x_ticks(self) -> list[DrawnTick]:
        """The marks of the horizontal axis."""
        return [DrawnTick(self._place((tick.value, self.y.low))[0], tick.label) for tick in self.x.ticks]

    def y_ticks(self) -> list[DrawnTick]:
        """The marks of the vertical axis."""
        return [DrawnTick(self._place((self.x.low, tick.value))[1], tick.label) for tick in self.y.ticks]

    def _place(self, point: tuple[float, float]) -> tuple[float, float]:
        x = self.left + self.x.place(point[0]) * (self.right - self.left)
        y = self.bottom - self.y.place(point[1]) * (self.bottom - self.top)
        return round(x, 1), round(y, 1)


def spread_labels(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """The positions, moved as little as possible to have at least `gap` between any two and to stay within the ends.

    Positions that are too close spread evenly around their mean.

    >>> spread_labels([10, 12, 50], 10, 0, 100)
    [6.0, 16.0, 50]
    >>> spread_labels([2, 1], 10, 0, 100)
    [10, 0]
    """
    order = sorted(range(len(places)), key=places.__getitem__)
    groups: list[tuple[list[int], float]] = []  # adjacent labels that touch, and the position of the first
    for index in order:
        groups.append(([index], places[index]))
        while len(groups) > 1 and groups[-2][1] + gap * len(groups[-2][0]) > groups[-1][1]:
            members = groups[-2][0] + groups[-1][0]
            middle = sum(places[member] for member in members) / len(members)
            first = middle - gap * (len(members) - 1) / 2
            first = max(low, min(first, high - gap * (len(members) - 1)))
            groups[-2:] = [(members, first)]
    moved = list(places)
    for members, first in groups:
        for number, member in enumerate(members):
            moved[member] = round(first + gap * number, 1) if len(members) > 1 else places[member]
    return moved
