"""Diagrams of the hidden Markov model that jieba ships: its transitions, and the best path through a table."""

from __future__ import annotations

from math import exp, hypot

from flask_babel import gettext as _

from webapp.core.models.hmm import IMPOSSIBLE, STATES, State, jieba_hmm
from webapp.pages.walkthrough.cells import format_log_probability
from webapp.rendering.pictures.figure import Figure, FigureBox, FigureDot, FigureLabel, FigurePath, Shape

RUN = "李小福是"

RADIUS = 26.0
PLACES: dict[State, tuple[float, float]] = {"B": (108, 152), "M": (232, 70), "E": (356, 152), "S": (232, 234)}
CENTER = (232.0, 152.0)
COLUMN, ROW, CELL, HEIGHT = 94.0, 62.0, 60.0, 34.0  # of the table: distances, and the size of a cell
LEFT, TOP = 40.0, 44.0


def states() -> Figure:
    """The four tags as circles, with an arrow for each transition that is possible, and its probability."""
    model = jieba_hmm()
    shapes: list[Shape] = []
    for (before, after), score in model.transition.items():
        shapes += _loop(before, exp(score)) if before == after else _arrow(before, after, exp(score))
    for state in ("B", "S"):
        shapes += _entry(state, exp(model.start[state]))
    for state, (x, y) in PLACES.items():
        shapes.append(FigureDot(x, y, RADIUS))
        shapes.append(FigureLabel(x, y + 8, state, "strong", 22))
    title = _("Transitions between the tags B, M, E and S")
    return Figure("states", 404, 300, tuple(shapes), title)


def trellis() -> Figure:
    """The Viterbi table of a run: for each character and tag the best sum, and where it comes from."""
    model = jieba_hmm()
    table = model.table(RUN)
    best = model.states(table)
    shapes: list[Shape] = []
    for column, row in enumerate(table[1:], 1):
        for state, cell in row.items():
            if cell.score > IMPOSSIBLE and cell.before is not None:
                on_path = (best[column - 1], best[column]) == (cell.before, state)
                shapes.append(_step(column, cell.before, state, kind="win" if on_path else ""))
    shapes.sort(key=lambda shape: shape.kind == "win")
    for at, state in enumerate(STATES):
        shapes.append(FigureLabel(8, _middle(at) + 7, state, "strong", 20, "start"))
    for column, (character, row) in enumerate(zip(RUN, table, strict=True)):
        x = _center(column)
        shapes.append(FigureLabel(x, 24, character, "", 20))
        for at, state in enumerate(STATES):
            possible = row[state].score > IMPOSSIBLE
            kind = "hit" if best[column] == state else "" if possible else "miss"
            score = format_log_probability(row[state].score, 1) if possible else "–"
            shapes.append(FigureBox(x - CELL / 2, _middle(at) - HEIGHT / 2, CELL, HEIGHT, kind, 8))
            shapes.append(FigureLabel(x, _middle(at) + 5, score, "" if possible else "quiet", 14))
    title = _("Table of the tags of “%(text)s”", text=RUN)
    return Figure("trellis", LEFT + COLUMN * len(RUN) + 4, TOP + ROW * len(STATES) - 6, tuple(shapes), title)


def _center(column: int) -> float:
    return LEFT + COLUMN * (column + 0.5)


def _middle(row: int) -> float:
    return TOP + ROW * row + HEIGHT / 2


def _step(column: int, before: State, state: State, kind: str) -> FigurePath:
    left, right = _center(column - 1) + CELL / 2, _center(column) - CELL / 2
    start, end = _middle(STATES.index(before)), _middle(STATES.index(state))
    return FigurePath(f"M{left:g} {start:g}L{right:g} {end:g}", kind)


def _arrow(before: State, after: State, probability: float) -> list[Shape]:
    """A straight arrow, moved to its right so that two opposite ones do not meet."""
    (x1, y1), (x2, y2) = PLACES[before], PLACES[after]
    length = hypot(x2 - x1, y2 - y1)
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    shift = 9 if {before, after} in ({"B", "E"}, {"B", "S"}) else 0
    x1, y1, x2, y2 = x1 + dy * shift, y1 - dx * shift, x2 + dy * shift, y2 - dx * shift
    start, end = RADIUS + 2, length - RADIUS - 4
    line = FigurePath(f"M{x1 + dx * start:.1f} {y1 + dy * start:.1f}L{x1 + dx * end:.1f} {y1 + dy * end:.1f}", "best")
    # Beside the middle of the arrow, on the side away from the centre of the picture.
    away = 1 if dy * (CENTER[0] - x1) - dx * (CENTER[1] - y1) < 0 else -1
    x, y = x1 + dx * length / 2 + away * dy * 20, y1 + dy * length / 2 - away * dx * 13
    label = FigureLabel(x, y + 5, f"{probability:.2f}", "score halo", 13)
    return [line, _head(x1 + dx * end, y1 + dy * end, dx, dy), label]


def _loop(state: State, probability: float) -> list[Shape]:
    """An arrow from a tag to itself: above M, below S."""
    x, y = PLACES[state]
    up = -1 if state == "M" else 1
    edge, far = y + up * (RADIUS - 2), y + up * (RADIUS + 46)
    line = FigurePath(f"M{x - 14:g} {edge:g}C{x - 34:g} {far:g} {x + 34:g} {far:g} {x + 14:g} {edge:g}", "best")
    head = _head(x + 15, edge + up * 3, -0.45, -0.9 * up)
    label = FigureLabel(x + 34, y + up * (RADIUS + 18) + 4, f"{probability:.2f}", "score halo", 13, "start")
    return [line, head, label]


def _entry(state: State, probability: float) -> list[Shape]:
    """The arrow into a tag with which a run can begin."""
    x, y = PLACES[state]
    left = x - RADIUS - 56
    return [
        FigurePath(f"M{left:g} {y:g}H{x - RADIUS - 4:g}", "cand"),
        _head(x - RADIUS - 4, y, 1, 0),
        FigureLabel(left, y + 17, _("start"), "quiet", 12, "start"),
        FigureLabel(left, y + 34, f"{probability:.2f}", "score halo", 13, "start"),
    ]


def _head(x: float, y: float, dx: float, dy: float) -> FigurePath:
    """The head of an arrow that points in the direction (`dx`, `dy`)."""
    left, right = (x - 8 * dx - 4.5 * dy, y - 8 * dy + 4.5 * dx), (x - 8 * dx + 4.5 * dy, y - 8 * dy - 4.5 * dx)
    return FigurePath(f"M{left[0]:.1f} {left[1]:.1f}L{x:.1f} {y:.1f}L{right[0]:.1f} {right[1]:.1f}", "best")
