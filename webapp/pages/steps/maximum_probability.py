"""Maximum probability: the word graph of each block, the sums from the right, the best path, and the HMM's tables."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from flask_babel import gettext as _

from webapp.core.models.hmm import IMPOSSIBLE
from webapp.core.models.maximum_probability import MaximumProbability, WordArc
from webapp.core.traces.tagger import TaggerTrace
from webapp.core.traces.viterbi import ViterbiTrace
from webapp.core.traces.word_graph import BlockTrace, HMMTrace, block_traces
from webapp.pages.walkthrough.cells import cell, digits_between, final_cells, format_log_probability, quotable
from webapp.pages.walkthrough.engine import Frame, Walkthrough, say
from webapp.pages.walkthrough.lattice_drawing import LatticeArc, LatticeDrawing, draw, shown_text
from webapp.rendering.pictures.figure import Figure, FigureBox, FigureLabel, FigurePath, Shape, side_by_side
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.result import Result
from webapp.web.json_responses import well_formed
from webapp.web.localization import number

TEMPLATE = "steps/_word_graph.html"
MAX_ARCS = 4_000
"""Words in the graphs of a text; a dictionary could have a word at each position with each length."""
MOST_WHOLE = 40  # characters of a block that the last picture draws as a whole


def walkthrough(result: Result, model: MaximumProbability, n: int) -> Walkthrough:
    """The steps of maximum probability; raises InputProblem for a graph that is too large."""
    frames: list[Callable[[], Frame]] = []
    step_at: dict[int, int] = {}  # for each position of the text, the step that decides its word
    blocks: list[BlockTrace] = []
    arcs = 0
    for trace in block_traces(model, result.encoding.text):
        arcs += sum(len(column.candidates) for column in trace.columns)
        if arcs > MAX_ARCS:
            message = _(
                "The word graph of this text has more than %(most)s words with this dictionary. Shorten the text.",
                most=number(MAX_ARCS),
            )
            raise InputProblem(message, 413)
        blocks.append(trace)
        show = _Block(result, model, trace)
        for at in range(len(trace.text) - 1, -1, -1):
            step_at[trace.offset + at] = len(frames)
            frames.append(partial(show.summed, at))
        if len(trace.text) > 1:
            frames.append(show.path)
        for table in trace.tables:
            frames += [partial(show.column, table, at) for at in range(len(table.text))]
            start = trace.offset + table.offset
            step_at |= dict.fromkeys(range(start, start + len(table.text)), len(frames))
            frames.append(partial(show.states, table))
    made = [step_at.get(start, len(frames)) for start in result.encoding.starts]

    def drawn() -> list[Figure]:
        return [_draw_graph(trace, 0, trace.path, whole=len(trace.text) <= MOST_WHOLE).figure for trace in blocks[:8]]

    return Walkthrough([*frames, partial(words_frame, TEMPLATE, result, drawn)], result.encoding.ids, made)


@dataclass(frozen=True)
class _Block:
    """The frames of a block."""

    result: Result
    model: MaximumProbability
    trace: BlockTrace

    def summed(self, at: int) -> Frame:
        """The best sum from a position to the end is found."""
        trace = self.trace
        column = trace.columns[at]
        digits = digits_between((one.total for one in column.candidates), 3)
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
        shown = {"column": column, "digits": digits}
        return self._graph(say("word_graph", "sum", text=trace.text, column=column, digits=digits), record, at, shown)

    def path(self) -> Frame:
        """The best path is read from the left."""
        trace, total = self.trace, self.trace.columns[0].best.total
        words = [trace.text[arc.start : arc.end] for arc in trace.path]
        record = {
            "kind": "path",
            "words": words,
            "total": total,
            "runs": [
                {"start": trace.offset + run.start, "end": trace.offset + run.end, "kind": run.kind,
                 "words": list(run.words)}
                for run in trace.runs
            ],
        }  # fmt: skip
        sentence = say("word_graph", "path", trace=trace, words=words, total=total, hmm=self.model.hmm is not None)
        return self._graph(sentence, record, 0, {"words": trace.words})

    def _graph(self, sentence: str, record: Mapping[str, Any], at: int, shown: Mapping[str, Any]) -> Frame:
        trace = self.trace
        path: list[WordArc] = []
        while (start := path[-1].end if path else at) < len(trace.text):
            path.append(trace.columns[start].best.arc)
        drawing = partial(_draw_graph, trace, at, path)

        def values() -> dict[str, Any]:
            found = {"drawing": drawing(), "block": trace.text, "path": path, "columns": trace.columns[at:][::-1]}
            row = self._row(trace.offset, trace.text)
            return {**row, **found, "kind": record["kind"], "total": self.model.graph.total, **shown}

        return Frame(TEMPLATE, sentence, record, values, lambda: drawing().figure)

    def column(self, table: HMMTrace, at: int) -> Frame:
        """The sums of a character's states are found."""
        record = {"kind": "column", "character": table.text[at], "states": list(map(asdict, table.columns[at]))}
        return self._hmm(
            say("word_graph", "column", table=table, at=at), record, table, at + 1, {"states": table.columns[at]}
        )

    def states(self, table: HMMTrace) -> Frame:
        """The best states are read from the right."""
        record = {
            "kind": "states", "text": table.text, "states": "".join(table.states), "words": list(table.words)
        }  # fmt: skip
        last = [each for each in table.columns[-1] if each.state in ("E", "S")]  # in which a run may end
        shown = {"states": last, "best": table.states[-1], "words": table.words}
        return self._hmm(say("word_graph", "states", table=table), record, table, len(table.text), shown)

    def _hmm(
        self, sentence: str, record: Mapping[str, Any], table: HMMTrace, filled: int, shown: Mapping[str, Any]
    ) -> Frame:
        kind = record["kind"]
        return Frame(
            TEMPLATE,
            sentence,
            record,
            lambda: {**self._row(self.trace.offset + table.offset, table.text), "kind": kind, **shown},
            lambda: draw_table(table, filled, traced=kind == "states"),
        )

    def _row(self, start: int, now: str) -> dict[str, Any]:
        """The text with the words of finished blocks, the block or the characters of this step, and the rest."""
        text = self.result.encoding.text
        end = start + len(now)
        cells = [cell(text[:start], "done"), cell(now, "now"), cell(text[end:], "rest")]
        return {"row": [one for one in cells if one.text]}


