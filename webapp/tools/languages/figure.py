"""The chart of languages as a picture to export: the same strips and marks as on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webapp.rendering.pictures.figure import Figure, FigureBox, FigureDot, FigureLabel, FigurePath, Shape
from webapp.web.localization import number

if TYPE_CHECKING:
    from webapp.tools.languages import Languages

NAMES, STRIP, ROW, HEAD = 150.0, 620.0, 22.0, 66.0


def strips_figure(found: Languages) -> Figure:
    """A row for each passage, with a mark for each vocabulary that could be loaded."""
    rows, titles, measure = found.rows, found.available, found.given.measure
    caption = found.given.measures[measure]
    height = HEAD + ROW * len(rows)
    shapes: list[Shape] = [FigureLabel(0, 12, caption, "strong", 14, "start")]
    left = 0.0
    for name, title in titles.items():
        shapes += _mark(found.given.vocabularies.index(name), left + 7, 32)
        shapes.append(FigureLabel(left + 18, 36, title, "", 12, "start"))
        left += 40 + 7.5 * len(title)
    for tick in found.scale.ticks():
        x = NAMES + tick.place * STRIP / 100
        shapes.append(FigurePath(f"M{x:.1f} {HEAD - 8:.1f}V{height:.1f}", "grid"))
        written = f"1/{round(1 / tick.value)}" if measure == "relative" and tick.value < 1 else _figure(tick.value)
        shapes.append(FigureLabel(x, HEAD - 14, written, "quiet", 11))
    for place, row in enumerate(rows):
        y = HEAD + ROW * place + ROW / 2
        shapes.append(FigureLabel(NAMES - 10, y + 4, row.language, "", 12, "end"))
        for index, percent in found.marks(row):
            shapes += _mark(index, NAMES + percent * STRIP / 100, y, hollow=row.lossy(found.given.vocabularies[index]))
    width = max(NAMES + STRIP, left)
    return Figure("languages", width, height, tuple(shapes), title=caption)


def _mark(index: int, x: float, y: float, *, hollow: bool = False) -> list[Shape]:
    """A mark around a point. Shapes tell the vocabularies apart, as on the page; hollow ones have no filling."""
    if index == 0:
        return [FigureDot(x, y, 5, "on" if hollow else "now")]
    if index == 1:
        return [FigureBox(x - 4.5, y - 4.5, 9, 9, "made" if hollow else "new", 0)]
    outlines = {
        2: f"M{x:.1f} {y - 5:.1f}l5.5 9.5h-11z",
        3: f"M{x:.1f} {y - 6:.1f}l6 6l-6 6l-6 -6z",
        4: f"M{x - 5:.1f} {y:.1f}h10M{x:.1f} {y - 5:.1f}v10",
        5: f"M{x:.1f} {y + 5:.1f}l5.5 -9.5h-11z",
    }
    return [FigurePath(outlines[index], "miss" if hollow else "best")]


def _figure(value: float) -> str:
    return number(value, 0 if value == int(value) else 1)
