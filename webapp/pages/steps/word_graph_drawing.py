"""The drawing of a word graph: words as arcs above an axis, and below it the sums that are filled from the right."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from flask_babel import gettext as _

from webapp.core.models.word_graph import Arc
from webapp.core.traces import lattice
from webapp.core.traces.word_graph import BlockTrace
from webapp.pages.steps.lattice_drawing import lanes_of, shown_text
from webapp.pages.walkthrough.figures import format_log_probability
from webapp.rendering.pictures.figure import Figure, FigureBox, FigureDot, FigureLabel, FigurePath, Shape
from webapp.web.localization import number

MAX_WHOLE = 16
"""A block of more positions is drawn only around the position of the step."""
BEFORE, AFTER = 5, 11  # positions drawn before and after that one

UNIT = 64  # from one position to the next
GUTTER = 92  # for the row headings
FIRST_LANE, LANE = 96, 58  # height of the lowest lane, and of each further one
TOP = 30
WORD, CHARACTER, SMALL, FIGURE = 17.0, 20.0, 11.0, 13.0  # font sizes
_LEAN, _MOST_LEAN = 10.0, 40.0

ArcKind = Literal["win", "cand", "best", "lost", "soon"]
"""The role of a word: on the best path from the step's position (`win`), another word there (`cand`), the best or
another word at a position that is filled (`best`, `lost`), or not compared yet (`soon`)."""
_ORDER: tuple[ArcKind, ...] = ("soon", "lost", "cand", "best", "win")


@dataclass(frozen=True)
class GraphDrawing:
    """The drawing of a block, or of its positions `first` to `last` of 0 to `total`; `kinds` are the roles in it."""

    figure: Figure
    kinds: frozenset[ArcKind]
    first: int
    last: int
    total: int

    @property
    def whole(self) -> bool:
        """Whether all positions are drawn."""
        return self.first == 0 and self.last == self.total


def draw_graph(trace: BlockTrace, here: int, path: Sequence[Arc], *, title: str, whole: bool = False) -> GraphDrawing:
    """Draw a block whose sums are filled from its end to `here`; `path` is the best path from there."""
    total = len(trace.text)
    first, last = _window(trace, here, path, whole)
    arcs = [
        candidate.arc
        for column in trace.columns[first:last]
        for candidate in column.candidates
        if candidate.arc.end <= last
    ]
    best = {column.best.arc for column in trace.columns}
    kind_of = {arc: _kind(arc, here, best, path) for arc in arcs}
    lanes = _lanes(trace.text, [arc for arc in arcs if arc.end - arc.start > 1])
    highest = max(lanes.values(), default=0)
    axis = float(TOP + (FIRST_LANE + LANE * (highest - 1) if highest else 8))
    x_of = {at: float(GUTTER + UNIT * (at - first)) for at in range(first, last + 1)}
    width = float(GUTTER + UNIT * (last - first) + 40)
    stops = {at for arc in path for at in (arc.start, arc.end)}
    shapes: list[Shape] = []
    drawn = sorted(arcs, key=lambda arc: _ORDER.index(kind_of[arc]))
    shapes += [_line(trace.text, arc, kind_of[arc], lanes.get(arc, 0), x_of, axis) for arc in drawn]
    for arc in drawn:
        shapes += _labels(trace.text, arc, kind_of[arc], lanes.get(arc, 0), x_of, axis)
    # A character that is no word by itself has no arc of its own.
    alone = {arc.start for arc in arcs if arc.end - arc.start == 1}
    for at in range(first, last):
        if at not in alone:
            middle = (x_of[at] + x_of[at + 1]) / 2
            shapes.append(FigureLabel(middle, axis + 28, shown_text(trace.text[at]), "quiet", CHARACTER))
    if first > 0:
        shapes.append(FigureLabel(x_of[first] - 24, axis + 5, "…", "quiet", 16))
    if last < total:
        shapes.append(FigureLabel(x_of[last] + 22, axis + 5, "…", "quiet", 16))
    for at, x in x_of.items():
        kind = "now" if at == here else "on" if at in stops else "far" if at < here else ""
        shapes.append(FigureDot(x, axis, 7 if at == here else 5, kind))
    shapes += _table(trace, x_of, axis, width, here, stops)
    figure = Figure("word-graph", width, axis + 156, tuple(shapes), title, focus=0.0 if whole else x_of[here])
    return GraphDrawing(figure, frozenset(kind_of.values()), first, last, total)


def _window(trace: BlockTrace, here: int, path: Sequence[Arc], whole: bool) -> tuple[int, int]:
    total = len(trace.text)
    if whole or total <= MAX_WHOLE:
        return 0, total
    furthest = max((candidate.arc.end for candidate in trace.columns[here].candidates), default=here)
    return max(0, here - BEFORE), min(total, max(here + AFTER, furthest))


def _kind(arc: Arc, here: int, best: Collection[Arc], path: Sequence[Arc]) -> ArcKind:
    if arc.start < here:
        return "soon"
    if arc in path:
        return "win"
    if arc.start == here:
        return "cand"
    return "best" if arc in best else "lost"


def _lanes(text: str, arcs: Sequence[Arc]) -> dict[Arc, int]:
    """The lane of each arc, as in the lattice of Unigram."""
    as_lattice = {lattice.Arc(arc.start, arc.end, text[arc.start : arc.end], 0, arc.score): arc for arc in arcs}
    return {as_lattice[each]: lane for each, lane in lanes_of(list(as_lattice)).items()}


def _line(text: str, arc: Arc, kind: ArcKind, lane: int, x_of: Mapping[int, float], axis: float) -> FigurePath:
    left, right = x_of[arc.start], x_of[arc.end]
    score = format_log_probability(arc.score, 4)
    title = f"{shown_text(text[arc.start : arc.end])}  {number(arc.frequency)}  {score}"
    if not lane:
        return FigurePath(f"M{left:g} {axis:g}H{right:g}", kind, title)
    control = axis - _height(lane) * 4 / 3
    lean = min(_LEAN * (arc.end - arc.start), _MOST_LEAN)
    curve = f"M{left:g} {axis:g}C{left + lean:g} {control:.1f} {right - lean:g} {control:.1f} {right:g} {axis:g}"
    return FigurePath(curve, kind, title)


def _labels(text: str, arc: Arc, kind: ArcKind, lane: int, x_of: Mapping[int, float], axis: float) -> list[FigureLabel]:
    """The word, its frequency and its log-probability: below the axis for a single character, else at the arc's top."""
    middle = (x_of[arc.start] + x_of[arc.end]) / 2
    kinds = " ".join([kind] * (kind in ("win", "cand", "soon")) + ["unknown"] * (not arc.known))
    word = shown_text(text[arc.start : arc.end])
    score = format_log_probability(arc.score)
    frequency = number(arc.frequency) if arc.known else "–"
    if not lane:
        return [
            FigureLabel(middle, axis + 28, word, kinds, CHARACTER),
            FigureLabel(middle, axis + 45, frequency, "quiet", SMALL),
            FigureLabel(middle, axis + 60, score, "score", SMALL),
        ]
    top = axis - _height(lane)
    return [
        FigureLabel(middle, top - 7, word, f"{kinds} halo".strip(), WORD),
        FigureLabel(middle, top + 15, frequency, "quiet halo", SMALL),
        FigureLabel(middle, top + 29, score, "score halo", SMALL),
    ]


