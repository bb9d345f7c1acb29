"""Maximum probability: the word graph of each block, the sums from the right, the best path, and the HMM's tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from flask_babel import gettext as _

from webapp.core.models.hmm import IMPOSSIBLE, STATES, State
from webapp.core.models.maximum_probability import MaximumProbability
from webapp.core.models.word_graph import Arc
from webapp.core.traces.word_graph import BlockTrace, HMMTrace, StateCell, block_traces, hmm_traces
from webapp.pages.steps import maximum_probability_messages as messages
from webapp.pages.steps.frequency_suggestion import suggestion_of
from webapp.pages.steps.maximum_probability_messages import shown_sum
from webapp.pages.walkthrough.cells import cell, format_log_probability
from webapp.pages.walkthrough.engine import Frame, NoStepsError, Walkthrough
from webapp.pages.walkthrough.lattice_drawing import LatticeDrawing, draw_graph, legend, shown_text
from webapp.pages.walkthrough.preparation import final_cells
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.figure import Figure, FigureBox, FigureLabel, FigurePath, Shape, side_by_side
from webapp.serializers.json import well_formed
from webapp.tokenization.result import Result
from webapp.web.localization import number

TEMPLATE = "steps/_word_graph.html"
MAX_ARCS = 4_000
"""Words in the graphs of a text; a dictionary could have a word at each position with each length."""


def walkthrough(result: Result, options: Mapping[str, str]) -> Walkthrough:
    """The steps of maximum probability; the option `want` is a word that should be cut differently.

    Raises NoStepsError for a graph that is too large.
    """
    model = result.tokenizer.model
    if not isinstance(model, MaximumProbability):
        raise NoStepsError(_("This vocabulary has no steps to show."))
    frames: list[Callable[[], Frame]] = []
    step_at: dict[int, int] = {}  # for each position of the text, the step that decides its word
    blocks = _blocks(model, result.encoding.text)
    suggestion = partial(suggestion_of, result, model, options.get("want", ""), _path_step)
    for trace in blocks:
        show = _Block(result, model, trace, suggestion)
        for at in range(len(trace.text) - 1, -1, -1):
            step_at[trace.offset + at] = len(frames)
            frames.append(partial(show.summed, at))
        if len(trace.text) > 1:
            frames.append(show.path)
        for table in _tables(model, trace):
            frames += [partial(show.column, table, at) for at in range(len(table.text))]
            start = trace.offset + table.offset
            step_at |= dict.fromkeys(range(start, start + len(table.text)), len(frames))
            frames.append(partial(show.states, table))
    made = [step_at.get(start, len(frames)) for start in result.encoding.starts]
    return Walkthrough([*frames, partial(_ended, result, model, blocks, suggestion)], result.encoding.ids, made)


def _blocks(model: MaximumProbability, text: str) -> list[BlockTrace]:
    """The blocks of a text; raises NoStepsError if their graphs are too large."""
    blocks = []
    arcs = 0
    for trace in block_traces(model, text):
        arcs += sum(len(column.candidates) for column in trace.columns)
        if arcs > MAX_ARCS:
            message = _(
                "The word graph of this text has more than %(most)s words with this dictionary. Shorten the text.",
                most=number(MAX_ARCS),
            )
            raise NoStepsError(message, 413)
        blocks.append(trace)
    return blocks


def _tables(model: MaximumProbability, trace: BlockTrace) -> list[HMMTrace]:
    """The tables of the HMM for a block; their offsets are in the block."""
    return [
        replace(table, offset=run.start + table.offset)
        for run in trace.runs
        if run.kind == "hmm" and model.hmm is not None
        for table in hmm_traces(model.hmm, trace.text[run.start : run.end])
    ]


def _path_step(result: Result, place: int) -> int | None:
    """The number, from 1, of the step with the chosen path through the graph of a place; None if there is none."""
    model = result.tokenizer.model
    assert isinstance(model, MaximumProbability)
    step = 0
    try:
        blocks = _blocks(model, result.encoding.text)
    except NoStepsError:
        return None
    for trace in blocks:
        step += len(trace.text) + (len(trace.text) > 1)
        if 0 <= place - trace.offset < len(trace.text):
            return step if len(trace.text) > 1 else None
        step += sum(len(table.text) + 1 for table in _tables(model, trace))
    return None


@dataclass(frozen=True)
class _Block:
    """The frames of a block."""

    result: Result
    model: MaximumProbability
    trace: BlockTrace
    suggestion: Callable[[], object]

    def summed(self, at: int) -> Frame:
        """The best sum from a position to the end is found."""
        trace = self.trace
        column = trace.columns[at]
        record = {
            "kind": "sum",
            "start": trace.offset + at,
            "candidates": [
                {
                    "word": well_formed(trace.text[one.arc.start : one.arc.end]),
                    "end": trace.offset + one.arc.end,
                    "frequency": one.arc.frequency,
                    "in_dictionary": one.arc.known,
                    "score": one.arc.score,
                    "after": one.after,
                    "total": one.total,
                }
                for one in column.candidates
            ],
            "winner": column.winner,
        }
        shown = {"kind": "sum", "column": column, "digits": messages.digits_of(column)}
        return self._graph(messages.sum_sentence(trace, column), record, at, shown)

    def path(self) -> Frame:
        """The best path is read from the left."""
        trace = self.trace
        record = {
            "kind": "path",
            "words": [trace.text[arc.start : arc.end] for arc in trace.path],
            "total": trace.columns[0].best.total,
            "runs": [
                {"start": trace.offset + run.start, "end": trace.offset + run.end, "kind": run.kind,
                 "words": list(run.words)}
                for run in trace.runs
            ],
        }  # fmt: skip
        shown = {"kind": "path", "words": trace.words}
        return self._graph(messages.path_sentence(trace, self.model), record, 0, shown)

    def _graph(self, sentence: str, record: Mapping[str, Any], at: int, shown: Mapping[str, Any]) -> Frame:
        trace = self.trace
        path: list[Arc] = []
        while (start := path[-1].end if path else at) < len(trace.text):
            path.append(trace.columns[start].best.arc)

        def drawing() -> LatticeDrawing:
            return draw_graph(trace, at, path, title=messages.graph_title(trace.text))

        def values() -> dict[str, Any]:
            table = {"path": path, "columns": trace.columns[at:][::-1], "total": self.model.graph.total}
            drawn = drawing()
            found = {"drawing": drawn, "legend": _legend(drawn), "block": trace.text, **table, **shown}
            return self._values(trace.offset, trace.text) | found

        return Frame(TEMPLATE, sentence, record, values, lambda: drawing().figure)

    def column(self, table: HMMTrace, at: int) -> Frame:
        """The sums of a character's states are found."""
        record = {"kind": "column", "character": table.text[at], "states": list(map(asdict, table.columns[at]))}
        rows = [row for each in table.columns[at] for row in _rows(each)]
        return self._hmm(messages.column_sentence(table, at), record, table, at + 1, {"rows": rows})

    def states(self, table: HMMTrace) -> Frame:
        """The best states are read from the right."""
        record = {
            "kind": "states", "text": table.text, "states": "".join(table.states), "words": list(table.words)
        }  # fmt: skip
        shown = {"rows": _final_rows(table), "words": table.words}
        return self._hmm(messages.states_sentence(table), record, table, len(table.text), shown)

    def _hmm(
        self, sentence: str, record: Mapping[str, Any], table: HMMTrace, filled: int, shown: dict[str, Any]
    ) -> Frame:
        kind = record["kind"]
        impossible = "−∞" in {text for row in shown["rows"] for text in (row.emission, row.score, row.total)}
        return Frame(
            TEMPLATE,
            sentence,
            record,
            lambda: {
                **self._values(self.trace.offset + table.offset, table.text),
                **shown,
                "kind": kind,
                "has_impossible": impossible,
            },
            lambda: draw_table(table, filled, traced=kind == "states", title=messages.table_title(table.text)),
        )

    def _values(self, start: int, now: str) -> dict[str, Any]:
        """The text with the words of finished blocks, the block or the characters of this step, and the rest."""
        text = self.result.encoding.text
        end = start + len(now)
        cells = [cell(text[:start], "done"), cell(now, "now"), cell(text[end:], "rest")]
        return {**_NOTHING, "cells": [one for one in cells if one.text], "suggestion": self.suggestion()}


