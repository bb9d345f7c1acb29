"""The drawing of word n-grams: a box for each word of a sentence, and a line for each word that may follow another.

In a lattice of pieces an arc has one score. Here the probability of a word depends on the word before it, so words are
boxes, and each line between two of them has its own probability (Jurafsky and Martin, "Speech and Language
Processing", third edition, section 3.1). Words run from left to right in reading order, longer ones above shorter ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from flask_babel import gettext as _

from webapp.core.models.ngram_counts import END
from webapp.core.traces.ngram import WordCandidate, WordColumn, previous
from webapp.pages.walkthrough import lattice_drawing
from webapp.pages.walkthrough.cells import direction, format_log_probability
from webapp.pages.walkthrough.lattice_drawing import LatticeDrawing, Role, table_below
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.figure import Figure, FigureBox, FigureDot, FigureLabel, FigurePath, Shape
from webapp.web.localization import number

MAX_WHOLE = 9
"""With more positions, only those around the step are drawn."""
BEFORE, AFTER = 6, 3  # positions drawn before and after that one
MAX_LANES = 6  # rows of words; longer words that do not fit are left out
MAX_LETTERS = 8  # of a word that a box shows

UNIT = 124.0  # from one position to the next
GAP = 36.0  # from a position to the words on both sides of it
GUTTER = 84.0  # for the headings of the rows
LANE, BOX, TOP = 66.0, 34.0, 24.0
WORD, PROBABILITY, FIGURE = 17.0, 11.0, 13.0  # font sizes

# A line is `win` on the best path so far, `cand` to a word that ends at the position of the step, `best` from the best
# previous word, `lost` from another one, and `soon` if it is not reached yet.
_ORDER: tuple[Role, ...] = ("soon", "lost", "best", "cand", "win")  # the last is drawn on top
Span = tuple[int, int]
BEGINNING: Span = (0, 0)
Area = tuple[float, float, float, float]
"""Left, top, right and bottom."""
BEND = 0.45  # how far a line leaves its ends horizontally, as a part of its width


def draw(
    text: str,
    columns: Sequence[WordColumn],
    *,
    filled: int,
    path: Sequence[WordCandidate],
    label_of: Callable[[WordCandidate], str],
    title: str = "",
    ended: bool = False,
) -> LatticeDrawing:
    """Draw a sentence whose table is filled up to column `filled`, counted from 1; 0 draws the words alone.

    `path` is the best path so far, from the start; `label_of` writes the probability of a candidate. With `ended` the
    step has no position, and the whole sentence is drawn.
    """
    return _Sketch(text, columns, filled, path, label_of, ended).drawing(title)


@dataclass(frozen=True)
class _Edge:
    """A candidate as a line to `word`, None for the end of the sentence, from the word `before` it."""

    before: Span
    word: Span | None
    candidate: WordCandidate
    kind: Role


@dataclass(frozen=True)
class _Sketch:
    text: str
    columns: Sequence[WordColumn]
    filled: int
    path: Sequence[WordCandidate]
    label_of: Callable[[WordCandidate], str]
    ended: bool

    def drawing(self, title: str) -> LatticeDrawing:
        x_of = self.x_of
        edges = [one for one in self.edges if self._is_drawn(one)]
        shapes: list[Shape] = [self._line(one) for one in edges]
        for word in self.lanes:
            shapes += self._box(word)
        shapes += self._probabilities(edges)
        shapes += [*self._ends(), *self._table()]
        focus = x_of.get(self.here, 0.0)
        return LatticeDrawing(
            Figure("lattice", self._width, self._axis + 78, tuple(shapes), title, focus=focus),
            frozenset(one.kind for one in edges),
            self.window[0],
            self.window[1],
            len(self.text),
            len(self.spans) - len(self.lanes),
        )

    # What is drawn

    @cached_property
    def here(self) -> int:
        """The position of the step, or -1."""
        return self.columns[self.filled - 1].end if self.filled and not self.ended else -1

    @cached_property
    def positions(self) -> list[int]:
        """The positions where words begin or end."""
        found = {0, len(self.text)}
        for column in self.columns:
            for candidate in column.candidates:
                found |= {candidate.start, candidate.end}
        return sorted(found)

    @cached_property
    def window(self) -> Span:
        """The first and the last position that are drawn."""
        positions = self.positions
        if self.ended or len(positions) <= MAX_WHOLE + 1:
            return positions[0], positions[-1]
        at = positions.index(max(self.here, 0))
        first = max(0, min(at - BEFORE, len(positions) - 1 - BEFORE - AFTER))
        return positions[first], positions[min(len(positions) - 1, first + BEFORE + AFTER)]

    @cached_property
    def x_of(self) -> dict[int, float]:
        first, last = self.window
        shown = [at for at in self.positions if first <= at <= last]
        return {at: GUTTER + 24 + UNIT * index for index, at in enumerate(shown)}

    @cached_property
    def spans(self) -> dict[Span, WordCandidate]:
        """The words of the window, each with one of its candidates."""
        first, last = self.window
        return {
            (one.start, one.end): one
            for column in self.columns[:-1]
            for one in column.candidates
            if first <= one.start and one.end <= last
        }

    @cached_property
    def on_path(self) -> frozenset[Span]:
        return frozenset((one.start, one.end) for one in self.path if one.word is not END)

    @cached_property
    def lanes(self) -> dict[Span, int]:
        """The row of each word, counted from 0 at the bottom: shorter words first, in the lowest row with room.

        The rows do not depend on the step, so that words stay where they are; only words of the best path may stand
        above the highest row.
        """
        rows: list[list[Span]] = []
        lanes: dict[Span, int] = {}
        for word in sorted(self.spans, key=lambda word: (word[1] - word[0], word)):
            lowest = 0 if word[1] - word[0] == 1 else 1
            row = next((row for row in range(lowest, len(rows)) if _has_room(rows[row], word)), max(lowest, len(rows)))
            if row < MAX_LANES or word in self.on_path:
                rows += [[] for _row in range(row + 1 - len(rows))]
                rows[row].append(word)
                lanes[word] = row
        return lanes

    @cached_property
    def edges(self) -> list[_Edge]:
        """The strongest candidate for each pair of words, those drawn on top last."""
        found: dict[tuple[Span, Span | None], _Edge] = {}
        first, last = self.window
        for number_, column in enumerate(self.columns, start=1):
            if not first <= column.end <= last:
                continue
            for index, candidate in enumerate(column.candidates):
                word = None if candidate.word is END else (candidate.start, candidate.end)
                edge = _Edge(
                    self._before(candidate), word, candidate, self._kind(candidate, number_, index in column.best)
                )
                held = found.get((edge.before, word))
                if held is None or _strength(edge) > _strength(held):
                    found[edge.before, word] = edge
        return sorted(found.values(), key=lambda one: _ORDER.index(one.kind))

    def _before(self, candidate: WordCandidate) -> Span:
        before = previous(self.columns, candidate)
        return BEGINNING if before is None else (before.start, before.end)

    def _kind(self, candidate: WordCandidate, column: int, kept: bool) -> Role:
        if any(candidate is one for one in self.path):
            return "win"
        if column > self.filled:
            return "soon"
        if column == self.filled and not self.ended:
            return "cand"
        return "best" if kept else "lost"

    def _is_drawn(self, edge: _Edge) -> bool:
        if edge.kind == "lost" and self.ended:
            return False
        first, last = self.window
        from_here = edge.before in self.lanes or (edge.before == BEGINNING and first == 0)
        return from_here and (edge.word in self.lanes if edge.word else last == len(self.text))

    # Where

    @property
    def _axis(self) -> float:
        return TOP + LANE * max(self.lanes.values(), default=0) + BOX + 24

    @property
    def _width(self) -> float:
        return max(self.x_of.values()) + 84

    def _y(self, word: Span | None) -> float:
        """The middle of a word's box; the beginning and the end of the sentence are in the lowest row."""
        return self._axis - 24 - BOX / 2 - LANE * self.lanes.get(word or BEGINNING, 0)

    def _line_ends(self, edge: _Edge) -> tuple[float, float, float, float]:
        start = edge.candidate.start if edge.word else len(self.text)
        left = self.x_of[0] - GAP + 10 if edge.before == BEGINNING else self.x_of[edge.before[1]] - GAP
        right = self.x_of[start] + GAP - (0 if edge.word else 10)
        return left, self._y(edge.before), right, self._y(edge.word)

    # Shapes

    def _line(self, edge: _Edge) -> Shape:
        left, top, right, bottom = self._line_ends(edge)
        bend = (right - left) * BEND
        title = f"P({edge.candidate.word} | {' '.join(edge.candidate.context)}) = {self.label_of(edge.candidate)}"
        curve = f"M{left:g} {top:g}C{left + bend:g} {top:g} {right - bend:g} {bottom:g} {right:g} {bottom:g}"
        return FigurePath(curve, edge.kind, shown_piece(title))

    def _probabilities(self, edges: Sequence[_Edge]) -> list[Shape]:
        """The probabilities on the lines, each where there is room; those of the best path first."""
        taken: list[Area] = []
        for word in self.lanes:
            y = self._y(word)
            taken.append((self.x_of[word[0]] + GAP, y - BOX / 2, self.x_of[word[1]] - GAP, y + BOX / 2))
        shapes: list[Shape] = []
        for edge in reversed(edges):
            if edge.kind in ("soon", "lost"):
                continue
            text, ends = self.label_of(edge.candidate), self._line_ends(edge)
            half = 0.31 * PROBABILITY * len(text)
            for part in (0.45, 0.35, 0.55, 0.25, 0.65, 0.75):
                x, y = _on_curve(ends, part)
                y += -5 if ends[1] == ends[3] else 3
                area = (x - half, y - PROBABILITY + 2, x + half, y + 2)
                if not any(_overlap(area, other) for other in taken):
                    taken.append(area)
                    kind = "score win halo" if edge.kind == "win" else "score halo"
                    shapes.append(FigureLabel(x, y, text, kind, PROBABILITY))
                    break
        return shapes

    def _box(self, word: Span) -> list[Shape]:
        x, y = self.x_of[word[0]] + GAP, self._y(word)
        width = self.x_of[word[1]] - GAP - x
        candidate = self.spans[word]
        reached = any(column.end >= word[1] for column in self.columns[: self.filled])
        if word in self.on_path:
            box, label = "hit", "win"
        elif word[1] == self.here:
            box, label = "made", "cand"
        else:
            box, label = ("rank", "") if reached else ("ghost", "soon")
        written = self.text[slice(*word)]
        short = written if len(written) <= MAX_LETTERS else f"{written[: MAX_LETTERS - 1]}…"
        label = label if candidate.known else f"{label} unknown".strip()
        return [
            FigureBox(x, y - BOX / 2, width, BOX, box, 5),
            FigureLabel(x + width / 2, y + 6, shown_piece(short), label, WORD, direction=direction(written)),
        ]

    def _ends(self) -> list[Shape]:
        """The beginning and the end of the sentence, or where the drawing leaves out the rest."""
        first, last = self.window
        y = self._y(None)
        left, right = self.x_of[first] - GAP, self.x_of[last] + GAP
        shapes: list[Shape] = []
        if first == 0:
            shapes += [
                FigureDot(left + 4, y, 6, "on" if self.path else ""),
                FigureLabel(left + 4, y + 24, "<s>", "quiet", 12),
            ]
        else:
            shapes.append(FigureLabel(left, y + 5, "…", "quiet", 16))
        if last == len(self.text):
            done = any(one.word is END for one in self.path)
            shapes += [
                FigureDot(right - 4, y, 6, "on" if done else "far"),
                FigureLabel(right - 4, y + 24, "</s>", "quiet", 12),
            ]
        else:
            shapes.append(FigureLabel(right, y + 5, "…", "quiet", 16))
        return shapes

    def _table(self) -> list[Shape]:
        """Below the words: the positions, and the best sum at each."""
        y = self._axis
        sums = {0: 0.0}
        for column in self.columns[: self.filled]:
            if column is not self.columns[-1] and column.best:
                sums[column.end] = max(column.candidates[at].total for at in column.best)
        x = self.x_of.get(self.here)
        rows = [
            (y + 36, _("position"), {at: number(at) for at in self.x_of}),
            (y + 60, _("best sum"), {at: format_log_probability(total) for at, total in sums.items()}),
        ]
        return table_below(
            self.x_of,
            y + 10,
            self._width,
            None if x is None else FigureBox(x - 29, y + 16, 58, 54, "band", 6),
            rows,
            lambda at: "win" if at == self.here else "" if at in sums else "soon",
        )


