"""Where everything of a lattice stands in its picture: arcs in lanes that do not collide, and the table under them.

All lengths are in the units of the SVG, which are CSS pixels. Positions run from left to right in the order in which
the text is read, whatever its script: a picture of a table has to begin somewhere.
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

WHOLE = 16
"""A text of more positions is drawn around the position that a step is about."""
BEFORE, BEFORE_AT_MOST, BEHIND = 12, 18, 4
MOST_LANES = 12

UNIT = 66  # from one position to the next
GUTTER = 98  # for the names of the rows
LANE = 37
TOP = 22
LABEL, SCORE = 14.0, 12.0  # font sizes
_LEAN = 13.0  # how far to the side an arc leans where it leaves its dot, so that arcs to several lanes fan out
_BEND = 26.0


@dataclass(frozen=True)
class ArcLabel:
    """A text with the place of its middle; `direction` is its own."""

    x: float
    y: float
    text: str
    direction: str = "ltr"


@dataclass(frozen=True)
class DrawnArc:
    """An arc: its path, its piece and log-probability on it, and what it is for this step as CSS classes.

    `wins`, `weighed`: ends where the step is. `followed`: on the best path as far as it is read back. `kept`: the best
    way to its end. `lost`: another way there. `ahead`: not looked at yet. `unknown` besides: no piece.
    """

    path: str
    kinds: str
    piece: ArcLabel
    score: ArcLabel
    title: str


@dataclass(frozen=True)
class PositionColumn:
    """A position: its number, the best sum to it and where the best last arc starts, empty where not filled yet."""

    x: float
    number: str
    sum: str
    start: str
    kinds: str


@dataclass(frozen=True)
class LatticeDrawing:
    """A lattice, or the neighbourhood of a position: all that the template writes into the SVG.

    `first` and `last` are the positions drawn, of `total`; `left_out` counts arcs that are not.
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
    focus: float  # where the position stands that the step is about
    right_to_left: bool

    @property
    def whole(self) -> bool:
        """Whether all positions are drawn."""
        return self.first == 0 and self.last == self.total


def draw(
    lattice: Lattice, columns: Sequence[ViterbiColumn], *, known: int, here: int | None, followed: Collection[Arc]
) -> LatticeDrawing:
    """The lattice with the table filled up to position `known`; `here` is the position that is being filled, and
    `followed` the arcs that were read back.
    """
    arc = columns[known - 1].best.arc if here is not None else min(followed, key=lambda arc: arc.start)
    focus = arc.end if here is not None else arc.start
    first, last = _window(lattice, arc, focus)
    inside = [arc for arc in lattice.arcs if first <= arc.start and arc.end <= last]
    kind_of = {arc: _kind(arc, columns, known, here, followed) for arc in inside}
    lanes = _fitting([arc for arc in inside if arc.end - arc.start > 1], kind_of)
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
        arcs=[_drawn(arc, kind_of[arc], lanes.get(arc, 0), x_of, axis, stops) for arc in shown],
        columns=[_column(at, x_of[at], columns, known, here, followed) for at in range(first, last + 1)],
        first=first,
        last=last,
        total=len(lattice.text),
        left_out=len(touching) - len(shown),
        focus=x_of[focus],
        right_to_left=any(direction(arc.text) == "rtl" for arc in inside),
    )


def shown_text(text: str) -> str:
    r"""A stretch of text as it is labelled: what cannot be seen has a symbol, a mark alone something to sit on.

    >>> shown_text("a b"), shown_text("\u0301"), shown_text("\n")
    ('a·b', '◌́', '↵')
    """
    shown = shown_piece(text).replace("\t", "")
    return f"◌{shown}" if category(shown[:1] or " ").startswith("M") else shown


def width_of(text: str, size: float) -> float:
    """About how wide a text is, for placing labels; no font is asked.

    >>> round(width_of("ab研", 10), 1)
    21.6
    """
    return sum(
        0.0 if category(character) in ("Mn", "Me") else size if east_asian_width(character) in "WF" else 0.58 * size
        for character in text
    )


def _window(lattice: Lattice, arc: Arc, focus: int) -> tuple[int, int]:
    """The positions to draw: all of them, or enough before and behind the one in question, with its `arc` whole."""
    total = len(lattice.text)
    if total <= WHOLE:
        return 0, total
    earliest = min((other.start for other in lattice.arcs if other.end == focus), default=focus)
    first = max(0, min(arc.start, max(focus - BEFORE_AT_MOST, min(earliest, focus - BEFORE))))
    return first, min(total, max(focus + BEHIND, first + BEFORE + BEHIND, arc.end))


