"""The drawing of a lattice: arcs above an axis, the longer the higher, and the table of best sums below it.

One figure for the lattices of Unigram, whose table is filled from the left, and for the word graphs of maximum
probability, filled from the right. Positions run from left to right in reading order, whatever the direction of the
script, since the columns of the table do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal
from unicodedata import category, east_asian_width

from flask_babel import gettext as _

from webapp.core.models import word_graph
from webapp.core.traces.lattice import Arc, Lattice, ViterbiColumn
from webapp.core.traces.word_graph import BlockTrace
from webapp.pages.walkthrough.cells import direction, format_log_probability
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.figure import Figure, FigureBox, FigureDot, FigureLabel, FigurePath, Shape
from webapp.web.localization import number

MAX_WHOLE = 16
"""A lattice of more positions is drawn only around the position of the step."""
BEFORE, MAX_BEFORE, AFTER = 12, 18, 4  # positions drawn before and after that one
GRAPH_BEFORE, GRAPH_AFTER = 5, 11  # the same in a word graph, which is filled from the right
MAX_LANES = 10
MAX_ARCS = 400  # of more arcs, only the most important are drawn

LABEL, CHARACTER, SMALL, FIGURE = 17.0, 20.0, 11.0, 13.0  # font sizes
LEAN, MAX_LEAN = 10.0, 40.0  # how far an arc leans sideways for each position, so that arcs of several lengths fan out

Role = Literal["win", "cand", "best", "lost", "soon"]
"""The role of an arc in a step.

