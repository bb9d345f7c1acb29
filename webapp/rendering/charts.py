"""Line charts as SVG, drawn on the server by the template `charts/_lines.html`.

    axes → positions of values         `linear`, `logarithmic`
    lines → the chart                  `LineChart` of `Series`
    the template's macro → the SVG     `line_chart(chart)`
    figure → SVG and PNG files         `chart_figure(chart)`

Each chart has a title and a description for screen readers, and the page shows its figures as a table after it. Lines
differ by marker and dash, not by colour alone, and have labels at their ends. Colours are CSS classes in
`static/charts.css`, for light and dark; the SVG has only positions and sizes, in units of about a pixel.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor, log, log10

from webapp.rendering.pictures.figure import Figure, FigureDot, FigureLabel, FigurePath, Shape
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
        for at, member in enumerate(members):
            moved[member] = round(first + gap * at, 1) if len(members) > 1 else places[member]
    return moved


# The looks of the lines: their order is that of the markers on the page (circle, square, triangle, diamond).
_LINES = ("win", "best", "cand", "joint")


def chart_figure(chart: LineChart) -> Figure:
    """The chart with its title, its axes, and a name at the end of each line."""
    top = 34.0
    shapes: list[Shape] = [
        FigureLabel(0, 14, chart.title, "strong", 14, "start"),
        FigureLabel(2, top + 12, chart.y.title, "quiet", 11, "start"),
        FigureLabel((chart.left + chart.right) / 2, top + chart.height - 5, chart.x.title, "quiet", 11),
    ]
    for tick in chart.y_ticks():
        shapes.append(FigurePath(f"M{chart.left} {top + tick.at}H{chart.right}", "grid"))
        shapes.append(FigureLabel(chart.left - 6, top + tick.at + 4, tick.label, "quiet", 11, "end"))
    for tick in chart.x_ticks():
        shapes.append(FigurePath(f"M{tick.at} {top + chart.bottom}v{6 if tick.label else 3}", "joint"))
        if tick.label:
            shapes.append(FigureLabel(tick.at, top + chart.bottom + 18, tick.label, "quiet", 11))
    for line in chart.lines():
        shapes += _line(line, top)
    return Figure(chart.key, chart.width + 30, chart.height + top, tuple(shapes), title=chart.title)


def _line(line: DrawnLine, top: float) -> list[Shape]:
    points = [(x, y + top) for x, y in line.places]
    path = "L".join(f"{x:g} {y:g}" for x, y in points)
    shapes: list[Shape] = [FigurePath(f"M{path}", _LINES[line.kind])]
    shapes += [marker for x, y in points for marker in _marker(line.kind, x, y)]
    x, y = points[-1]
    shapes.append(FigurePath(f"M{x + 6:g} {y:g}L{x + 12:g} {line.name_at + top:g}", "rule"))
    shapes.append(FigureLabel(x + 14, line.name_at + top + 4, line.name, "strong" if line.strong else "", 12, "start"))
    return shapes


def _marker(kind: int, x: float, y: float) -> list[Shape]:
    if kind == 0:
        return [FigureDot(x, y, 3.5, "now")]
    outline = (
        f"M{x - 3:g} {y - 3:g}h6v6h-6z",
        f"M{x:g} {y - 4:g}l4 7h-8z",
        f"M{x:g} {y - 4:g}l4 4l-4 4l-4 -4z",
    )[kind - 1]
    return [FigurePath(outline, ("best", "new", "joint")[kind - 1])]
