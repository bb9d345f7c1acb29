"""Line charts as figures, to export as SVG and PNG."""

from __future__ import annotations

from webapp.rendering.charts.lines import DrawnLine, LineChart
from webapp.rendering.pictures.figure import Figure, FigureDot, FigureLabel, FigurePath, Shape

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
