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

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log, log2, log10

from webapp.rendering.pictures.figure import Figure, FigureDot, FigureLabel, FigurePath, Shape

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
            step = _round_step(max(self.maximum / 6, 0.01))
            values = [step * count for count in range(8)]
            minor = {step * count for count in range(1, 8, 2)}
        return [
            ScaleTick(value, self.place(value), value in minor)
            for value in values
            if self.minimum <= value <= self.maximum
        ]

    def _scaled(self, value: float) -> float:
        return log2(value) if self.logarithmic else value


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


def linear(title: str, values: Iterable[float], number: Callable[[float, int], str]) -> Axis:
    """An axis from 0, or the lowest negative value, to just above the highest, with marks at round numbers.

    `number` writes a value with so many decimals.
    """
    with_zero = [*values, 0.0]
    low, high = min(with_zero), max(with_zero)
    step = _round_step((high - low) / 6 if high > low else 1.0)
    first, last = floor(low / step + 1e-9), max(floor(high / step + 1e-9), 1)
    digits = max(0, -floor(log10(step)))
    ticks = tuple(Tick(round(count * step, 12), number(count * step, digits)) for count in range(first, last + 1))
    # The highest value is slightly below the top, independent of the last round number.
    return Axis(title, first * step, max(last * step, high + 0.03 * (high - low)), ticks)


def logarithmic(
    title: str,
    low: float,
    high: float,
    marked: Iterable[float],
    number: Callable[[float], str],
    named: Sequence[float] | None = None,
) -> Axis:
    """A logarithmic axis from `low` to `high`, both above 0, with marks at some values, labels at all or the `named`.

    `number` writes a value.
    """
    ticks = tuple(Tick(value, number(value) if named is None or value in named else "") for value in marked)
    return Axis(title, low, high, ticks, logarithmic=True)


def _round_step(least: float) -> float:
    """The smallest of 1, 2, 5, 10, 20 … (or 0.5, 0.2 …) that is at least `least`.

    >>> [_round_step(least) for least in (0.12, 0.7, 1, 3, 230 / 6)]
    [0.2, 1.0, 1.0, 5.0, 50.0]
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
