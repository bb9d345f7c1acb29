"""The steps of an inference that is not the vocabulary's own rule: what fitted, was dropped or was drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.inference import infer
from webapp.core.inference.dropout import MergesWithDropout
from webapp.core.inference.samples import Drawn, UnigramSamples
from webapp.core.inference.wrapper import Lookup
from webapp.core.models.bpe import BPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_bpe import ScoredBPE
from webapp.core.models.sentencepiece_unigram import SentencePieceUnigram
from webapp.core.models.unigram import Unigram
from webapp.core.traces.inference import DropStep, PieceDecision, dropout_steps, piece_decisions
from webapp.core.traces.pretokens import AddedFound, Pretoken
from webapp.pages.walkthrough.cells import StepCell, cell, quotable
from webapp.pages.walkthrough.engine import Frame, NoStepsError, Walkthrough
from webapp.pages.walkthrough.preparation import final_cells, pretokens
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.figure import Figure, FigureCell, FigureColumn, FigurePiece, table_figure
from webapp.serializers.json import json_piece
from webapp.tokenization.inferences import how_it_works, inference_title
from webapp.tokenization.result import Result
from webapp.web.localization import number, percent

TEMPLATE = "steps/_inference.html"
MOST_ROWS = 16
"""How many of the possibilities of a step are shown."""


def walkthrough(result: Result) -> Walkthrough:
    """The steps of the inference of a result.

    Raises NoStepsError for a vocabulary without merges, probabilities or pieces to look up.
    """
    options, model = result.state.inference_options, result.tokenizer.model
    inference, random = options["inference"], Random(options.get("seed", 0))
    if inference == "dropout" and isinstance(model, BPE | RankBPE | ScoredBPE):
        steps = drop_steps(result, MergesWithDropout(model, options["dropout"]), random)
    elif inference == "sample" and isinstance(model, Unigram | SentencePieceUnigram):
        steps = sample_steps(result, UnigramSamples(model, options["alpha"]), random)
    elif inference in ("longest", "fewest"):
        steps = piece_steps(result, fewest=inference == "fewest")
    else:
        raise NoStepsError(_("This vocabulary has no steps to show."))
    about = {"title": inference_title(inference), "about": how_it_works(inference)}
    count = len(result.encoding)

    def end() -> Frame:
        sentence = ngettext("One token.", "%(count)s tokens.", count, count=number(count))
        values = {"ended": True, "cells": final_cells(result), **about}
        return Frame(TEMPLATE, sentence, {"kind": "tokens"}, lambda: values)

    made = [_step_of(steps, token) for token in range(count)]
    return Walkthrough([*(partial(step.frame, about) for step in steps), end], result.encoding.ids, made)


def _step_of(steps: Sequence[InferenceStep], token: int) -> int:
    """The last step that leads to a token or to one before it; samples are drawn from the right."""
    nearest = max((step.token for step in steps if step.token <= token), default=-1)
    return max((at for at, step in enumerate(steps) if step.token == nearest), default=0)


@dataclass(frozen=True)
class InferenceStep:
    """A step: its sentence, the word as cells, and the possibilities as a table in which `chosen` are the rows taken.

    `token` is the index of the first token that it leads to.
    """

    token: int
    sentence: str
    cells: Sequence[StepCell]
    columns: Sequence[FigureColumn] = ()
    rows: Sequence[Sequence[FigureCell]] = ()
    chosen: Sequence[int] = ()
    more: int = 0  # possibilities that are not shown
    record: Mapping[str, Any] = field(default_factory=dict)

    def frame(self, about: Mapping[str, Any]) -> Frame:
        """The step as a frame; `about` is the title of the inference, and how it works."""

        def text(shown: FigureCell) -> str:
            return shown if isinstance(shown, str) else " ".join(piece.text for piece in shown)

        def picture() -> Figure | None:
            return table_figure("inference", "", self.columns, self.rows) if self.rows else None

        values = {**vars(self), **about, "ended": False, "rows": [[text(each) for each in row] for row in self.rows]}
        return Frame(TEMPLATE, self.sentence, self.record, lambda: values, picture)


def _by_pretokens(
    result: Result, steps_of: Callable[[Pretoken, int], tuple[list[InferenceStep], int]]
) -> list[InferenceStep]:
    """The steps of all pre-tokens and added tokens. `steps_of` gives those of one, and its number of tokens."""
    steps: list[InferenceStep] = []
    token = 0
    for found in pretokens(result):
        if isinstance(found, AddedFound):
            name = found.token.content
            sentence = _("%(name)s is an added token: it is matched as a whole.", name=quotable(name))
            cells = [cell(name, "done", "special", "now", id=found.token.id)]
            steps.append(InferenceStep(token, sentence, cells, record={"kind": "added", "id": found.token.id}))
            token += 1
        else:
            more, count = steps_of(found, token)
            steps += more
            token += count
    return steps


# --- longest match and fewest pieces


def piece_steps(result: Result, *, fewest: bool) -> list[InferenceStep]:
    """The steps of `longest`, or with `fewest` of `fewest`: each place with the pieces that fit there."""
    model = infer(result.tokenizer, "fewest").model  # its tables serve both

    def steps_of(found: Pretoken, token: int) -> tuple[list[InferenceStep], int]:
        steps: list[InferenceStep] = []
        count = len(result.encoder.model.ids(found.text))
        for lookup in model.lookups(found.text):  # type: ignore[attr-defined]
            decisions = list(piece_decisions(lookup, fewest=fewest))
            for at in range(1, len(decisions) + 1):
                index = token + min(len(steps), max(count - 1, 0))
                steps.append(_piece_step(result, lookup, decisions[:at], index, fewest=fewest))
        return steps, count

    return _by_pretokens(result, steps_of)


def _piece_step(
    result: Result, lookup: Lookup, decisions: Sequence[PieceDecision], token: int, *, fewest: bool
) -> InferenceStep:
    pieces = result.tokenizer.model.pieces
    now = decisions[-1]
    cells = [_decided(result, lookup, each, now=each is now) for each in decisions]
    rest = _shown(result, lookup.text[now.end :])
    if rest:
        cells.append(StepCell(rest, "rest"))
    columns = [FigureColumn(_("Piece")), FigureColumn(_("Length"), True), FigureColumn(_("Id"), True)]
    if fewest:
        columns += [FigureColumn(_("Pieces after it"), True), FigureColumn(_("In all"), True)]
    rows: list[list[FigureCell]] = []
    for index, piece in enumerate(now.fitting):
        row: list[FigureCell] = [
            [FigurePiece(shown_piece(pieces[piece.id]), index == now.taken)],
            number(piece.end - now.start),
            str(piece.id),
        ]
        if fewest:
            row += ["–", "–"] if piece.rest is None else [number(piece.rest), number(piece.rest + 1)]
        rows.append(row)
    return InferenceStep(
        token,
        _piece_sentence(result, lookup, now, fewest=fewest),
        cells,
        columns,
        rows[:MOST_ROWS],
        [] if now.taken is None else [now.taken],
        max(len(rows) - MOST_ROWS, 0),
        {
            "kind": "piece" if now.taken is not None else "missing",
            "start": now.start,
            "end": now.end,
            "fitting": [{"piece": json_piece(pieces[each.id]), "id": each.id} for each in now.fitting],
            "taken": now.taken,
        },
    )


def _piece_sentence(result: Result, lookup: Lookup, now: PieceDecision, *, fewest: bool) -> str:
    rest = quotable(_shown(result, lookup.text[now.start :]))
    if now.taken is None:
        return _(
            "No piece fits at the beginning of “%(rest)s”. Its first character is left without a piece.", rest=rest
        )
    taken = now.fitting[now.taken]
    piece = quotable(shown_piece(result.tokenizer.model.pieces[taken.id]))
    fitting = ngettext(
        "At “%(rest)s” one piece fits.", "At “%(rest)s” %(count)s pieces fit.", len(now.fitting), rest=rest,
        count=number(len(now.fitting)),
    )  # fmt: skip
    if not fewest:
        return f"{fitting} " + _("The longest, “%(piece)s”, is taken.", piece=piece)
    if taken.rest is None:
        return f"{fitting} " + _("“%(piece)s” leaves the fewest characters without a piece.", piece=piece)
    return f"{fitting} " + ngettext(
        "With “%(piece)s” one piece covers it all; no way has fewer.",
        "With “%(piece)s” %(count)s pieces cover it all; no way has fewer.",
        taken.rest + 1,
        piece=piece,
        count=number(taken.rest + 1),
    )


def _decided(result: Result, lookup: Lookup, decision: PieceDecision, *, now: bool) -> StepCell:
    kinds = "done now" if now else "done"
    if decision.taken is None:
        return StepCell(_shown(result, lookup.text[decision.start : decision.end]), f"{kinds} unknown")
    id = decision.fitting[decision.taken].id
    return StepCell(shown_piece(result.tokenizer.model.pieces[id]), kinds, id)


def _shown(result: Result, text: str | bytes) -> str:
    """A span of a looked-up text, with the end-of-word mark as the vocabulary writes it."""
    if isinstance(text, str) and "\udfff" in text:
        text = text.replace("\udfff", getattr(result.tokenizer.model, "end_of_word_suffix", ""))
    return shown_piece(text)


# --- BPE-dropout


def drop_steps(result: Result, merges: MergesWithDropout, random: Random) -> list[InferenceStep]:
    """The steps of BPE-dropout: each round with the merges that were possible, made or dropped.

    Raises NoStepsError with dropout 0.
    """
    if not result.state.dropout:
        raise NoStepsError(_("With dropout 0 nothing is dropped: the steps are those of the vocabulary’s own rule."))

    def steps_of(found: Pretoken, token: int) -> tuple[list[InferenceStep], int]:
        steps: list[InferenceStep] = []
        traced = dropout_steps(merges, found.text, random)
        for drops, end in zip(traced.words, traced.ends, strict=True):
            steps += [_drop_step(result, step, token) for step in drops]
            if not drops:
                sentence = _("No merge is possible in “%(word)s”.", word=quotable(_joined(result, end)))
                steps.append(InferenceStep(token, sentence, _symbols(result, end), record={"kind": "end"}))
        return steps, len(traced.segments)

    return _by_pretokens(result, steps_of)


def _drop_step(result: Result, step: DropStep, token: int) -> InferenceStep:
    chosen = {step.possible[index].at for index in step.made}
    cells = [
        StepCell(_symbol(result, symbol), "done now" if at in chosen or at - 1 in chosen else "done")
        for at, symbol in enumerate(step.symbols)
    ]
    last = max(step.made, default=len(step.possible))
    rows: list[list[FigureCell]] = []
    for index, one in enumerate(step.possible):
        pair = [_symbol(result, symbol) for symbol in step.symbols[one.at : one.at + 2]]
        fate = _("made") if index in step.made else _("dropped") if one.dropped else _("not reached")
        rows.append([[FigurePiece(piece, index in step.made) for piece in pair], _symbol(result, one.made), fate])
    dropped = sum(one.dropped for one in step.possible)
    counted = ngettext(
        "One merge is possible.", "%(count)s merges are possible.", len(step.possible), count=number(len(step.possible))
    )
    lost = ngettext("One is dropped.", "%(count)s are dropped.", dropped, count=number(dropped)) if dropped else ""
    if step.made:
        piece = _symbol(result, step.possible[step.made[0]].made)
        end = _("The best of the others makes “%(piece)s”.", piece=quotable(piece))
    else:
        end = _("All are dropped, so the word is done.")
        lost = ""
    shown = max(MOST_ROWS, min(last + 1, 2 * MOST_ROWS))
    return InferenceStep(
        token,
        " ".join(filter(None, (counted, lost, end))),
        cells,
        [FigureColumn(_("Pair")), FigureColumn(_("Piece")), FigureColumn(_("Outcome"))],
        rows[:shown],
        [index for index in step.made if index < shown],
        max(len(rows) - shown, 0),
        {
            "kind": "merge" if step.made else "end",
            "symbols": list(step.symbols),
            "possible": [{"at": one.at, "makes": one.made, "dropped": one.dropped} for one in step.possible],
            "made": list(step.made),
        },
    )


def _symbols(result: Result, symbols: Sequence[int]) -> list[StepCell]:
    return [StepCell(_symbol(result, symbol), "done") for symbol in symbols]


def _joined(result: Result, symbols: Sequence[int]) -> str:
    return "".join(_symbol(result, symbol) for symbol in symbols)


def _symbol(result: Result, symbol: int) -> str:
    model = result.tokenizer.model
    if isinstance(model, ScoredBPE):
        return shown_piece(model.text_of(symbol))
    return shown_piece(model.pieces[symbol])


# --- samples of Unigram


def sample_steps(result: Result, samples: UnigramSamples, random: Random) -> list[InferenceStep]:
    """The steps of a sample of Unigram: each draw with the pieces that could end there, from the end of a pre-token."""

    def steps_of(found: Pretoken, token: int) -> tuple[list[InferenceStep], int]:
        drawn = list(samples.drawn(found.text, random))
        count = len(samples.model.tokens([(part.id, part.end) for part in reversed(drawn)], found.text))
        return _drawn_steps(found, drawn, token), count

    return _by_pretokens(result, steps_of)


def _drawn_steps(found: Pretoken, drawn: Sequence[Drawn], token: int) -> list[InferenceStep]:
    text = found.text
    steps: list[InferenceStep] = []
    for at, part in enumerate(drawn):
        done = [
            StepCell(shown_piece(text[each.start : each.end]), "done now" if each is part else "done", each.id)
            for each in reversed(drawn[: at + 1])
        ]
        left = [StepCell(shown_piece(text[: part.start]), "rest")] if part.start else []
        shares = part.shares
        rows: list[list[FigureCell]] = [
            [[FigurePiece(shown_piece(text[start : part.end]), start == part.start)], percent(share)]
            for start, share in shares
        ]
        share = next(share for start, share in shares if start == part.start)
        sentence = ngettext(
            "One piece ends here, “%(piece)s”.",
            "%(count)s pieces end here. “%(piece)s”, with a probability of %(share)s, is drawn.",
            len(shares),
            count=number(len(shares)),
            piece=quotable(shown_piece(text[part.start : part.end])),
            share=percent(share),
        )
        chosen = next(index for index, (start, _share) in enumerate(shares) if start == part.start)
        steps.append(
            InferenceStep(
                token + len(drawn) - 1 - at,
                sentence,
                [*left, *done],
                [FigureColumn(_("Piece")), FigureColumn(_("Probability"), True)],
                rows[:MOST_ROWS],
                [chosen] if chosen < MOST_ROWS else [],
                max(len(rows) - MOST_ROWS, 0),
                {
                    "kind": "drawn",
                    "index": len(drawn) - 1 - at,
                    "start": part.start,
                    "end": part.end,
                    "id": part.id,
                    "ways": [{"start": start, "probability": share} for start, share in shares],
                },
            )
        )
    return steps
