"""The drawing of an HMM's table: a column for each character, a row for each state, and the arrows between them."""

from __future__ import annotations

from webapp.core.models.hmm import IMPOSSIBLE, STATES, State
from webapp.core.traces.hmm import HMMTrace
from webapp.pages.walkthrough.cells import format_log_probability
from webapp.pages.walkthrough.lattice_drawing import shown_text
from webapp.rendering.pictures.figure import Figure, FigureBox, FigureLabel, FigurePath, Shape

MAX_COLUMNS = 12
"""Of more characters, only those around the column of the step are drawn."""
UNIT, ROW, BOX, HEIGHT = 128.0, 56.0, 78.0, 34.0
LEFT, TOP = 44.0, 44.0


def draw_table(trace: HMMTrace, filled: int, *, traced: bool, title: str) -> Figure:
    """Draw the first `filled` columns of a table; once it is full, `traced` marks the best states."""
    first = (
        0 if len(trace.text) <= MAX_COLUMNS else max(0, min(filled - MAX_COLUMNS + 2, len(trace.text) - MAX_COLUMNS))
    )
    last = min(len(trace.text), first + MAX_COLUMNS)
    shapes: list[Shape] = []
    x_of = {at: LEFT + UNIT * (at - first) for at in range(first, last)}
    y_of: dict[State, float] = {state: TOP + ROW * number for number, state in enumerate(STATES)}
    shapes += [FigureLabel(8, y_of[state] + 23, state, "strong", 16, "start") for state in STATES]
    for at, x in x_of.items():
        kind = "" if at < filled else "soon"
        shapes.append(FigureLabel(x + BOX / 2, 26, shown_text(trace.text[at]), kind, 20))
    for at in range(first + 1, min(last, filled)):
        for cell in trace.columns[at]:
            if cell.before is None:
                continue
            on_path = traced and trace.states[at] == cell.state
            left, right = x_of[at - 1] + BOX, x_of[at]
            line = f"M{left:g} {y_of[cell.before] + HEIGHT / 2:g}L{right:g} {y_of[cell.state] + HEIGHT / 2:g}"
            shapes.append(FigurePath(line, "win" if on_path else "best" if at == filled - 1 and not traced else "lost"))
    for at in range(first, last):
        for cell in trace.columns[at]:
            on_path = traced and trace.states[at] == cell.state
            kind = "hit" if on_path or (at == filled - 1 and not traced) else "miss"
            if at >= filled:
                shapes.append(FigureBox(x_of[at], y_of[cell.state], BOX, HEIGHT, "rank", 6))
                continue
            shapes.append(FigureBox(x_of[at], y_of[cell.state], BOX, HEIGHT, kind, 6))
            label = "win" if on_path else ""
            shapes.append(FigureLabel(x_of[at] + BOX / 2, y_of[cell.state] + 23, shown_sum(cell.total), label, 14))
    return Figure("hmm", LEFT + UNIT * (last - first) - (UNIT - BOX) + 4, TOP + ROW * 4 - 14, tuple(shapes), title)


def shown_sum(value: float, digits: int = 2) -> str:
    """A sum or a log-probability; one that stands for “impossible” is −∞.

    >>> shown_sum(IMPOSSIBLE), shown_sum(2 * IMPOSSIBLE - 3)
    ('−∞', '−∞')
    """
    return "−∞" if value <= IMPOSSIBLE / 2 else format_log_probability(value, digits)
