"""The chart of rank against frequency as a picture to export."""

from __future__ import annotations

from flask_babel import gettext as _

from webapp.rendering.pictures.figure import Figure, FigureDot, FigureLabel, FigurePath, Shape
from webapp.tools.frequencies.plot import Plot
from webapp.web.localization import number

WIDTH, HEIGHT = 800.0, 480.0


def frequency_figure(plot: Plot, caption: str) -> Figure:
    """The chart with the names of its axes, and a caption below."""

    def x(percent: float) -> float:
        return round(percent * WIDTH / 100, 1)

    def y(percent: float) -> float:
        return round(20 + percent * (HEIGHT - 60) / 100, 1)

    bottom, left = y(91), x(9)
    shapes: list[Shape] = [FigureLabel(0, 8, _("frequency"), "quiet", 12, "start")]
    for tick in plot.counts:
        shapes.append(FigurePath(f"M{left} {y(tick.position)}H{x(98.5)}", "grid"))
        shapes.append(FigureLabel(left - 8, y(tick.position) + 4, number(tick.value), "quiet", 12, "end"))
    for tick in plot.ranks:
        shapes.append(FigurePath(f"M{x(tick.position)} {y(3)}V{bottom}", "grid"))
        shapes.append(FigureLabel(x(tick.position), bottom + 18, number(tick.value), "quiet", 12))
    first, last = plot.zipf
    shapes.append(FigurePath(f"M{x(first.x)} {y(first.y)}L{x(last.x)} {y(last.y)}", "soon"))
    shapes += [FigureDot(x(point.x), y(point.y), 3, "now") for point in plot.points]
    shapes.append(FigureLabel(x(54), bottom + 36, _("rank"), "quiet", 12))
    shapes.append(FigureLabel(0, HEIGHT - 4, caption, "quiet", 12, "start"))
    return Figure("frequencies", WIDTH, HEIGHT, tuple(shapes), title=caption)
