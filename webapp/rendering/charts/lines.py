"""Line charts: each line with markers of its own shape, a dash of its own, and its name at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.rendering.charts.axes import Axis

WIDTH, HEIGHT = 400, 300
LEFT, RIGHT, TOP, BOTTOM = 34, 90, 26, 42  # margins for the axes' numbers, the lines' names, the axes' titles
KINDS = 4  # of lines that can be told apart: circle, square, triangle, diamond
NAME_HEIGHT = 15  # the least between two names


@dataclass(frozen=True)
class Series:
    """A line: its name and its points from left to right; `strong` for the one that the page is about."""

    name: str
    points: tuple[tuple[float, float], ...]
    strong: bool = False


@dataclass(frozen=True)
class DrawnTick:
    """A mark on an axis at a place of the picture."""

    at: float
    label: str


@dataclass(frozen=True)
class DrawnLine:
    """A line as the picture has it: `kind` from 0 to 3 says marker, dash and colour; its name stands at `name_at`."""

    name: str
    kind: int
    strong: bool
    places: tuple[tuple[float, float], ...]
    name_at: float

    @property
    def points(self) -> str:
        """The places as a polyline has them."""
        return " ".join(f"{x:g},{y:g}" for x, y in self.places)


@dataclass(frozen=True)
class LineChart:
    """At most four lines over two axes. `key` names it among the charts of a page.

    `title` says in a few words what it shows, `description` in a sentence or two what there is to see.
    """

    key: str
    title: str
    description: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]

    width, height = WIDTH, HEIGHT
    left, right, top, bottom = LEFT, WIDTH - RIGHT, TOP, HEIGHT - BOTTOM

    def lines(self) -> list[DrawnLine]:
        """The lines, the strong ones last, so that they lie on top."""
        placed = [tuple(self._place(point) for point in one.points) for one in self.series]
        names = apart([places[-1][1] for places in placed], NAME_HEIGHT, self.top, self.bottom)
        drawn = [
            DrawnLine(one.name, kind % KINDS, one.strong, places, name)
            for kind, (one, places, name) in enumerate(zip(self.series, placed, names, strict=True))
        ]
        return sorted(drawn, key=lambda line: line.strong)

    def x_ticks(self) -> list[DrawnTick]:
        """The marks below."""
        return [DrawnTick(self._place((tick.value, self.y.low))[0], tick.label) for tick in self.x.ticks]

    def y_ticks(self) -> list[DrawnTick]:
        """The marks on the left."""
        return [DrawnTick(self._place((self.x.low, tick.value))[1], tick.label) for tick in self.y.ticks]

    def _place(self, point: tuple[float, float]) -> tuple[float, float]:
        x = self.left + self.x.place(point[0]) * (self.right - self.left)
        y = self.bottom - self.y.place(point[1]) * (self.bottom - self.top)
        return round(x, 1), round(y, 1)


def apart(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """The places moved as little as may be, so that between any two there is a `gap`, and all within the ends.

    Those that would touch share the room around their middle.

    >>> apart([10, 12, 50], 10, 0, 100)
    [6.0, 16.0, 50]
    >>> apart([2, 1], 10, 0, 100)
    [10, 0]
    """
    order = sorted(range(len(places)), key=places.__getitem__)
    groups: list[tuple[list[int], float]] = []  # neighbours that touch, and the place of the first
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