_NOTHING: Mapping[str, Any] = {
    **dict.fromkeys(("drawing", "column"), None),
    **dict.fromkeys(("legend", "path", "rows", "words", "columns"), ()),
    "format_score": format_log_probability,
    "shown_text": shown_piece,
}
"""What a step does not have."""


def _ended(
    result: Result, model: MaximumProbability, blocks: Sequence[BlockTrace], suggestion: Callable[[], object]
) -> Frame:
    encoding = result.encoding
    words = [well_formed(encoding.text[at:end]) for at, end in zip(encoding.starts, encoding.ends, strict=True)]

    def picture() -> Figure | None:
        figures = [
            draw_graph(trace, 0, trace.path, title=messages.graph_title(trace.text), whole=len(trace.text) <= 40).figure
            for trace in blocks[:8]
        ]
        return side_by_side(figures, width=1600) if figures else None

    return Frame(
        TEMPLATE,
        messages.end_sentence(result, model),
        {"kind": "words", "words": words},
        lambda: {**_NOTHING, "kind": "end", "cells": final_cells(result), "suggestion": suggestion()},
        picture,
    )


def _legend(drawing: LatticeDrawing) -> list[tuple[str, str]]:
    return legend(
        [drawing],
        win=_("best path"),
        cand=_("compared now"),
        best=_("best at its position"),
        lost=_("not the best"),
        soon=_("still to come"),
    )


