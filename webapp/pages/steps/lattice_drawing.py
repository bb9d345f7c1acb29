"""The layout of a drawn lattice: arcs in lanes that do not overlap, and the Viterbi table below them.

All lengths are in the units of the SVG, which are CSS pixels. Positions run from left to right in reading order,
whatever the direction of the script, since the columns of the table do.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from unicodedata import category, east_asian_width

from webapp.core.traces.lattice import Arc, Lattice
from webapp.core.traces.viterbi import ViterbiColumn
from webapp.pages.walkthrough.cells import direction
from webapp.pages.walkthrough.figures import format_log_probability
from webapp.rendering.markup import shown_piece
from webapp.web.localization import number

MAX_WHOLE = 16
"""A lattice of more positions is drawn only around the position of the step."""
BEFORE, MAX_BEFORE, AFTER = 12, 18, 4  # positions drawn before and after that one
MAX_LANES = 12

UNIT = 66  # from one position to the next
GUTTER = 98  # for the row headings
LANE = 37  # height of a lane
TOP = 22
LABEL, SCORE = 14.0, 12.0  # font sizes
_LEAN = 13.0  # how far an arc leans sideways where it leaves its dot, so that arcs to several lanes fan out
_BEND = 26.0  # width of the curve from a dot to its lane


@dataclass(frozen=True)
class ArcLabel:
    """A text and the position of its middle; `direction` is that of the text itself."""

    x: float
    y: float
    text: str
    direction: str = "ltr"


@dataclass(frozen=True)
class DrawnArc:
    """An arc: its path, the labels with its piece and log-probability, and its role in this step as CSS classes.

    `wins`, `weighed`: ends at the position of the step. `followed`: on the best path, as far as it is traced back.
    `kept`: the best arc to its end. `lost`: another arc there. `ahead`: not compared yet. `unknown` in addition: not a
    piece.
    """

    path: str
    kinds: str
    piece: ArcLabel
    score: ArcLabel
    title: str


@dataclass(frozen=True)
class PositionColumn:
    """A position: its number, the best sum, and the start of the best arc to it; empty if not filled yet."""

    x: float
    number: str
    sum: str
    start: str
    kinds: str


@dataclass(frozen=True)
class LatticeDrawing:
    """The drawing of a lattice, or of the part around a position: everything that the template writes into the SVG.

    Positions `first` to `last` of 0 to `total` are drawn. `left_out` is the number of arcs that overlap this range but
    are not drawn.
    """

    width: float
    height: float
    axis: float
    arcs: list[DrawnArc]
    columns: list[PositionColumn]
    first: int
    last: int
    total: int
    left_out: int
    focus: float  # x of the position of the step
    right_to_left: bool

    @property
    def whole(self) -> bool:
        """Whether all positions are drawn."""
        return self.first == 0 and self.last == self.total


def draw(
    lattice: Lattice, columns: Sequence[ViterbiColumn], *, filled: int, here: int | None, traced: Collection[Arc]
) -> LatticeDrawing:
    """The drawing with the table filled up to position `filled`.

    `here` is the position being filled, None while tracing back; `traced` are the arcs traced back so far.
    """
    arc = columns[filled - 1].best.arc if here is not None else min(traced, key=lambda arc: arc.start)
    focus = arc.end if here is not None else arc.start
    first, last = _window(lattice, arc, focus)
    inside = [arc for arc in lattice.arcs if first <= arc.start and arc.end <= last]
    kind_of = {arc: _kind(arc, columns, filled, here, traced) for arc in inside}
    lanes = _lanes_that_fit([arc for arc in inside if arc.end - arc.start > 1], kind_of)
    shown = [arc for arc in inside if arc.end - arc.start == 1 or arc in lanes]
    touching = [arc for arc in lattice.arcs if arc.start < last and first < arc.end]
    axis = TOP + LANE * max(lanes.values(), default=0)
    x_of = {at: GUTTER + UNIT * (at - first) for at in range(first, last + 1)}
    order = {"ahead": 0, "lost": 1, "kept": 2, "weighed": 3, "wins": 4, "followed": 5}
    shown.sort(key=lambda arc: order[kind_of[arc]])
    stops = [(x_of[at], lane) for arc, lane in lanes.items() for at in (arc.start, arc.end)]
    return LatticeDrawing(
        width=GUTTER + UNIT * (last - first) + 36,
        height=axis + 122,
        axis=axis,
        arcs=[_draw_arc(arc, kind_of[arc], lanes.get(arc, 0), x_of, axis, stops) for arc in shown],
        columns=[_column(at, x_of[at], columns, filled, here, traced) for at in range(first, last + 1)],
        first=first,
        last=last,
        total=len(lattice.text),
        left_out=len(touching) - len(shown),
        focus=x_of[focus],
        right_to_left=any(direction(arc.text) == "rtl" for arc in inside),
    )


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


def _window(lattice: Lattice, arc: Arc, focus: int) -> tuple[int, int]:
    """The first and last position to draw: all, or some before and after `focus` that include the whole `arc`."""
    total = len(lattice.text)
    if total <= MAX_WHOLE:
        return 0, total
    earliest = min((other.start for other in lattice.arcs if other.end == focus), default=focus)
    first = max(0, min(arc.start, max(focus - MAX_BEFORE, min(earliest, focus - BEFORE))))
    return first, min(total, max(focus + AFTER, first + BEFORE + AFTER, arc.end))


def _kind(arc: Arc, columns: Sequence[ViterbiColumn], filled: int, here: int | None, traced: Collection[Arc]) -> str:
    if arc in traced:
        return "followed"
    if arc.end > filled:
        return "ahead"
    best = columns[arc.end - 1].best.arc == arc
    if arc.end == here:
        return "wins" if best else "weighed"
    return "kept" if best else "lost"


def _lanes_that_fit(arcs: Sequence[Arc], kind_of: dict[Arc, str]) -> dict[Arc, int]:
    """The lane of each arc, counted from 1; if they do not fit, only the most important arcs get one."""
    importance = {"followed": 0, "wins": 1, "kept": 2, "weighed": 3, "lost": 4, "ahead": 4}
    ranked = sorted(arcs, key=lambda arc: (importance[kind_of[arc]], -arc.score))
    fitting, limit = 0, len(ranked)  # so many of the most important arcs fit; more than the limit do not
    while fitting < limit:
        middle = (fitting + limit + 1) // 2
        if max(lanes_of(ranked[:middle]).values(), default=0) <= MAX_LANES:
            fitting = middle
        else:
            limit = middle - 1
    return lanes_of(ranked[:fitting])


def lanes_of(arcs: Sequence[Arc]) -> dict[Arc, int]:
    """The lowest free lane for each arc, the shortest first, so that longer arcs are above shorter ones.

    >>> ab, bc, abc = Arc(0, 2, "ab", 1, 0.0), Arc(1, 3, "bc", 2, 0.0), Arc(0, 3, "abc", 3, 0.0)
    >>> list(lanes_of([abc, ab, bc]).values())  # in the order ab, bc, abc
    [1, 2, 3]
    """
    taken: list[int] = []  # for each lane, a bit for each gap between two positions
    lanes: dict[Arc, int] = {}
    for arc in sorted(arcs, key=lambda arc: (arc.end - arc.start, arc.start)):
        gaps = (1 << arc.end) - (1 << arc.start)
        lane = next((lane for lane, bits in enumerate(taken) if not bits & gaps), len(taken))
        if lane == len(taken):
            taken.append(0)
        taken[lane] |= gaps
        lanes[arc] = lane + 1
    return lanes


def _draw_arc(
    arc: Arc, kind: str, lane: int, x_of: Mapping[int, float], axis: float, stops: Sequence[tuple[float, int]]
) -> DrawnArc:
    left, right = x_of[arc.start], x_of[arc.end]
    kinds = kind if arc.id is not None else f"{kind} unknown"
    text, score = shown_text(arc.text), format_log_probability(arc.score)
    text_direction = direction(arc.text)
    title = f"{text}  {arc.start}–{arc.end}  {score}"
    if not lane:
        middle = (left + right) / 2
        piece = ArcLabel(middle, axis + 25, text, text_direction)
        return DrawnArc(f"M{left} {axis}H{right}", kinds, piece, ArcLabel(middle, axis + 43, score), title)
    y = axis - LANE * lane
    bend = min((right - left) / 2, _BEND)
    path = f"M{left} {axis}Q{left + _LEAN} {y} {left + bend} {y}H{right - bend}Q{right - _LEAN} {y} {right} {axis}"
    width = max(width_of(text, LABEL), width_of(score, SCORE))
    middle = _label_middle(left, right, width, [x for x, other in stops if other > lane])
    return DrawnArc(path, kinds, ArcLabel(middle, y - 7, text, text_direction), ArcLabel(middle, y + 14, score), title)


def _label_middle(left: float, right: float, width: float, stops: Collection[float]) -> float:
    """The x nearest to the middle of an arc at which no other arc rises through a label of this width."""
    middle, half = (left + right) / 2, width / 2 + 2
    shifts = (0, *range(UNIT // 2 - 4, int(right - left) // 2, UNIT // 2))
    candidates = (middle + sign * shift for shift in shifts for sign in (-1, 1))
    return next((at for at in candidates if not any(abs(x - at) < half for x in stops)), middle)


def _column(
    at: int, x: float, columns: Sequence[ViterbiColumn], filled: int, here: int | None, traced: Collection[Arc]
) -> PositionColumn:
    on_path = any(at in (arc.start, arc.end) for arc in traced)
    kinds = "here" if at == here else "followed" if on_path else "known" if at <= filled else "ahead"
    if at == 0:
        return PositionColumn(x, number(at), format_log_probability(0.0), "", kinds)
    if at > filled:
        return PositionColumn(x, number(at), "", "", kinds)
    best = columns[at - 1].best
    total = format_log_probability(best.total, 2 if abs(best.total) < 1000 else 1)
    return PositionColumn(x, number(at), total, number(best.arc.start), kinds)