def _kind(arc: Arc, columns: Sequence[ViterbiColumn], known: int, here: int | None, followed: Collection[Arc]) -> str:
    if arc in followed:
        return "followed"
    if arc.end > known:
        return "ahead"
    best = columns[arc.end - 1].best.arc == arc
    if arc.end == here:
        return "wins" if best else "weighed"
    return "kept" if best else "lost"


def _fitting(arcs: Sequence[Arc], kind_of: dict[Arc, str]) -> dict[Arc, int]:
    """The lane of each arc, counted from 1; where there are too many lanes, of the most telling arcs alone."""
    telling = {"followed": 0, "wins": 1, "kept": 2, "weighed": 3, "lost": 4, "ahead": 4}
    ranked = sorted(arcs, key=lambda arc: (telling[kind_of[arc]], -arc.score))
    least, most = 0, len(ranked)
    while least < most:
        middle = (least + most + 1) // 2
        if max(lanes_of(ranked[:middle]).values(), default=0) <= MOST_LANES:
            least = middle
        else:
            most = middle - 1
    return lanes_of(ranked[:least])


def lanes_of(arcs: Sequence[Arc]) -> dict[Arc, int]:
    """The lowest free lane for each arc, the shortest first, so that longer ones go over shorter ones.

    >>> ab, bc, abc = Arc(0, 2, "ab", 1, 0.0), Arc(1, 3, "bc", 2, 0.0), Arc(0, 3, "abc", 3, 0.0)
    >>> list(lanes_of([abc, ab, bc]).values())  # in the order ab, bc, abc
    [1, 2, 3]
    """
    taken: list[int] = []  # for each lane a bit for each stretch between two positions
    lanes: dict[Arc, int] = {}
    for arc in sorted(arcs, key=lambda arc: (arc.end - arc.start, arc.start)):
        stretch = (1 << arc.end) - (1 << arc.start)
        lane = next((lane for lane, bits in enumerate(taken) if not bits & stretch), len(taken))
        if lane == len(taken):
            taken.append(0)
        taken[lane] |= stretch
        lanes[arc] = lane + 1
    return lanes


def _drawn(
    arc: Arc, kind: str, lane: int, x_of: Mapping[int, float], axis: float, stops: Sequence[tuple[float, int]]
) -> DrawnArc:
    left, right = x_of[arc.start], x_of[arc.end]
    kinds = kind if arc.id is not None else f"{kind} unknown"
    text, score = shown_text(arc.text), format_log_probability(arc.score)
    way = direction(arc.text)
    title = f"{text}  {arc.start}–{arc.end}  {score}"
    if not lane:
        middle = (left + right) / 2
        piece = ArcLabel(middle, axis + 25, text, way)
        return DrawnArc(f"M{left} {axis}H{right}", kinds, piece, ArcLabel(middle, axis + 43, score), title)
    y = axis - LANE * lane
    bend = min((right - left) / 2, _BEND)
    path = f"M{left} {axis}Q{left + _LEAN} {y} {left + bend} {y}H{right - bend}Q{right - _LEAN} {y} {right} {axis}"
    width = max(width_of(text, LABEL), width_of(score, SCORE))
    middle = _free(left, right, width, [x for x, other in stops if other > lane])
    return DrawnArc(path, kinds, ArcLabel(middle, y - 7, text, way), ArcLabel(middle, y + 14, score), title)


def _free(left: float, right: float, width: float, stops: Collection[float]) -> float:
    """The place nearest to the middle of an arc where no other arc rises through a label of a width."""
    middle, half = (left + right) / 2, width / 2 + 2
    shifts = (0, *range(UNIT // 2 - 4, int(right - left) // 2, UNIT // 2))
    places = (middle + sign * shift for shift in shifts for sign in (-1, 1))
    return next((place for place in places if not any(abs(x - place) < half for x in stops)), middle)


def _column(
    at: int, x: float, columns: Sequence[ViterbiColumn], known: int, here: int | None, followed: Collection[Arc]
) -> PositionColumn:
    on_path = any(at in (arc.start, arc.end) for arc in followed)
    kinds = "here" if at == here else "followed" if on_path else "known" if at <= known else "ahead"
    if at == 0:
        return PositionColumn(x, number(at), format_log_probability(0.0), "", kinds)
    if at > known:
        return PositionColumn(x, number(at), "", "", kinds)
    best = columns[at - 1].best
    total = format_log_probability(best.total, 2 if abs(best.total) < 1000 else 1)
    return PositionColumn(x, number(at), total, number(best.arc.start), kinds)