@dataclass(frozen=True)
class HMMRow:
    """A way into a state: the emission, the state before with its sum, the transition, and the new sum, as texts."""

    state: str
    emission: str
    before: str
    score: str
    transition: str
    total: str
    wins: bool


def _rows(found: StateCell) -> list[HMMRow]:
    emission, total = shown_sum(found.emission, 3), shown_sum(found.total, 3)
    if not found.candidates:
        start = found.total - found.emission if found.emission > IMPOSSIBLE / 2 else found.total
        return [HMMRow(found.state, emission, "", "", shown_sum(start, 3), total, False)]
    return [
        HMMRow(
            found.state,
            emission,
            each.before,
            shown_sum(each.score, 3),
            shown_sum(each.transition, 3),
            shown_sum(each.total, 3),
            each.before == found.before,
        )
        for each in found.candidates
    ]


def _final_rows(table: HMMTrace) -> list[HMMRow]:
    """The two states in which a run may end."""
    last = table.columns[-1]
    return [
        HMMRow(each.state, "", "", "", "", shown_sum(each.total, 3), each.state == table.states[-1])
        for each in last
        if each.state in ("E", "S")
    ]


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
        for found in trace.columns[at]:
            if found.before is None:
                continue
            on_path = traced and trace.states[at] == found.state
            left, right = x_of[at - 1] + BOX, x_of[at]
            line = f"M{left:g} {y_of[found.before] + HEIGHT / 2:g}L{right:g} {y_of[found.state] + HEIGHT / 2:g}"
            shapes.append(FigurePath(line, "win" if on_path else "best" if at == filled - 1 and not traced else "lost"))
    for at in range(first, last):
        for found in trace.columns[at]:
            on_path = traced and trace.states[at] == found.state
            kind = "hit" if on_path or (at == filled - 1 and not traced) else "miss"
            if at >= filled:
                shapes.append(FigureBox(x_of[at], y_of[found.state], BOX, HEIGHT, "rank", 6))
                continue
            shapes.append(FigureBox(x_of[at], y_of[found.state], BOX, HEIGHT, kind, 6))
            label = "win" if on_path else ""
            shapes.append(FigureLabel(x_of[at] + BOX / 2, y_of[found.state] + 23, shown_sum(found.total), label, 14))
    return Figure("hmm", LEFT + UNIT * (last - first) - (UNIT - BOX) + 4, TOP + ROW * 4 - 14, tuple(shapes), title)
