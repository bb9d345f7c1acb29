"""Unigram: the lattice of each pre-token, its Viterbi table filled left to right, and the best path traced back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import Any
from urllib.parse import parse_qsl

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.models.sentencepiece_unigram import SentencePieceUnigram
from webapp.core.models.unigram import Unigram
from webapp.core.traces.lattice import Arc, Lattice, LatticeModel, ViterbiColumn, fill, lattice_of, path_back, tokens_of
from webapp.core.traces.pretokens import AddedFound, Pretoken
from webapp.pages.steps.lattice_messages import (
    alt_text,
    column_sentence,
    digits_of,
    lattice_sentence,
    single_character_sentence,
    traceback_sentence,
)
from webapp.pages.steps.segmentations import (
    LIMITS,
    MAX_SEED,
    AlternativesRequest,
    Lattices,
    alternatives,
    alternatives_json,
    alternatives_request_of,
    count_sentence,
)
from webapp.pages.walkthrough.cells import StepCell, cell, format_log_probability
from webapp.pages.walkthrough.engine import Frame, NoStepsError, Walkthrough
from webapp.pages.walkthrough.lattice_drawing import LatticeDrawing, draw, legend, shown_text
from webapp.pages.walkthrough.preparation import (
    WordCells,
    added_sentence,
    added_word,
    final_cells,
    pretokens,
    text_row,
)
from webapp.rendering.pictures.figure import Figure, side_by_side
from webapp.serializers.json import well_formed
from webapp.tokenization.messages import joined
from webapp.tokenization.result import Result
from webapp.web.localization import number

TEMPLATE = "steps/_lattice.html"
MAX_ARCS = 10_000
"""The limit for all pre-tokens of a text; a normalizer can make a text many times longer, and pieces overlap."""
MAX_FINAL_ARCS = 500
"""The last step draws the lattices of as many pre-tokens as have at most so many arcs, and at least one."""


@dataclass(frozen=True)
class _Word:
    """A pre-token with its lattice and its complete Viterbi table; `row` is the text, for each of its steps."""

    number: int
    lattice: Lattice
    columns: list[ViterbiColumn]
    path: Sequence[Arc]  # the best path, from the end to the start
    row: Callable[[], list[StepCell]]

    @property
    def text(self) -> str:
        return self.lattice.text


def walkthrough(result: Result, options: Mapping[str, str]) -> Walkthrough:
    """The steps of Unigram on the pre-tokens of a result.

    Raises NoStepsError for an invalid `n`, `temperature` or `seed`, and for a lattice that is too large.
    """
    model = result.tokenizer.model
    if not isinstance(model, Unigram | SentencePieceUnigram):
        raise NoStepsError(_("This vocabulary has no steps to show."), instead=True)
    found = pretokens(result)
    arcs = chain.from_iterable(model.arcs(one.text) for one in found if isinstance(one, Pretoken))
    if next(islice(arcs, MAX_ARCS, None), None) is not None:
        message = _(
            "The lattice of this text has more than %(most)s arcs with this vocabulary. Shorten the text.",
            most=number(MAX_ARCS),
        )
        raise NoStepsError(message, 413)
    choice = alternatives_request_of(options)
    frames: list[Callable[[], Frame]] = []
    made: list[int] = []
    cells: list[WordCells] = []
    words: list[_Word] = []
    lattices: list[tuple[AddedFound | None, Lattice]] = []
    for at, one in enumerate(found):
        row = partial(text_row, cells, at)
        if isinstance(one, AddedFound):
            made.append(len(frames))
            frames.append(partial(_added, one, at, row))
            cells.append(added_word(one))
            lattices.append((one, Lattice("", ())))
            continue
        lattice = lattice_of(model, one.text)
        columns = list(fill(lattice))
        word = _Word(at, lattice, columns, path_back(columns), row)
        tokens = tokens_of(model, one.text, word.path[::-1])
        made += [len(frames) + end - 1 for _id, _start, end in tokens]  # the column at its end, where its arc won
        frames += [partial(_filled, model, word, end) for end in range(1, len(one.text) + 1)]
        if len(one.text) > 1:  # a single character needs no tracing back
            frames += [partial(_traced, word, count) for count in range(1, len(word.path) + 1)]
        kinds = ["unknown" if id == model.unknown_id else "" for id, _start, _end in tokens]
        spans = zip(tokens, kinds, strict=True)
        cells.append(
            WordCells(one.text, [cell(one.text[start:end], "done", kind, id=id) for (id, start, end), kind in spans])
        )
        words.append(word)
        lattices.append((None, lattice))
    frames.append(partial(_ended, result, model, words, lattices, choice))
    return Walkthrough(frames, result.encoding.ids, made)


def _added(found: AddedFound, at: int, row: Callable[[], list[StepCell]]) -> Frame:
    record = {"kind": "added", "pretoken": at, "id": found.token.id}
    return Frame(TEMPLATE, added_sentence(found), record, lambda: _values(row(), None))


def _filled(model: LatticeModel, word: _Word, end: int) -> Frame:
    """The table is filled up to position `end`."""
    column = word.columns[end - 1]
    arc = column.best.arc
    tokens = tokens_of(model, arc.text, [Arc(0, 1, arc.text, None, arc.score)]) if arc.id is None else ()
    falls_back = any(id != model.unknown_id for id, _start, _end in tokens)
    if len(word.text) == 1:
        sentence = single_character_sentence(column, falls_back=falls_back)
    else:
        opening = lattice_sentence(word.lattice) if end == 1 else ""
        sentence = joined([opening, column_sentence(column, falls_back=falls_back)])
    record = {
        "kind": "reached",
        "pretoken": word.number,
        "end": end,
        "candidates": [{**_plain(one.arc), "before": one.before, "total": one.total} for one in column.candidates],
        "winner": column.winner,
        "reset": column.reset,
    }
    path = path_back(word.columns[:end])
    drawing = partial(_drawing, word, end, end, path)
    shown = {"column": column, "digits": digits_of(column)}
    return Frame(
        TEMPLATE,
        sentence,
        record,
        lambda: {**_values(word.row(), drawing(), path, word, end), **shown},
        lambda: drawing().figure,
    )


def _traced(word: _Word, count: int) -> Frame:
    """The table is full, and `count` arcs of the best path are traced back."""
    path = word.path[:count]
    record = {"kind": "followed", "pretoken": word.number, "end": path[-1].end, "arc": _plain(path[-1])}
    end = len(word.text)
    drawing = partial(_drawing, word, end, path[-1].start, path)
    return Frame(
        TEMPLATE,
        traceback_sentence(word.path, count),
        record,
        lambda: _values(word.row(), drawing(), path, word, end, traced=True),
        lambda: drawing().figure,
    )


def _drawing(word: _Word, filled: int, here: int, path: Sequence[Arc]) -> LatticeDrawing:
    return draw(word.lattice, word.columns, filled=filled, here=here, path=path, title=alt_text(word.text))


def _values(
    words: Sequence[StepCell],
    drawing: LatticeDrawing | None,
    path: Sequence[Arc] = (),
    word: _Word | None = None,
    filled: int = 0,
    *,
    traced: bool = False,
) -> dict[str, Any]:
    """The text, the drawing, the best path so far, the table so far, and the arcs in the drawn range."""
    arcs = word.lattice.arcs if word else ()
    return {
        "ended": False,
        "words": words,
        "drawing": drawing,
        "traced": traced,
        "path": path[::-1],
        "legend": _legend([drawing], traced=traced) if drawing else [],
        "column": None,
        "columns": word.columns[:filled] if word else (),
        "arcs": [arc for arc in arcs if drawing and drawing.first <= arc.start and arc.end <= drawing.last],
        "format_score": format_log_probability,
        "shown_text": shown_text,
    }


def _ended(
    result: Result, model: LatticeModel, words: Sequence[_Word], lattices: Lattices, choice: AlternativesRequest
) -> Frame:
    count, unknown = len(result.encoding), len(result.encoding.unknown)
    sentence = ngettext(
        "Every pre-token is done: one token.", "Every pre-token is done: %(count)s tokens.", count, count=number(count)
    )
    more = ngettext(
        "One of them is the unknown token; adjacent unknown characters form one token.",
        "%(num)s of them are unknown tokens; adjacent unknown characters form one token.",
        unknown,
    )

    def values() -> dict[str, Any]:
        drawings = _final_drawings(words)
        return {
            "ended": True,
            "cells": final_cells(result),
            "drawings": drawings,
            "more_drawings": len(words) - len(drawings),
            "legend": _legend(drawings, traced=True),
            "alternatives": alternatives(lattices, choice),
            "hidden": parse_qsl(result.state.query_of_algorithm(), keep_blank_values=True),
            "limits": LIMITS,
            "next_seed": str((choice.seed + 1) % (MAX_SEED + 1)),
        }

    def picture() -> Figure | None:
        return side_by_side([drawing.figure for drawing in _final_drawings(words)], width=1600)

    return Frame(
        TEMPLATE,
        joined([sentence, more if unknown else "", count_sentence(lattices)]),
        {"kind": "tokens", **alternatives_json(model, lattices, choice)},
        values,
        picture,
    )


def _final_drawings(words: Sequence[_Word]) -> list[LatticeDrawing]:
    """The whole lattices with their best paths; of a long text, those of the first pre-tokens."""
    drawings: list[LatticeDrawing] = []
    arcs = 0
    for word in words:
        arcs += len(word.lattice.arcs)
        if drawings and arcs > MAX_FINAL_ARCS:
            break
        end, title = len(word.text), alt_text(word.text)
        drawings.append(
            draw(word.lattice, word.columns, filled=end, here=None, path=word.path, whole=True, title=title)
        )
    return drawings


def _legend(drawings: Sequence[LatticeDrawing], *, traced: bool) -> list[tuple[str, str]]:
    return legend(
        drawings,
        win=_("best path") if traced else _("best path so far"),
        cand=_("ends here, loses"),
        best=_("best arc to its end"),
        lost=_("lost earlier"),
        soon=_("not reached yet"),
    )


def _plain(arc: Arc) -> dict[str, Any]:
    return {"piece": well_formed(arc.text), "start": arc.start, "end": arc.end, "id": arc.id, "score": arc.score}
