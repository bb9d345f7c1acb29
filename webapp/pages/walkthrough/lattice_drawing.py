"""The drawing of a lattice: arcs above an axis, the longer the higher, and the table of best sums below it.

One figure for the pieces of Unigram and the words of an n-gram model, whose tables are filled from the left, and for
the word graphs of maximum probability, filled from the right. Positions run from left to right in reading order,
whatever the direction of the script, since the columns of the table do.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from operator import mul
from typing import Literal
from unicodedata import category

from flask_babel import gettext as _

from webapp.pages.walkthrough.cells import direction, format_log_probability
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.figure import Figure, FigureBox, FigureDot, FigureLabel, FigurePath, Shape, width_of
from webapp.web.localization import number

MAX_WHOLE = 16
"""A lattice of more positions is drawn only around the position of the step."""
DECIDED, AHEAD = 12, 4  # positions drawn on the side that is filled already, and on the other
MAX_LANES = 10
MOST_TERMS = 8  # of a sum that is written out

LABEL, CHARACTER, SMALL, FIGURE = 17.0, 20.0, 11.0, 13.0  # font sizes
LEAN, MAX_LEAN = 10.0, 40.0  # how far an arc leans sideways for each position, so that arcs of several lengths fan out
UNIT, GUTTER, MARGIN, TOP = 62.0, 90.0, 36.0, 30.0
FIRST_LANE, LANE = 88.0, 44.0  # height of the lowest lane and of each further one, with one label below the text …
NUMBER = 14.0  # … and for each further label

Role = Literal["win", "cand", "best", "lost", "soon"]
"""The role of an arc in a step.