def words_frame(template: str, result: Result, drawn: Callable[[], list[Figure]]) -> Frame:
    """The last frame: all words that were found, with the pictures of `drawn` side by side."""
    encoding = result.encoding
    words = [well_formed(encoding.text[at:end]) for at, end in zip(encoding.starts, encoding.ends, strict=True)]

    def picture() -> Figure | None:
        figures = drawn()
        return side_by_side(figures, width=1600) if figures else None

    return Frame(
        template,
        say("word_graph", "ended", encoding=encoding),
        {"kind": "words", "words": words},
        lambda: {"kind": "end", "cells": final_cells(result)},
        picture,
    )


def shown_sum(value: float, digits: int = 2) -> str:
    """A sum or a log-probability; one that stands for “impossible” is −∞.

    >>> shown_sum(IMPOSSIBLE), shown_sum(2 * IMPOSSIBLE - 3)
    ('−∞', '−∞')
    """
    return "−∞" if value <= IMPOSSIBLE / 2 else format_log_probability(value, digits)


# --- pictures


def _draw_graph(trace: BlockTrace, here: int, path: Sequence[WordArc], *, whole: bool = False) -> LatticeDrawing:
    """Draw a block whose sums are filled from its end to `here`; `path` is the best path from there."""
    arcs: dict[WordArc, LatticeArc] = {}
    for arc in (candidate.arc for column in trace.columns for candidate in column.candidates):
        text, frequency = trace.text[arc.start : arc.end], number(arc.frequency) if arc.known else "–"
        title = f"{shown_text(text)}  {number(arc.frequency)}  {format_log_probability(arc.score, 4)}"
        labels = (frequency, format_log_probability(arc.score))
        arcs[arc] = LatticeArc(arc.start, arc.end, text, arc.known, labels, title)
    title = _(
        "The words of the dictionary in “%(text)s”, with frequencies and log-probabilities", text=quotable(trace.text)
    )
    return draw(
        trace.text,
        list(arcs.values()),
        {column.start: (arcs[column.best.arc], column.best.total) for column in trace.columns[here:]},
        path=[arcs[arc] for arc in path],
        here=here,
        backward=True,
        whole=whole,
        name="word-graph",
        title=title,
    )


MAX_COLUMNS = 12
"""Of more characters, only those around the column of the step are drawn."""
UNIT, ROW, BOX, HEIGHT = 91.0, 48.0, 60.0, 32.0
TOP = 40.0


def draw_table(
    trace: HMMTrace | TaggerTrace | ViterbiTrace,
    filled: int,
    *,
    traced: bool,
    title: str = "",
    shown: Callable[[float], str] = shown_sum,
) -> Figure:
    """Draw the first `filled` columns of a Viterbi table; once it is full, `traced` marks the best states."""
    states = [cell.state for cell in trace.columns[0]]
    left = 12 + 16 * max(map(len, states))
    first = max(0, min(filled - MAX_COLUMNS + 2, len(trace.text) - MAX_COLUMNS))
    last = min(len(trace.text), first + MAX_COLUMNS)
    x_of = {at: left + UNIT * (at - first) for at in range(first, last)}
    y_of = {state: TOP + ROW * place for place, state in enumerate(states)}
    shapes: list[Shape] = [FigureLabel(0, y_of[state] + 22, state, "strong", 16, "start") for state in states]
    for at, x in x_of.items():
        now = at == filled - 1 and not traced
        shapes.append(FigureLabel(x + BOX / 2, 24, shown_text(trace.text[at]), "" if at < filled else "soon", 20))
        for found in trace.columns[at]:
            y = y_of[found.state]
            on_path = traced and trace.states[at] == found.state
            if at >= filled:
                shapes.append(FigureBox(x, y, BOX, HEIGHT, "rank", 6))
                continue
            if found.before and at > first:
                line = f"M{x - UNIT + BOX:g} {y_of[found.before] + HEIGHT / 2:g}L{x:g} {y + HEIGHT / 2:g}"
                shapes.append(FigurePath(line, "win" if on_path else "best" if now else "lost"))
            shapes.append(FigureBox(x, y, BOX, HEIGHT, "hit" if on_path or now else "miss", 6))
            total, kind = shown(found.total), "win" if on_path else ""
            shapes.append(FigureLabel(x + BOX / 2, y + 21, total, kind, max(9, min(13, 80 // len(total)))))
    title = title or _("The HMM’s sums for “%(text)s”, by character and state", text=quotable("".join(trace.text)))
    focus = 0.0 if traced or not filled else x_of[filled - 1] + BOX / 2
    width, height = left + UNIT * (last - first) - (UNIT - BOX) + 4, TOP + ROW * len(states) - 12
    return Figure("hmm", width, height, tuple(shapes), title, focus)