def _height(lane: int) -> float:
    return float(FIRST_LANE + LANE * (lane - 1))


def _table(
    trace: BlockTrace, x_of: Mapping[int, float], axis: float, width: float, here: int, stops: Collection[int]
) -> list[Shape]:
    """The table below the axis: position, best sum to the end, and the end of the best word."""
    rows = (axis + 96, axis + 120, axis + 144)
    shapes: list[Shape] = [FigurePath(f"M0 {axis + 74:g}H{width:g}", "rule")]
    if here in x_of:
        shapes.append(FigureBox(x_of[here] - UNIT / 2 + 2, axis + 79, UNIT - 4, 74, "band", 6))
    titles = (_("position"), _("best sum"), _("to"))
    shapes += [FigureLabel(0, y, title, "quiet", 12, "start") for y, title in zip(rows, titles, strict=True)]
    for at, x in x_of.items():
        kind = "soon" if at < here else "win" if at in stops else ""
        texts = [number(at), "", ""]
        if at == len(trace.text):
            texts[1] = format_log_probability(0.0)
        elif at >= here:
            best = trace.columns[at].best
            texts[1] = format_log_probability(best.total, 2 if abs(best.total) < 1000 else 1)
            texts[2] = number(best.arc.end)
        shapes += [FigureLabel(x, y, text, kind, FIGURE) for y, text in zip(rows, texts, strict=True) if text]
    return shapes