`win`: on the best path so far, or on the path as far as it is traced back. `cand`: another arc at the position of the
step. `best`: the best arc at its position. `lost`: another arc there. `soon`: not compared yet.
"""
ROLES: tuple[Role, ...] = ("soon", "lost", "cand", "best", "win")  # the last is drawn on top


@dataclass(frozen=True)
class LatticeArc:
    """A piece or word of a text, with the numbers below its text and its tooltip; `known` if the vocabulary has it."""

    start: int
    end: int
    text: str
    known: bool
    labels: tuple[str, ...]
    title: str = ""


@dataclass(frozen=True)
class LatticeDrawing:
    """The drawing of a lattice, or of the part around a position.

    Positions `first` to `last` of 0 to `total` are drawn. `left_out` is the number of arcs that overlap this range but
    are not drawn, `kinds` the roles of those that are.
    """

    figure: Figure
    kinds: frozenset[str]
    first: int
    last: int
    total: int
    left_out: int = 0

    @property
    def whole(self) -> bool:
        """Whether all positions are drawn."""
        return self.first == 0 and self.last == self.total


def draw(
    text: str,
    arcs: Sequence[LatticeArc],
    best: Mapping[int, tuple[LatticeArc, float]],
    *,
    path: Sequence[LatticeArc],
    here: int | None = None,
    backward: bool = False,
    whole: bool = False,
    name: str = "lattice",
    title: str = "",
    formula: str | None = None,
) -> LatticeDrawing:
    """Draw a lattice; `best` has the best arc and the best sum of each position that is filled.

    A table is filled from the left, at the ends of arcs, or `backward` from the right, at their starts. `path` is the
    best path so far, `here` the position of the step; with `whole`, all positions are drawn, however many there are.
    `formula` is written below; by default, the scores of a complete path with their sum.
    """
    first, last = (0, len(text)) if whole else _window(len(text), path, here, backward)
    newest = (min if backward else max)(best, default=None)
    on_path = frozenset(path)
    inside = [arc for arc in arcs if first <= arc.start and arc.end <= last]

    def role(arc: LatticeArc) -> Role:
        at = arc.start if backward else arc.end
        if arc in on_path:
            return "win"
        if at not in best:
            return "soon"
        if best[at][0] == arc:
            return "best"
        return "cand" if at == here == newest else "lost"

    role_of = {arc: role(arc) for arc in inside}
    lanes = _lanes_that_fit(role_of)
    drawn = sorted((arc for arc in inside if arc in lanes), key=lambda arc: ROLES.index(role_of[arc]))
    extra = NUMBER * (max((len(arc.labels) for arc in arcs), default=1) - 1)
    height = {arc: FIRST_LANE + (LANE + extra) * (lane - 1) if lane else 0.0 for arc, lane in lanes.items()}
    axis = TOP + max(8.0, *height.values(), 0.0)
    x_of = {at: GUTTER + UNIT * (at - first) for at in range(first, last + 1)}
    lines = [_line(arc, role_of[arc], x_of, axis, height[arc]) for arc in drawn]
    shapes: list[Shape] = [*lines]
    touched: defaultdict[int, list[tuple[float, float]]] = defaultdict(list)
    for point in (point for line in lines for point in _points(line)):
        touched[int(point[0] // UNIT)].append(point)
    for arc in drawn:
        shapes += [_aside(label, touched) for label in _labels(arc, role_of[arc], x_of, axis, height[arc])]
    # A character that is no word by itself has no arc of its own.
    alone = {arc.start for arc in drawn if not lanes[arc]}
    for at in range(first, last):
        if at not in alone:
            shapes.append(FigureLabel(x_of[at] + UNIT / 2, axis + 28, shown_text(text[at]), "quiet", CHARACTER))
    if first > 0:
        shapes.append(FigureLabel(x_of[first] - 24, axis + 5, "…", "quiet", 16))
    if last < len(text):
        shapes.append(FigureLabel(x_of[last] + 22, axis + 5, "…", "quiet", 16))
    shapes += _table(x_of, axis, extra, best, path, here, len(text) if backward else 0)
    width, bottom = GUTTER + UNIT * (last - first) + MARGIN, axis + extra + 144
    if formula is None and sum(arc.end - arc.start for arc in path) == len(text):
        formula = _sum_of(path, best[0 if backward else len(text)][1])
    if formula:
        shapes.append(FigureLabel(0, bottom + 20, formula, "strong", CHARACTER, "start"))
        width, bottom = max(width, width_of(formula, CHARACTER) * 1.1), bottom + 32
    focus = 0.0 if whole or here is None else x_of[here]
    figure = Figure(name, width, bottom, tuple(shapes), title, focus)
    touching = sum(arc.start < last and first < arc.end for arc in arcs)
    return LatticeDrawing(
        figure, frozenset(role_of[arc] for arc in drawn), first, last, len(text), touching - len(drawn)
    )


def _sum_of(path: Sequence[LatticeArc], total: float) -> str:
    """The scores of a path, from left to right, and their sum; empty for a long path. The scores are rounded."""
    scores = [arc.labels[-1].replace("−", "− ") for arc in sorted(path, key=lambda arc: arc.start)]
    if not 1 < len(scores) <= MOST_TERMS:
        return ""
    return f"{' '.join(scores).replace('− ', '−', 1)} ≈ {format_log_probability(total)}"


def first_drawings(sizes: Iterable[int], most: int, draw_at: Callable[[int], LatticeDrawing]) -> list[LatticeDrawing]:
    """The drawings of the first of some lattices, as long as their sizes have a sum of at most `most`; at least one."""
    ends = accumulate(sizes)
    return [draw_at(at) for at, total in enumerate(ends) if not at or total <= most]


def shown_text(text: str) -> str:
    r"""A span of text as a label: invisible characters as symbols, a lone combining mark on a dotted circle.

    >>> shown_text("a b"), shown_text("\u0301"), shown_text("\n")
    ('a·b', '◌́', '↵')
    """
    shown = shown_piece(text).replace("\t", "")
    return f"◌{shown}" if category(shown[:1] or " ").startswith("M") else shown


def _window(total: int, path: Sequence[LatticeArc], here: int | None, backward: bool) -> tuple[int, int]:
    """The first and last position to draw: all, or some before and after the step that include its arc."""
    if total <= MAX_WHOLE:
        return 0, total
    focus = total if here is None else here
    before, after = (AHEAD, DECIDED) if backward else (DECIDED, AHEAD)
    arc = next((arc for arc in path if focus in (arc.start, arc.end)), None)
    start, end = (arc.start, arc.end) if arc else (focus, focus)
    return max(0, min(focus - before, start)), min(total, max(focus + after, end))


def _lanes_that_fit(role_of: Mapping[LatticeArc, Role]) -> dict[LatticeArc, int]:
    """The lane of each arc, 0 for characters; if there are too many lanes, only of arcs with more important roles."""
    characters = {arc: 0 for arc in role_of if arc.end - arc.start == 1}
    lanes: dict[LatticeArc, int] = {}
    for least in range(len(ROLES)):
        lanes = lanes_of([arc for arc in role_of if arc not in characters and ROLES.index(role_of[arc]) >= least])
        if max(lanes.values(), default=0) <= MAX_LANES:
            break
    return characters | lanes


def lanes_of(arcs: Sequence[LatticeArc]) -> dict[LatticeArc, int]:
    """The lane of each arc: longer arcs above shorter ones, and arcs of one length together if their labels fit.

    >>> ab, bc, abc = (LatticeArc(*span, "", True, ("0.00",)) for span in ((0, 2), (1, 3), (0, 3)))
    >>> list(lanes_of([abc, ab, bc]).values())  # in the order ab, bc, abc
    [1, 1, 2]
    """
    lanes: dict[LatticeArc, int] = {}
    base = 0
    ordered = sorted(arcs, key=lambda arc: (arc.end - arc.start, arc.start))
    for _length, group in groupby(ordered, key=lambda arc: arc.end - arc.start):
        ends: list[float] = []  # of the last label in each lane of this length
        for arc in group:
            middle = UNIT * (arc.start + arc.end) / 2
            widths = [width_of(shown_text(arc.text), LABEL), *(width_of(label, SMALL) for label in arc.labels)]
            half = max(widths) / 2 + 3
            lane = next((lane for lane, end in enumerate(ends) if end <= middle - half), len(ends))
            ends[lane : lane + 1] = [middle + half]
            lanes[arc] = base + lane + 1
        base += len(ends)
    return lanes


def _line(arc: LatticeArc, role: Role, x_of: Mapping[int, float], axis: float, height: float) -> FigurePath:
    left, right = x_of[arc.start], x_of[arc.end]
    if not height:
        return FigurePath(f"M{left:g} {axis:g}H{right:g}", role, arc.title)
    # The control points of a symmetric cubic curve are 4/3 as high as its top.
    control = axis - height * 4 / 3
    lean = min(LEAN * (arc.end - arc.start), MAX_LEAN)
    curve = f"M{left:g} {axis:g}C{left + lean:g} {control:.1f} {right - lean:g} {control:.1f} {right:g} {axis:g}"
    return FigurePath(curve, role, arc.title)


def _points(line: FigurePath) -> list[tuple[float, float]]:
    """Points of a curve, which are at most a label's height apart."""
    numbers = list(map(float, re.findall(r"[-\d.]+", line.path)))
    if len(numbers) != 8:
        return []
    weights = [((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3) for t in (at / 64 for at in range(65))]
    x, y = numbers[::2], numbers[1::2]
    return [(sum(map(mul, each, x)), sum(map(mul, each, y))) for each in weights]


def _aside(label: FigureLabel, touched: dict[int, list[tuple[float, float]]]) -> FigureLabel:
    """The label, moved sideways to where the fewest of the points touch it; its own are added."""
    half = width_of(label.text, label.size) / 2 + 5

    def touching(x: float) -> int:
        near = (point for at in range(int((x - half) // UNIT), int((x + half) // UNIT) + 1) for point in touched[at])
        return sum(abs(px - x) < half and label.y - label.size < py < label.y + 3 for px, py in near)

    moved = replace(label, x=min((label.x + by for by in (0, -6, 6, -12, 12, -18, 18)), key=touching))
    for x in (moved.x - half, moved.x, moved.x + half):
        touched[int(x // UNIT)].append((x, label.y - label.size / 2))
    return moved


def _labels(arc: LatticeArc, role: Role, x_of: Mapping[int, float], axis: float, height: float) -> list[FigureLabel]:
    """The text and its numbers: below the axis for a single character, else above and below the top of the arc."""
    middle = (x_of[arc.start] + x_of[arc.end]) / 2
    top, first, size, halo = (axis - height - 7, 22, LABEL, " halo") if height else (axis + 28, 17, CHARACTER, "")
    kinds = [role] * (role in ("win", "cand", "soon")) + ["unknown"] * (not arc.known)
    label = shown_text(arc.text)
    found = [FigureLabel(middle, top, label, f"{' '.join(kinds)}{halo}".strip(), size, direction=direction(arc.text))]
    if role != "soon" or not height:  # its numbers play no part yet
        for at, text in enumerate(arc.labels):
            kind = "score" if at == len(arc.labels) - 1 else "quiet"
            found.append(FigureLabel(middle, top + first + NUMBER * at, text, f"{kind}{halo}", SMALL))
    return found


def _table(
    x_of: Mapping[int, float],
    axis: float,
    extra: float,
    best: Mapping[int, tuple[LatticeArc, float]],
    path: Sequence[LatticeArc],
    here: int | None,
    origin: int,
) -> list[Shape]:
    """The dots on the axis, and below them the position, the best sum and its arc's other end, as columns."""
    stops = {at for arc in path for at in (arc.start, arc.end)}
    rule = axis + extra + 60
    shapes: list[Shape] = [FigurePath(f"M0 {rule:g}H{max(x_of.values()) + MARGIN:g}", "rule")]
    if here is not None:
        shapes.append(FigureBox(x_of[here] - UNIT / 2 + 2, rule + 6, UNIT - 4, 76, "band", 6))
    titles = (_("position"), _("best sum"), _("to") if origin else _("from"))
    shapes += [FigureLabel(0, rule + 24 * row, title, "quiet", 12, "start") for row, title in enumerate(titles, 1)]
    for at, x in x_of.items():
        filled = at in best or at == origin
        dot = "now" if at == here else "on" if at in stops else "" if filled else "far"
        shapes.append(FigureDot(x, axis, 7 if at == here else 5, dot))
        texts = [number(at)]
        if at == origin:
            texts.append(format_log_probability(0.0))
        elif filled:
            arc, total = best[at]
            texts += [
                format_log_probability(total, 2 if abs(total) < 1000 else 1),
                number(arc.end if origin else arc.start),
            ]
        kind = "win" if at == here or at in stops else "" if filled else "soon"
        shapes += [FigureLabel(x, rule + 24 * row, text, kind, FIGURE) for row, text in enumerate(texts, 1)]
    return shapes
