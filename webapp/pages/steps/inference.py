"""The steps of an inference that is not the vocabulary's own rule: what fitted, was dropped or was drawn."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any

from flask_babel import gettext as _

from webapp.core.inference import infer
from webapp.core.inference.dropout import MergesWithDropout
from webapp.core.inference.piece_table import Lookup
from webapp.core.inference.samples import Drawn, UnigramSamples
from webapp.core.models.bpe import BPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.sentencepiece_models import ScoredBPE, SentencePieceUnigram
from webapp.core.models.unigram import Unigram
from webapp.core.traces.inference import DropStep, PieceDecision, dropout_steps, piece_decisions
from webapp.core.traces.pretokens import AddedFound
from webapp.pages.walkthrough.cells import StepCell, added_sentence, cell, final_cells, pretokens
from webapp.pages.walkthrough.engine import Frame, Walkthrough, say
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.figure import FigureCell, Symbol, table_figure
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.result import Result
from webapp.web.json_responses import json_piece
from webapp.web.localization import number, percent

TEMPLATE = "steps/_inference.html"
MOST_ROWS = 16
"""How many of the possibilities of a step are shown."""


StepsOf = Callable[[str], tuple[Sequence[tuple[int, Frame]], int]]
"""The steps of a pre-token, each with the first token that it leads to, and the number of tokens."""


def _step(
    record: Mapping[str, Any],
    sentence: str,
    cells: Sequence[StepCell],
    columns: Sequence[tuple[str, bool]] = (),
    rows: Sequence[Sequence[FigureCell]] = (),
    chosen: Sequence[int] = (),
) -> Frame:
    """A step: the word as cells, and the possibilities as a table of which the rows `chosen` are taken."""
    shown = rows[: max(MOST_ROWS, min(max(chosen, default=len(rows)) + 1, 2 * MOST_ROWS))]

    def values() -> dict[str, Any]:
        texts = [
            [each if isinstance(each, str) else " ".join(symbol.text for symbol in each) for each in row]
            for row in shown
        ]
        more = len(rows) - len(shown)
        return {"cells": cells, "columns": columns, "texts": texts, "chosen": chosen, "more": more}

    return Frame(
        TEMPLATE, sentence, record, values, lambda: table_figure("inference", "", columns, shown) if shown else None
    )


def walkthrough(result: Result) -> Walkthrough:
    """The steps of the inference of a result.

    Raises InputProblem for a vocabulary without merges, probabilities or pieces to look up, and for dropout 0.
    """
    options, model = result.state.inference_options, result.tokenizer.model
    inference, random = options["inference"], Random(options.get("seed", 0))
    steps_of: StepsOf
    if inference == "dropout" and isinstance(model, BPE | RankBPE | ScoredBPE):
        if not result.state.dropout:
            raise InputProblem(
                _("With dropout 0 nothing is dropped: the steps are those of the vocabulary’s own rule.")
            )
        steps_of = partial(_drop_steps, result, MergesWithDropout(model, options["dropout"]), random)
    elif inference == "sample" and isinstance(model, Unigram | SentencePieceUnigram):
        steps_of = partial(_sample_steps, UnigramSamples(model, options["alpha"]), random)
    elif inference in ("longest", "fewest"):
        steps_of = partial(_piece_steps, result, inference == "fewest")
    else:
        raise InputProblem(_("This vocabulary has no steps to show."))
    steps: list[tuple[int, Frame]] = []  # with the first token that each leads to
    token = 0
    for found in pretokens(result):
        more, count = ([(0, _added(found))], 1) if isinstance(found, AddedFound) else steps_of(found.text)
        steps += [(token + first, frame) for first, frame in more]
        token += count
    count = len(result.encoding)

    def end() -> Frame:
        values = {"ended": True, "cells": final_cells(result)}
        return Frame(TEMPLATE, say("inference", "ended", count=count), {"kind": "tokens"}, lambda: values)

    # The last step that leads to a token or to one before it; samples are drawn from the right.
    last = {first: at for at, (first, _step) in enumerate(steps)}
    made = [last[max(first for first in last if first <= token)] for token in range(count)]
    frames = [lambda frame=frame: frame for _token, frame in steps]
    return Walkthrough([*frames, end], result.encoding.ids, made)


def _added(found: AddedFound) -> Frame:
    cells = [cell(found.token.content, "done", "special", "now", id=found.token.id)]
    return _step({"kind": "added", "id": found.token.id}, added_sentence(found), cells)


# --- longest match and fewest pieces


def _piece_steps(result: Result, fewest: bool, text: str) -> tuple[list[tuple[int, Frame]], int]:
    """Each place with the pieces that fit there, for `longest`, or with `fewest` for `fewest`."""
    model = infer(result.tokenizer, "fewest").model  # its tables serve both
    steps: list[tuple[int, Frame]] = []
    count = len(result.encoder.model.ids(text))
    for lookup in model.lookups(text):  # type: ignore[attr-defined]
        decisions = list(piece_decisions(lookup, fewest=fewest))
        for at in range(1, len(decisions) + 1):
            token = min(len(steps), max(count - 1, 0))
            steps.append((token, _piece_step(result, lookup, decisions[:at], fewest)))
    return steps, count


def _piece_step(result: Result, lookup: Lookup, decisions: Sequence[PieceDecision], fewest: bool) -> Frame:
    pieces, now = result.tokenizer.model.pieces, decisions[-1]
    cells = []
    for each in decisions:
        id = None if each.taken is None else each.fitting[each.taken].id
        text = _shown(result, lookup.text[each.start : each.end]) if id is None else shown_piece(pieces[id])
        cells.append(StepCell(text, "done" + " now" * (each is now) + " unknown" * (id is None), id))
    if now.end < len(lookup.text):
        cells.append(StepCell(_shown(result, lookup.text[now.end :]), "rest"))
    columns = [(_("Piece"), False), (_("Length"), True), (_("Id"), True)]
    if fewest:
        columns += [(_("Pieces after it"), True), (_("In all"), True)]
    rows: list[list[FigureCell]] = []
    for index, piece in enumerate(now.fitting):
        shown = Symbol(shown_piece(pieces[piece.id]), index == now.taken)
        rest = ["–", "–"] if piece.rest is None else [number(piece.rest), number(piece.rest + 1)]
        rows.append([[shown], number(piece.end - now.start), str(piece.id), *(rest if fewest else ())])
    record = {
        "kind": "piece" if now.taken is not None else "missing",
        "start": now.start,
        "end": now.end,
        "fitting": [{"piece": json_piece(pieces[each.id]), "id": each.id} for each in now.fitting],
        "taken": now.taken,
    }
    chosen = [] if now.taken is None else [now.taken]
    left = _shown(result, lookup.text[now.start :])
    name = "" if now.taken is None else shown_piece(pieces[now.fitting[now.taken].id])
    sentence = say("inference", "piece", rest=left, fitting=now.fitting, taken=now.taken, name=name, fewest=fewest)
    return _step(record, sentence, cells, columns, rows, chosen)


def _shown(result: Result, text: str | bytes) -> str:
    """A span of a looked-up text, with the end-of-word mark as the vocabulary writes it."""
    if isinstance(text, str) and "\udfff" in text:
        text = text.replace("\udfff", getattr(result.tokenizer.model, "end_of_word_suffix", ""))
    return shown_piece(text)


# --- BPE-dropout


def _drop_steps(
    result: Result, merges: MergesWithDropout, random: Random, text: str
) -> tuple[list[tuple[int, Frame]], int]:
    """Each round with the merges that were possible, made or dropped."""
    steps: list[tuple[int, Frame]] = []
    model = result.tokenizer.model

    def shown(symbol: int) -> str:
        return shown_piece(model.text_of(symbol) if isinstance(model, ScoredBPE) else model.pieces[symbol])

    traced = dropout_steps(merges, text, random)
    for drops, end in zip(traced.words, traced.ends, strict=True):
        steps += [(0, _drop_step(step, shown)) for step in drops]
        if not drops:
            symbols = [shown(symbol) for symbol in end]
            sentence = say("inference", "undivided", word="".join(symbols))
            steps.append((0, _step({"kind": "end"}, sentence, [StepCell(one, "done") for one in symbols])))
    return steps, len(traced.segments)


def _drop_step(step: DropStep, shown: Callable[[int], str]) -> Frame:
    chosen = {step.possible[index].at for index in step.made}
    symbols = [shown(symbol) for symbol in step.symbols]
    cells = [StepCell(one, "done" + " now" * bool({at, at - 1} & chosen)) for at, one in enumerate(symbols)]
    rows: list[list[FigureCell]] = []
    for index, one in enumerate(step.possible):
        pair = [Symbol(piece, index in step.made) for piece in symbols[one.at : one.at + 2]]
        outcome = _("made") if index in step.made else _("dropped") if one.dropped else _("not reached")
        rows.append([pair, shown(one.made), outcome])
    dropped = sum(one.dropped for one in step.possible)
    piece = shown(step.possible[step.made[0]].made) if step.made else None
    sentence = say("inference", "drop", possible=step.possible, dropped=dropped, piece=piece)
    record = {
        "kind": "merge" if step.made else "end",
        "symbols": list(step.symbols),
        "possible": [{"at": one.at, "makes": one.made, "dropped": one.dropped} for one in step.possible],
        "made": list(step.made),
    }
    columns = [(_("Pair"), False), (_("Piece"), False), (_("Outcome"), False)]
    return _step(record, sentence, cells, columns, rows, step.made)


# --- samples of Unigram


def _sample_steps(samples: UnigramSamples, random: Random, text: str) -> tuple[list[tuple[int, Frame]], int]:
    """Each draw with the pieces that could end there, from the end of a pre-token."""
    drawn = list(samples.drawn(text, random))
    count = len(samples.model.tokens([(part.id, part.end) for part in reversed(drawn)], text))
    return list(_drawn_steps(text, drawn)), count


def _drawn_steps(text: str, drawn: Sequence[Drawn]) -> Iterator[tuple[int, Frame]]:
    for at, part in enumerate(drawn):
        cells = [StepCell(shown_piece(text[: part.start]), "rest")] if part.start else []
        for each in reversed(drawn[: at + 1]):
            cells.append(StepCell(shown_piece(text[each.start : each.end]), "done" + " now" * (each is part), each.id))
        starts = [start for start, _share in part.shares]
        chosen = starts.index(part.start)
        rows: list[list[FigureCell]] = [
            [[Symbol(shown_piece(text[start : part.end]), start == part.start)], percent(share)]
            for start, share in part.shares
        ]
        piece = shown_piece(text[part.start : part.end])
        sentence = say("inference", "drawn", piece=piece, ways=len(starts), share=part.shares[chosen][1])
        token = len(drawn) - 1 - at
        record = {
            "kind": "drawn",
            "index": token,
            "start": part.start,
            "end": part.end,
            "id": part.id,
            "ways": [{"start": start, "probability": share} for start, share in part.shares],
        }
        columns = [(_("Piece"), False), (_("Probability"), True)]
        yield token, _step(record, sentence, cells, columns, rows, [chosen])
