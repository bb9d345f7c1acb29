"""The drawing of a lattice: arcs above an axis, the longer the higher, and the Viterbi table below it.

Positions run from left to right in reading order, whatever the direction of the script, since the columns of the table
do.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal
from unicodedata import category, east_asian_width

from flask_babel import gettext as _

from webapp.core.traces.lattice import Arc, Lattice
from webapp.core.traces.viterbi import ViterbiColumn
from webapp.pages.walkthrough.cells import direction
from webapp.pages.walkthrough.figures import format_log_probability
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.figure import Figure, FigureBox, FigureDot, FigureLabel, FigurePath, Shape
from webapp.web.localization import number

MAX_WHOLE = 16
"""A lattice of more positions is drawn only around the position of the step."""
BEFORE, MAX_BEFORE, AFTER = 12, 18, 4  # positions drawn before and after that one
MAX_LANES = 10
MAX_ARCS = 400  # of more arcs, only the most important are drawn

UNIT = 58  # from one position to the next
GUTTER = 84  # for the row headings
FIRST_LANE, LANE = 88, 44  # height of the lowest lane, and of each further one
TOP = 28
LABEL, CHARACTER, SCORE, FIGURE = 17.0, 20.0, 11.0, 13.0  # font sizes
_LEAN = 10.0  # how far an arc leans sideways for each position, so that arcs of several lengths fan out
_MOST_LEAN = 40.0

ArcKind = Literal["win", "cand", "best", "lost", "soon"]
"""The role of an arc in a step.