`win`: on the best path so far, or on the path as far as it is traced back. `cand`: another arc at the position of the
step. `best`: the best arc at its position. `lost`: another arc there. `soon`: not compared yet.
"""
ROLES: tuple[Role, ...] = ("soon", "lost", "cand", "best", "win")  # the last is drawn on top


@dataclass(frozen=True)
class LatticeDrawing:
    """The drawing of a lattice, or of the part around a position.

    Positions `first` to `last` of 0 to `total` are drawn. `left_out` is the number of arcs or words that overlap this
    range but are not drawn, `kinds` the roles of those that are.
    """

    figure: Figure
    kinds: frozenset[str]
    first: int
    last: int
    total: int
    left_out: int = 0
    right_to_left: bool = False

    @property
    def whole(self) -> bool:
        """Whether all positions are drawn."""
        return self.first == 0 and self.last == self.total


@dataclass(frozen=True)
class _Look:
    """The measures of a lattice; `below` and `above` are where the labels of an arc are, and their kinds."""

    unit: float  # from one position to the next
    gutter: float  # for the row headings
    margin: float
    ellipses: tuple[float, float]  # where the drawing leaves something out
    top: float
    first_lane: float  # height of the lowest lane …
    lane: float  # … and of each further one
    below: Sequence[tuple[float, str]]  # for a single character: from the axis
    above: Sequence[tuple[float, str]]  # from the top of the arc
    rule: float  # from the axis to the table
    rows: float
    band: tuple[float, float]  # top and height

    def height(self, lane: int) -> float:
        """The height of the arcs of a lane, counted from 1."""
        return self.first_lane + self.lane * (lane - 1)


_PIECES = _Look(58, 84, 32, (22, 20), 28, 88, 44, ((46, "score"),), ((16, "score"),), 60, 84, (66, 76))
_WORDS = _Look(
    64, 92, 40, (24, 22), 30, 96, 58, ((45, "quiet"), (60, "score")), ((15, "quiet"), (29, "score")), 74, 96, (79, 74)
)


@dataclass(frozen=True)
class _DrawnArc:
    """An arc with its role, its lane (0 on the axis), the labels below its text, and its tooltip."""

    arc: Arc
    role: Role
    lane: int
    labels: Sequence[str]
    title: str


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

    def role(arc: Arc) -> Role:
        if arc in on_path:
            return "win"
        if arc.end > filled:
            return "soon"
        if columns[arc.end - 1].best.arc == arc:
            return "best"
        return "cand" if arc.end == here == filled else "lost"

    role_of = {arc: role(arc) for arc in inside}
    lanes = _lanes_that_fit([arc for arc in inside if arc.end - arc.start > 1], role_of)
    drawn = []
    for arc in inside:
        if arc.end - arc.start == 1 or arc in lanes:
            score = format_log_probability(arc.score)
            hidden = role_of[arc] == "soon" and arc in lanes  # its score plays no part yet
            tooltip = f"{shown_text(arc.text)}  {arc.start}–{arc.end}  {score}"
            drawn.append(_DrawnArc(arc, role_of[arc], lanes.get(arc, 0), [] if hidden else [score], tooltip))
    stops = {at for arc in path for at in (arc.start, arc.end)}
    marked = stops if here is None or here < filled else set()
    sums = {0: (format_log_probability(0.0), "")}
    sums |= {each.end: (_sum(each.best.total), number(each.best.arc.start)) for each in columns[:filled]}
    figure = _figure(
        Figure("lattice", 0, 0, (), title),
        _PIECES,
        lattice.text,
        (first, last),
        drawn,
        here,
        -1 if whole else min(max(here if here is not None else filled, first), last),
        lambda at: "far" if at > filled else "on" if at in stops else "",
        (_("position"), _("best sum"), _("from")),
        sums,
        lambda at: "win" if at == here or at in marked else "soon" if at > filled else "",
    )
    touching = sum(arc.start < last and first < arc.end for arc in lattice.arcs)
    right_to_left = any(direction(arc.text) == "rtl" for arc in inside)
    kinds = frozenset(one.role for one in drawn)
    return LatticeDrawing(figure, kinds, first, last, total, touching - len(drawn), right_to_left)


def draw_graph(
    trace: BlockTrace, here: int, path: Sequence[word_graph.Arc], *, title: str, whole: bool = False
) -> LatticeDrawing:
    """Draw a block whose sums are filled from its end to `here`; `path` is the best path from there."""
    total = len(trace.text)
    first, last = 0, total
    if not whole and total > MAX_WHOLE:
        furthest = max((candidate.arc.end for candidate in trace.columns[here].candidates), default=here)
        first, last = max(0, here - GRAPH_BEFORE), min(total, max(here + GRAPH_AFTER, furthest))
    best = {column.best.arc for column in trace.columns}

    found = {
        arc: Arc(arc.start, arc.end, trace.text[arc.start : arc.end], 0 if arc.known else None, arc.score)
        for column in trace.columns[first:last]
        for arc in (candidate.arc for candidate in column.candidates)
        if arc.end <= last
    }
    lanes = lanes_of([arc for arc in found.values() if arc.end - arc.start > 1])
    arcs = []
    for word, arc in found.items():
        role: Role = "best" if word in best else "lost"
        if arc.start < here:
            role = "soon"
        elif word in path:
            role = "win"
        elif arc.start == here:
            role = "cand"
        labels = [number(word.frequency) if word.known else "–", format_log_probability(arc.score)]
        tooltip = f"{shown_text(arc.text)}  {number(word.frequency)}  {format_log_probability(arc.score, 4)}"
        arcs.append(_DrawnArc(arc, role, lanes.get(arc, 0), labels, tooltip))
    stops = {at for arc in path for at in (arc.start, arc.end)}
    sums = {total: (format_log_probability(0.0), "")}
    sums |= {each.start: (_sum(each.best.total), number(each.best.arc.end)) for each in trace.columns[here:]}
    figure = _figure(
        Figure("word-graph", 0, 0, (), title),
        _WORDS,
        trace.text,
        (first, last),
        arcs,
        here,
        -1 if whole else here,
        lambda at: "on" if at in stops else "far" if at < here else "",
        (_("position"), _("best sum"), _("to")),
        sums,
        lambda at: "soon" if at < here else "win" if at in stops else "",
    )
    return LatticeDrawing(figure, frozenset(one.role for one in arcs), first, last, total)


def legend(drawings: Sequence[LatticeDrawing], **meanings: str) -> list[tuple[str, str]]:
    """The roles of lines in drawings, with their meanings."""
    drawn = frozenset[str]().union(*(drawing.kinds for drawing in drawings))
    return [(role, meaning) for role, meaning in meanings.items() if role in drawn]


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


def _lanes_that_fit(arcs: Sequence[Arc], role_of: Mapping[Arc, Role]) -> dict[Arc, int]:
    """The lane of each arc, counted from 1; if they do not fit, only the most important arcs get one."""
    ranked = sorted(arcs, key=lambda arc: (_RANK[role_of[arc]], -arc.score))[:MAX_ARCS]
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
            middle = _PIECES.unit * (arc.start + arc.end) / 2
            half = (
                max(width_of(shown_text(arc.text), LABEL), width_of(format_log_probability(arc.score), SMALL)) / 2 + 3
            )
            lane = next((lane for lane, end in enumerate(ends) if end <= middle - half), len(ends))
            ends[lane : lane + 1] = [middle + half]
            lanes[arc] = base + lane + 1
        base += len(ends)
    return lanes


def table_below(
    x_of: Mapping[int, float],
    top: float,
    width: float,
    band: FigureBox | None,
    rows: Sequence[tuple[float, str, Mapping[int, str]]],
    kind_at: Callable[[int], str],
) -> list[Shape]:
    """A table below a lattice: each row with its y, its title and its texts by position; `band` marks a position."""
    shapes: list[Shape] = [FigurePath(f"M0 {top:g}H{width:g}", "rule")]
    shapes += [band] if band else []
    shapes += [FigureLabel(0, y, title, "quiet", 12, "start") for y, title, _texts in rows]
    for at, x in x_of.items():
        shapes += [FigureLabel(x, y, texts[at], kind_at(at), FIGURE) for y, _title, texts in rows if texts.get(at)]
    return shapes


_RANK: dict[Role, int] = {"win": 0, "best": 1, "cand": 2, "lost": 3, "soon": 3}


def _figure(
    figure: Figure,
    look: _Look,
    text: str,
    window: tuple[int, int],
    arcs: Sequence[_DrawnArc],
    here: int | None,
    focus: int,
    dot: Callable[[int], str],
    titles: tuple[str, str, str],
    sums: Mapping[int, tuple[str, str]],
    kind_at: Callable[[int], str],
) -> Figure:
    """The figure with its shapes; `sums` are the best sum and the link of each position that is filled."""
    first, last = window
    highest = max((one.lane for one in arcs), default=0)
    axis = look.top + (look.height(highest) if highest else 8)
    x_of = {at: look.gutter + look.unit * (at - first) for at in range(first, last + 1)}
    width = look.gutter + look.unit * (last - first) + look.margin
    ordered = sorted(arcs, key=lambda one: ROLES.index(one.role))
    shapes: list[Shape] = [_line(one, look, x_of, axis) for one in ordered]
    for one in ordered:
        shapes += _labels(one, look, x_of, axis)
    # A character that is no word by itself has no arc of its own.
    alone = {one.arc.start for one in arcs if not one.lane}
    for at in range(first, last):
        if at not in alone:
            shapes.append(FigureLabel(x_of[at] + look.unit / 2, axis + 28, shown_text(text[at]), "quiet", CHARACTER))
    if first > 0:
        shapes.append(FigureLabel(x_of[first] - look.ellipses[0], axis + 5, "…", "quiet", 16))
    if last < len(text):
        shapes.append(FigureLabel(x_of[last] + look.ellipses[1], axis + 5, "…", "quiet", 16))
    shapes += [FigureDot(x, axis, 7 if at == here else 5, "now" if at == here else dot(at)) for at, x in x_of.items()]
    band = None
    if here is not None and here in x_of:
        band = FigureBox(x_of[here] - look.unit / 2 + 2, axis + look.band[0], look.unit - 4, look.band[1], "band", 6)
    texts = ({at: number(at) for at in x_of}, *({at: both[row] for at, both in sums.items()} for row in (0, 1)))
    rows = [(axis + look.rows + 24 * row, titles[row], texts[row]) for row in range(3)]
    shapes += table_below(x_of, axis + look.rule, width, band, rows, kind_at)
    height = axis + look.rows + 60
    return replace(figure, width=width, height=height, shapes=tuple(shapes), focus=x_of[focus] if focus >= 0 else 0.0)


def _line(one: _DrawnArc, look: _Look, x_of: Mapping[int, float], axis: float) -> FigurePath:
    left, right = x_of[one.arc.start], x_of[one.arc.end]
    if not one.lane:
        return FigurePath(f"M{left:g} {axis:g}H{right:g}", one.role, one.title)
    # The control points of a symmetric cubic curve are 4/3 as high as its top.
    control = axis - look.height(one.lane) * 4 / 3
    lean = min(LEAN * (one.arc.end - one.arc.start), MAX_LEAN)
    curve = f"M{left:g} {axis:g}C{left + lean:g} {control:.1f} {right - lean:g} {control:.1f} {right:g} {axis:g}"
    return FigurePath(curve, one.role, one.title)


def _labels(one: _DrawnArc, look: _Look, x_of: Mapping[int, float], axis: float) -> list[FigureLabel]:
    """The text and its numbers: below the axis for a single character, else above and below the top of the arc."""
    middle = (x_of[one.arc.start] + x_of[one.arc.end]) / 2
    y, places = (axis - look.height(one.lane), look.above) if one.lane else (axis, look.below)
    halo = " halo" if one.lane else ""
    kinds = [one.role] * (one.role in ("win", "cand", "soon")) + ["unknown"] * (one.arc.id is None)
    at, size = (y - 7, LABEL) if one.lane else (y + 28, CHARACTER)
    kind = f"{' '.join(kinds)}{halo}".strip()
    label = FigureLabel(middle, at, shown_text(one.arc.text), kind, size, direction=direction(one.arc.text))
    numbers = zip(one.labels, places, strict=False)
    return [label, *(FigureLabel(middle, y + dy, text, f"{kind}{halo}", SMALL) for text, (dy, kind) in numbers)]


def _sum(total: float) -> str:
    return format_log_probability(total, 2 if abs(total) < 1000 else 1)