def _has_room(row: Sequence[Span], word: Span) -> bool:
    return all(other[1] <= word[0] or word[1] <= other[0] for other in row)


def _on_curve(ends: tuple[float, float, float, float], part: float) -> tuple[float, float]:
    """The point of a line at a part of its way."""
    left, top, right, bottom = ends
    bend = (right - left) * BEND
    points = ((left, top), (left + bend, top), (right - bend, bottom), (right, bottom))
    weights = ((1 - part) ** 3, 3 * (1 - part) ** 2 * part, 3 * (1 - part) * part**2, part**3)
    x, y = (sum(weight * point[axis] for weight, point in zip(weights, points, strict=True)) for axis in (0, 1))
    return x, y


def _overlap(one: Area, other: Area) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _strength(edge: _Edge) -> tuple[int, float]:
    return _ORDER.index(edge.kind), edge.candidate.total


def legend(drawings: Sequence[LatticeDrawing], *, ended: bool) -> list[tuple[str, str]]:
    """The kinds of lines in drawings, with their meanings."""
    return lattice_drawing.legend(
        drawings,
        win=_("best path") if ended else _("best path so far"),
        cand=_("to a word that ends here"),
        best=_("from the best word before"),
        lost=_("lost earlier"),
        soon=_("not reached yet"),
    )