`win`: on the best path so far, or on the path as far as it is traced back. `cand`: another arc to the position of the
step. `best`: the best arc to its end. `lost`: another arc there. `soon`: not compared yet.
"""
_IMPORTANCE: dict[ArcKind, int] = {"win": 0, "best": 1, "cand": 2, "lost": 3, "soon": 4}


@dataclass(frozen=True)
class LatticeDrawing:
    """The drawing of a lattice, or of the part around a position.

    Positions `first` to `last` of 0 to `total` are drawn. `left_out` is the number of arcs that overlap this range but
    are not drawn, `kinds` the roles of those that are.
    """

    figure: Figure
    kinds: frozenset[ArcKind]
    first: int
    last: int
    total: int
    left_out: int
    right_to_left: bool

    @property
    def whole(self) -> bool:
        """Whether all positions are drawn."""
        return self.first == 0 and self.last == self.total


def draw(
    lattice: Lattice,
    columns: Sequence[ViterbiColumn],
    *,
    filled: int,
    here: int | None,
    path: Sequence[Arc],
    whole: bool = False,
    title: str = "",
) -> LatticeDrawing:
    """Draw a lattice whose table is filled up to position `filled`.

    `path` is the best path so far, from its end. `here` is the position of the step; with `whole`, all positions are
    drawn, however many there are.
    """
    total = len(lattice.text)
    first, last = (0, total) if whole else _window(lattice, path, here, filled)
    on_path = frozenset(path)
    inside = [arc for arc in lattice.arcs if first <= arc.start and arc.end <= last]
    kind_of = {arc: _kind(arc, columns, filled, here, on_path) for arc in inside}
    lanes = _lanes_that_fit([arc for arc in inside if arc.end - arc.start > 1], kind_of)
    shown = [arc for arc in inside if arc.end - arc.start == 1 or arc in lanes]
    shown.sort(key=lambda arc: -_IMPORTANCE[kind_of[arc]])
    touching = sum(arc.start < last and first < arc.end for arc in lattice.arcs)
    highest = max(lanes.values(), default=0)
    axis = TOP + (FIRST_LANE + LANE * (highest - 1) if highest else 8)
    x_of = {at: float(GUTTER + UNIT * (at - first)) for at in range(first, last + 1)}
    width = GUTTER + UNIT * (last - first) + 32
    stops = {at for arc in path for at in (arc.start, arc.end)}
    shapes: list[Shape] = [_line(arc, kind_of[arc], lanes.get(arc, 0), x_of, axis) for arc in shown]
    for arc in shown:
        shapes += _labels(arc, kind_of[arc], lanes.get(arc, 0), x_of, axis)
    if first > 0:
        shapes.append(FigureLabel(x_of[first] - 22, axis + 5, "…", "quiet", 16))
    if last < total:
        shapes.append(FigureLabel(x_of[last] + 20, axis + 5, "…", "quiet", 16))
    shapes += [_dot(at, x, axis, filled, here, stops) for at, x in x_of.items()]
    shapes += _table(x_of, axis, width, columns, filled, here, stops if here is None or here < filled else ())
    focus = x_of[min(max(here if here is not None else filled, first), last)]
    return LatticeDrawing(
        Figure("lattice", width, axis + 144, tuple(shapes), title, focus=0.0 if whole else focus),
        frozenset(kind_of[arc] for arc in shown),
        first,
        last,
        total,
        touching - len(shown),
        any(direction(arc.text) == "rtl" for arc in inside),
    )


def best_path(columns: Sequence[ViterbiColumn], end: int) -> list[Arc]:
    """The arcs of the best path to a position, from its end."""
    path = []
    while end:
        path.append(columns[end - 1].best.arc)
        end = path[-1].start
    return path


def shown_text(text: str) -> str:
    r"""A span of text as a label: invisible characters as symbols, a lone combining mark on a dotted circle.

    >>> shown_text("a b"), shown_text("\u0301"), shown_text("\n")
    ('a·b', '◌́', '↵')
    """
    shown = shown_piece(text).replace("\t", "")
    return f"◌{shown}" if category(shown[:1] or " ").startswith("M") else shown


def width_of(text: str, size: float) -> float:
    """The approximate width of a text, for placing labels; it does not depend on the font.

    >>> round(width_of("ab研", 10), 1)
    21.6
    """
    return sum(
        0.0 if category(character) in ("Mn", "Me") else size if east_asian_width(character) in "WF" else 0.58 * size
        for character in text
    )


def _window(lattice: Lattice, path: Sequence[Arc], here: int | None, filled: int) -> tuple[int, int]:
    """The first and last position to draw: all, or some before and after the step that include its arc."""
    total = len(lattice.text)
    if total <= MAX_WHOLE:
        return 0, total
    focus = filled if here is None else here
    arc = next((arc for arc in path if arc.start == focus or arc.end == focus), None)
    start, end = (arc.start, arc.end) if arc else (focus, focus)
    earliest = min((other.start for other in lattice.arcs if other.end == focus), default=focus)
    first = max(0, min(start, max(focus - MAX_BEFORE, min(earliest, focus - BEFORE))))
    return first, min(total, max(focus + AFTER, first + BEFORE + AFTER, end))


def _kind(arc: Arc, columns: Sequence[ViterbiColumn], filled: int, here: int | None, path: Collection[Arc]) -> ArcKind:
    if arc in path:
        return "win"
    if arc.end > filled:
        return "soon"
    if columns[arc.end - 1].best.arc == arc:
        return "best"
    return "cand" if arc.end == here == filled else "lost"


def _lanes_that_fit(arcs: Sequence[Arc], kind_of: Mapping[Arc, ArcKind]) -> dict[Arc, int]:
    """The lane of each arc, counted from 1; if they do not fit, only the most important arcs get one."""
    ranked = sorted(arcs, key=lambda arc: (min(_IMPORTANCE[kind_of[arc]], 3), -arc.score))[:MAX_ARCS]
    fitting, limit = 0, len(ranked)  # so many of the most important arcs fit; more than the limit do not
    while fitting < limit:
        middle = (fitting + limit + 1) // 2
        if max(lanes_of(ranked[:middle]).values(), default=0) <= MAX_LANES:
            fitting = middle
        else:
            limit = middle - 1
    return lanes_of(ranked[:fitting])


def lanes_of(arcs: Sequence[Arc]) -> dict[Arc, int]:
    """The lane of each arc: longer arcs above shorter ones, and arcs of one length together if their labels fit.

    >>> ab, bc, abc = Arc(0, 2, "ab", 1, 0.0), Arc(1, 3, "bc", 2, 0.0), Arc(0, 3, "abc", 3, 0.0)
    >>> list(lanes_of([abc, ab, bc]).values())  # in the order ab, bc, abc
    [1, 1, 2]
    """
    lanes: dict[Arc, int] = {}
    base = 0
    ordered = sorted(arcs, key=lambda arc: (arc.end - arc.start, arc.start))
    for _length, group in groupby(ordered, key=lambda arc: arc.end - arc.start):
        ends: list[float] = []  # of the last label in each lane of this length
        for arc in group:
            middle = UNIT * (arc.start + arc.end) / 2
            half = max(width_of(shown_text(arc.text), LABEL), width_of(_score(arc), SCORE)) / 2 + 3
            lane = next((lane for lane, end in enumerate(ends) if end <= middle - half), len(ends))
            ends[lane : lane + 1] = [middle + half]
            lanes[arc] = base + lane + 1
        base += len(ends)
    return lanes


def _line(arc: Arc, kind: ArcKind, lane: int, x_of: Mapping[int, float], axis: float) -> FigurePath:
    left, right = x_of[arc.start], x_of[arc.end]
    title = f"{shown_text(arc.text)}  {arc.start}–{arc.end}  {_score(arc)}"
    if not lane:
        return FigurePath(f"M{left:g} {axis:g}H{right:g}", kind, title)
    # The control points of a symmetric cubic curve are 4/3 as high as its top.
    control = axis - _height(lane) * 4 / 3
    lean = min(_LEAN * (arc.end - arc.start), _MOST_LEAN)
    curve = f"M{left:g} {axis:g}C{left + lean:g} {control:.1f} {right - lean:g} {control:.1f} {right:g} {axis:g}"
    return FigurePath(curve, kind, title)


def _labels(arc: Arc, kind: ArcKind, lane: int, x_of: Mapping[int, float], axis: float) -> list[FigureLabel]:
    """The piece and its score: below the axis for a single character, else above and below the top of the arc."""
    middle = (x_of[arc.start] + x_of[arc.end]) / 2
    text, score = shown_text(arc.text), _score(arc)
    kinds: list[str] = [kind] if kind in ("win", "cand", "soon") else []
    if arc.id is None:
        kinds.append("unknown")
    if not lane:
        piece = FigureLabel(middle, axis + 28, text, " ".join(kinds), CHARACTER, direction=direction(arc.text))
        return [piece, FigureLabel(middle, axis + 46, score, "score", SCORE)]
    top = axis - _height(lane)
    kinds.append("halo")
    piece = FigureLabel(middle, top - 7, text, " ".join(kinds), LABEL, direction=direction(arc.text))
    if kind == "soon":  # without its score, which plays no part yet
        return [piece]
    return [piece, FigureLabel(middle, top + 16, score, "score halo", SCORE)]


def _height(lane: int) -> float:
    return FIRST_LANE + LANE * (lane - 1)


def _dot(at: int, x: float, axis: float, filled: int, here: int | None, stops: Collection[int]) -> FigureDot:
    if at == here:
        return FigureDot(x, axis, 7, "now")
    return FigureDot(x, axis, 5, "far" if at > filled else "on" if at in stops else "")


def _table(
    x_of: Mapping[int, float],
    axis: float,
    width: float,
    columns: Sequence[ViterbiColumn],
    filled: int,
    here: int | None,
    stops: Collection[int],
) -> list[Shape]:
    """The table below the axis: position, best sum, and the start of the best arc."""
    rows = (axis + 84, axis + 108, axis + 132)
    shapes: list[Shape] = [FigurePath(f"M0 {axis + 60:g}H{width:g}", "rule")]
    if here is not None and here in x_of:
        shapes.append(FigureBox(x_of[here] - UNIT / 2 + 2, axis + 66, UNIT - 4, 76, "band", 6))
    titles = (_("position"), _("best sum"), _("from"))
    shapes += [FigureLabel(0, y, title, "quiet", 12, "start") for y, title in zip(rows, titles, strict=True)]
    for at, x in x_of.items():
        kind = "win" if at == here or at in stops else "soon" if at > filled else ""
        texts = [number(at), "", ""]
        if at == 0:
            texts[1] = format_log_probability(0.0)
        elif at <= filled:
            best = columns[at - 1].best
            texts[1] = format_log_probability(best.total, 2 if abs(best.total) < 1000 else 1)
            texts[2] = number(best.arc.start)
        shapes += [FigureLabel(x, y, text, kind, FIGURE) for y, text in zip(rows, texts, strict=True) if text]
    return shapes


def _score(arc: Arc) -> str:
    return format_log_probability(arc.score)
