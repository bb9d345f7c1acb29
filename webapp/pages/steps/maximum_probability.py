"""Maximum probability: the word graph of each block, the sums from the right, the best path, and the HMM's tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

from flask_babel import gettext as _

from webapp.core.models.hmm import IMPOSSIBLE
from webapp.core.models.maximum_probability import MaximumProbability
from webapp.core.models.word_graph import Arc
from webapp.core.traces.hmm import HMMTrace, StateCell, hmm_traces
from webapp.core.traces.word_graph import BlockTrace, GraphColumn, block_traces
from webapp.pages.steps import maximum_probability_messages as messages
from webapp.pages.steps.frequency_suggestion import FrequencySuggestion, suggestion_of
from webapp.pages.steps.hmm_drawing import draw_table, shown_sum
from webapp.pages.steps.word_graph_drawing import GraphDrawing, draw_graph
from webapp.pages.walkthrough.cells import StepCell, cell, final_cells
from webapp.pages.walkthrough.figures import format_log_probability
from webapp.pages.walkthrough.walkthrough import NoStepsError, Walkthrough
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.figure import Figure, side_by_side
from webapp.serializers.json import well_formed
from webapp.tokenization.result import Result
from webapp.web.localization import number

MAX_ARCS = 4_000
"""Words in the graphs of a text; a dictionary could have a word at each position with each length."""


def walkthrough(result: Result, options: Mapping[str, str]) -> Walkthrough:
    """The steps of maximum probability; the option `want` is a word that should be cut differently.

    Raises NoStepsError for a graph that is too large.
    """
    model = result.tokenizer.model
    if not isinstance(model, MaximumProbability):
        raise NoStepsError(_("This vocabulary has no steps to show."))
    blocks = []
    arcs = 0
    for trace in block_traces(model, result.encoding.text):
        arcs += sum(len(column.candidates) for column in trace.columns)
        if arcs > MAX_ARCS:
            message = _(
                "The word graph of this text has more than %(most)s words with this dictionary. Shorten the text.",
                most=number(MAX_ARCS),
            )
            raise NoStepsError(message, 413)
        blocks.append(trace)
    return _GraphWalkthrough(result, model, blocks, options.get("want", ""))


def _path_step(result: Result, place: int) -> int | None:
    """The number, from 1, of the step with the chosen path through the graph of a place; None if there is none."""
    try:
        steps = walkthrough(result, {})
    except NoStepsError:
        return None
    assert isinstance(steps, _GraphWalkthrough)
    return steps.path_step(place)


@dataclass(frozen=True)
class _Step:
    """A step of block `block`: the sum at a `position`, the `path`, or a `column` or the `states` of an HMM table."""

    kind: Literal["sum", "path", "column", "states"]
    block: int
    at: int = 0  # the position, or the column
    table: int = 0  # the number of the HMM's table in the block


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


@dataclass(frozen=True, kw_only=True)
class GraphPart:
    """The values for `steps/_word_graph.html`; what a step does not have is empty."""

    kind: Literal["sum", "path", "column", "states", "end"]
    cells: Sequence[StepCell]  # the text; at the end the tokens
    figure: Figure | None
    drawing: GraphDrawing | None = None
    column: GraphColumn | None = None
    block: str = ""
    total: int = 0  # of all frequencies
    path: Sequence[Arc] = ()  # the best path from the position of the step
    rows: Sequence[HMMRow] = ()
    has_impossible: bool = False
    words: Sequence[str] = ()
    columns: Sequence[GraphColumn] = ()  # the table so far, from the right
    digits: int = 3
    suggestion: FrequencySuggestion
    format_score: ClassVar = staticmethod(format_log_probability)
    shown_text: ClassVar = staticmethod(shown_piece)


class _GraphWalkthrough:
    template = "steps/_word_graph.html"

    def __init__(self, result: Result, model: MaximumProbability, blocks: Sequence[BlockTrace], want: str) -> None:
        self._result = result
        self._model = model
        self._blocks = blocks
        self._want = want
        self.ids: Sequence[int] = result.encoding.ids
        self._tables: list[list[HMMTrace]] = [
            [
                HMMTrace(run.start + table.offset, table.text, table.columns, table.states, table.words)
                for run in trace.runs
                if run.kind == "hmm" and model.hmm is not None
                for table in hmm_traces(model.hmm, trace.text[run.start : run.end])
            ]
            for trace in blocks
        ]
        self._steps: list[_Step] = []
        for number_, trace in enumerate(blocks):
            self._steps += [_Step("sum", number_, at) for at in range(len(trace.text) - 1, -1, -1)]
            if len(trace.text) > 1:
                self._steps.append(_Step("path", number_))
            for place, table in enumerate(self._tables[number_]):
                self._steps += [_Step("column", number_, at, place) for at in range(len(table.text))]
                self._steps.append(_Step("states", number_, 0, place))

    def __len__(self) -> int:
        return len(self._steps) + 1

    def step_of(self, token: int) -> int:
        """The step where the token's word got the best sum, or where the HMM's states were read."""
        start = self._result.encoding.starts[token]
        for at, trace in enumerate(self._blocks):
            inside = start - trace.offset
            if 0 <= inside < len(trace.text):
                for place, table in enumerate(self._tables[at]):
                    if table.offset <= inside < table.offset + len(table.text):
                        return self._steps.index(_Step("states", at, 0, place))
                return self._steps.index(_Step("sum", at, inside))
        return len(self._steps)

    def path_step(self, place: int) -> int | None:
        """The number, from 1, of the step with the chosen path through the graph of a place; None if there is none."""
        return next(
            (
                number_
                for number_, step in enumerate(self._steps, 1)
                if step.kind == "path"
                and 0 <= place - self._blocks[step.block].offset < len(self._blocks[step.block].text)
            ),
            None,
        )

    def sentence(self, step: int) -> str:
        if step == len(self._steps):
            return messages.end_sentence(self._result, self._model)
        now = self._steps[step]
        trace = self._blocks[now.block]
        if now.kind == "sum":
            return messages.sum_sentence(trace, trace.columns[now.at])
        if now.kind == "path":
            return messages.path_sentence(trace, self._model)
        table = self._tables[now.block][now.table]
        if now.kind == "column":
            return messages.column_sentence(table, now.at)
        return messages.states_sentence(table)

    def part(self, step: int) -> GraphPart:
        suggestion = suggestion_of(self._result, self._model, self._want, _path_step)
        figure = self.picture(step)
        if step == len(self._steps):
            return GraphPart(kind="end", cells=final_cells(self._result), figure=figure, suggestion=suggestion)
        now = self._steps[step]
        trace = self._blocks[now.block]
        cells = self._cells(now)
        if now.kind in ("sum", "path"):
            drawing = self._drawing(now)
            column = trace.columns[now.at] if now.kind == "sum" else None
            return GraphPart(
                kind=now.kind,
                cells=cells,
                figure=figure,
                drawing=drawing,
                column=column,
                block=trace.text,
                total=self._model.graph.total,
                path=_path_from(trace, now.at),
                words=trace.words if now.kind == "path" else (),
                columns=trace.columns[now.at :][::-1],
                digits=messages.digits_of(column) if column else 3,
                suggestion=suggestion,
            )
        table = self._tables[now.block][now.table]
        states = now.kind == "states"
        rows = _final_rows(table) if states else [row for each in table.columns[now.at] for row in _rows(each)]
        return GraphPart(
            kind=now.kind,
            cells=cells,
            figure=figure,
            rows=rows,
            has_impossible="−∞" in {text for row in rows for text in (row.emission, row.score, row.total)},
            words=table.words if states else (),
            suggestion=suggestion,
        )

    def picture(self, step: int) -> Figure | None:
        """The word graph, or the table of the HMM; at the end the graphs of all blocks."""
        if step == len(self._steps):
            figures = [
                draw_graph(trace, 0, trace.path, title=messages.graph_title(trace.text), whole=len(trace.text) <= 40)
                for trace in self._blocks[:8]
            ]
            return side_by_side([each.figure for each in figures], width=1600) if figures else None
        now = self._steps[step]
        if now.kind in ("sum", "path"):
            return self._drawing(now).figure
        table = self._tables[now.block][now.table]
        states = now.kind == "states"
        filled = len(table.text) if states else now.at + 1
        return draw_table(table, filled, traced=states, title=messages.table_title(table.text))

    def record(self, step: int) -> dict[str, Any]:
        if step == len(self._steps):
            return {"kind": "words", "words": [well_formed(word) for word in self._words]}
        now = self._steps[step]
        trace = self._blocks[now.block]
        if now.kind == "sum":
            column = trace.columns[now.at]
            return {
                "kind": "sum",
                "start": trace.offset + now.at,
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
        if now.kind == "path":
            return {
                "kind": "path",
                "words": [trace.text[arc.start : arc.end] for arc in trace.path],
                "total": trace.columns[0].best.total,
                "runs": [
                    {"start": trace.offset + run.start, "end": trace.offset + run.end, "kind": run.kind,
                     "words": list(run.words)}
                    for run in trace.runs
                ],
            }  # fmt: skip
        table = self._tables[now.block][now.table]
        if now.kind == "column":
            return {
                "kind": "column",
                "character": table.text[now.at],
                "states": list(map(asdict, table.columns[now.at])),
            }
        return {"kind": "states", "text": table.text, "states": "".join(table.states), "words": list(table.words)}

    @property
    def _words(self) -> list[str]:
        encoding = self._result.encoding
        return [encoding.text[start:end] for start, end in zip(encoding.starts, encoding.ends, strict=True)]

    def _drawing(self, now: _Step) -> GraphDrawing:
        trace = self._blocks[now.block]
        return draw_graph(trace, now.at, _path_from(trace, now.at), title=messages.graph_title(trace.text))

    def _cells(self, now: _Step) -> list[StepCell]:
        """The text: the words of finished blocks, the block or the characters of this step, and the rest."""
        text = self._result.encoding.text
        trace = self._blocks[now.block]
        first, last = trace.offset, trace.offset + len(trace.text)
        if now.kind in ("column", "states"):
            table = self._tables[now.block][now.table]
            first, last = trace.offset + table.offset, trace.offset + table.offset + len(table.text)
        cells = [cell(text[:first], "done")] if first else []
        cells.append(cell(text[first:last], "now"))
        return [*cells, cell(text[last:], "rest")] if last < len(text) else cells


def _path_from(trace: BlockTrace, at: int) -> list[Arc]:
    """The best path from a position to the end of the block."""
    path = []
    while at < len(trace.text):
        path.append(trace.columns[at].best.arc)
        at = path[-1].end
    return path


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
