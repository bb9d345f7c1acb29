"""Unigram: the lattice of each pre-token, its Viterbi table filled left to right, and the best path traced back.

The last step has other segmentations of the text: the n best.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from math import log10, prod
from typing import Any
from urllib.parse import parse_qsl

from flask_babel import gettext as _

from webapp.core.traces import lattice as traces
from webapp.core.traces.pretokens import AddedFound, Pretoken
from webapp.pages.walkthrough.cells import (
    StepCell,
    WordSteps,
    cell,
    digits_between,
    final_cells,
    format_log_probability,
    power,
    pretokens,
    quotable,
)
from webapp.pages.walkthrough.engine import MOST_BEST, Frame, Walkthrough, say
from webapp.pages.walkthrough.lattice_drawing import LatticeArc, LatticeDrawing, draw, first_drawings, shown_text
from webapp.rendering.pictures.figure import Figure, side_by_side
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.result import Result
from webapp.web.json_responses import well_formed
from webapp.web.localization import number

TEMPLATE = "steps/_lattice.html"
MAX_ARCS = 10_000
"""The limit for all pre-tokens of a text; a normalizer can make a text many times longer, and pieces overlap."""
MAX_FINAL_ARCS = 500
"""The last step draws the lattices of as many pre-tokens as have at most so many arcs, and at least one."""


@dataclass(frozen=True)
class _Word:
    """A pre-token with its lattice and its complete Viterbi table, or an added token, with a lattice without arcs."""

    steps: WordSteps
    at: int  # its number in the text
    lattice: traces.Lattice
    columns: Sequence[traces.ViterbiColumn] = ()
    path: Sequence[traces.Arc] = ()  # the best path, from the end to the start
    added: AddedFound | None = None

    def filled(self, model: traces.LatticeModel, end: int) -> Frame:
        """The table is filled up to position `end`."""
        column = self.columns[end - 1]
        digits = digits_between((one.total for one in column.candidates), 2)
        record = {
            "kind": "reached",
            "pretoken": self.at,
            "end": end,
            "candidates": [{**_plain(one.arc), "before": one.before, "total": one.total} for one in column.candidates],
            "winner": column.winner,
            "reset": column.reset,
        }
        arc = column.best.arc
        whole = [traces.Arc(0, 1, arc.text, None, arc.score)]
        tokens = () if arc.id is not None else traces.tokens_of(model, arc.text, whole)
        spelled = any(id != model.unknown_id for id, _start, _end in tokens)
        shown = {"column": column, "digits": digits}
        sentence = say("lattice", "filled", lattice=self.lattice, columns=len(self.columns), bytes=spelled, **shown)
        return self._frame(sentence, record, end, traces.path_back(self.columns[:end]), shown)

    def traced(self, count: int) -> Frame:
        """The table is full, and `count` arcs of the best path are traced back."""
        path = self.path[:count]
        arc = path[-1]
        record = {"kind": "followed", "pretoken": self.at, "end": arc.end, "arc": _plain(arc)}
        return self._frame(say("lattice", "traced", path=path), record, arc.start, path, {"traced": True})

    def _frame(
        self, sentence: str, record: Mapping[str, Any], here: int, path: Sequence[traces.Arc], shown: Mapping[str, Any]
    ) -> Frame:
        filled = self.columns if "traced" in shown else self.columns[:here]
        drawing = partial(self.drawing, filled, path, here)

        def values() -> dict[str, Any]:
            drawn, row = drawing(), self.steps.row(self.at)
            arcs = [arc for arc in self.lattice.arcs if drawn.first <= arc.start and arc.end <= drawn.last]
            return {"row": row, "drawing": drawn, "path": path[::-1], "columns": filled, "arcs": arcs, **shown}

        return Frame(TEMPLATE, sentence, record, values, lambda: drawing().figure)

    def drawing(
        self, filled: Sequence[traces.ViterbiColumn], path: Sequence[traces.Arc], here: int | None = None
    ) -> LatticeDrawing:
        """The lattice at a step, or after the last one, without `here`."""
        arcs = {arc: _drawn_arc(arc) for arc in self.lattice.arcs}
        text, best = self.lattice.text, {one.end: (arcs[one.best.arc], one.best.total) for one in filled}
        title = _(
            "The lattice of “%(text)s” with its table. The tables below have the same figures.", text=quotable(text)
        )
        drawn = [arcs[arc] for arc in path]
        return draw(text, list(arcs.values()), best, path=drawn, here=here, whole=here is None, title=title)


def walkthrough(result: Result, model: traces.LatticeModel, n: int) -> Walkthrough:
    """The steps of Unigram on the pre-tokens of a result, with the `n` best segmentations.

    Raises InputProblem for a lattice that is too large.
    """
    found = pretokens(result)
    arcs = chain.from_iterable(model.arcs(one.text) for one in found if isinstance(one, Pretoken))
    if next(islice(arcs, MAX_ARCS, None), None) is not None:
        message = _(
            "The lattice of this text has more than %(most)s arcs with this vocabulary. Shorten the text.",
            most=number(MAX_ARCS),
        )
        raise InputProblem(message, 413)
    steps = WordSteps(TEMPLATE, "pretoken")
    words: list[_Word] = []
    for at, one in enumerate(found):
        if isinstance(one, AddedFound):
            steps.add_token(one)
            words.append(_Word(steps, at, traces.Lattice("", ()), added=one))
            continue
        lattice = traces.lattice_of(model, one.text)
        columns = list(traces.fill(lattice))
        word = _Word(steps, at, lattice, columns, traces.path_back(columns))
        words.append(word)
        tokens = traces.tokens_of(model, one.text, word.path[::-1])
        frames = [partial(word.filled, model, end) for end in range(1, len(columns) + 1)]
        if len(columns) > 1:  # a single character needs no tracing back
            frames += [partial(word.traced, count) for count in range(1, len(word.path) + 1)]
        cells = [
            cell(one.text[start:end], "done", "unknown" if id == model.unknown_id else "", id=id)
            for id, start, end in tokens
        ]
        # A token is made at the column at its end, where its arc won.
        steps.add(one.text, cells, frames, [end - 1 for _id, _start, end in tokens])
    return steps.walkthrough(result.encoding.ids, partial(_ended, result, model, words, n))


def _drawn_arc(arc: traces.Arc) -> LatticeArc:
    score = format_log_probability(arc.score)
    title = f"{shown_text(arc.text)}  {arc.start}–{arc.end}  {score}"
    return LatticeArc(arc.start, arc.end, arc.text, arc.id is not None, (score,), title)


def _ended(result: Result, model: traces.LatticeModel, words: Sequence[_Word], n: int) -> Frame:
    """The result, and other segmentations."""
    lattices = [word.lattice for word in words]
    ways = prod(map(traces.count_paths, lattices))
    written = number(ways) if ways < 10**7 else power(log10(ways))
    sentence = say("lattice", "ended", encoding=result.encoding, ways=min(ways, 10**7), written=written)
    best = traces.n_best(lattices, n)
    drawn = [word for word in words if word.path]

    def drawings() -> list[LatticeDrawing]:
        """The whole lattices with their best paths; of a long text, those of the first pre-tokens."""
        sizes = [len(word.lattice.arcs) for word in drawn]
        return first_drawings(sizes, MAX_FINAL_ARCS, lambda at: drawn[at].drawing(drawn[at].columns, drawn[at].path))

    def row(found: traces.Segmentation, greatest: float) -> dict[str, Any]:
        bar = round(100 * min(found.probability / greatest, 1.0), 2)  # in percent
        pieces = [StepCell(shown_text(text), kind) for text, kind in _pieces_of(words, found)]
        return {"pieces": pieces, "found": found, "bar": bar, "best": found.paths == best[0].paths}

    def values() -> dict[str, Any]:
        figures = drawings()
        return {
            "ended": True,
            "cells": final_cells(result),
            "drawings": figures,
            "more_drawings": len(drawn) - len(figures),
            "n": n,
            "most": MOST_BEST,
            "best": [row(one, best[0].probability or 1.0) for one in best],
            "hidden": parse_qsl(result.state.query_of_algorithm(), keep_blank_values=True),
        }

    def picture() -> Figure | None:
        return side_by_side([drawing.figure for drawing in drawings()], width=1600)

    record = {
        "kind": "tokens",
        "segmentations": ways,
        "n_best": [_segmentation_json(model, words, one) for one in best],
    }
    return Frame(TEMPLATE, sentence, record, values, picture)


def _pieces_of(words: Sequence[_Word], found: traces.Segmentation) -> list[tuple[str, str]]:
    """The pieces of a segmentation with their CSS classes."""
    pieces: list[tuple[str, str]] = []
    for word, path in zip(words, found.paths, strict=True):
        if word.added is not None:
            pieces.append((word.added.token.content, "special"))
        pieces += [(arc.text, "unknown" if arc.id is None else "") for arc in path]
    return pieces


def _segmentation_json(
    model: traces.LatticeModel, words: Sequence[_Word], found: traces.Segmentation
) -> dict[str, Any]:
    ids: list[int] = []
    for word, path in zip(words, found.paths, strict=True):
        if word.added is not None:
            ids.append(word.added.token.id)
        ids += [id for id, _start, _end in traces.tokens_of(model, word.lattice.text, path)]
    pieces = [well_formed(text) for text, _kind in _pieces_of(words, found)]
    return {"pieces": pieces, "ids": ids, "score": found.score, "probability": found.probability}


def _plain(arc: traces.Arc) -> dict[str, Any]:
    return {"piece": well_formed(arc.text), "start": arc.start, "end": arc.end, "id": arc.id, "score": arc.score}
