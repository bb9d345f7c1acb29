"""WordPiece: the greedy window on each word, and words that become unknown because a piece is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from flask_babel import gettext as _

from webapp.core.models.wordpiece import WordPiece
from webapp.core.traces.longest_match import WordPieceDecision, tokens_of, wordpiece_steps
from webapp.core.traces.pretokens import AddedFound
from webapp.pages.steps.windows import Window, fold_middle, windows_figure, words_figure
from webapp.pages.walkthrough.cells import StepCell, cell
from webapp.pages.walkthrough.engine import Frame, Walkthrough, say
from webapp.pages.walkthrough.preparation import WordSteps, pretokens
from webapp.rendering.markup import shown_piece
from webapp.tokenization.result import Result
from webapp.web.json_responses import well_formed

TEMPLATE = "steps/_wordpiece.html"


def walkthrough(result: Result, options: Mapping[str, str]) -> Walkthrough:
    """The steps of WordPiece on the words of a result."""
    model = result.tokenizer.model
    assert isinstance(model, WordPiece)
    steps = WordSteps(TEMPLATE)
    for at, found in enumerate(pretokens(result)):
        if isinstance(found, AddedFound):
            steps.add_token(found)
            continue
        decisions = list(wordpiece_steps(model, found.text))
        tokens = tokens_of(decisions)
        covered = all(decision.kind == "piece" for decision in decisions)
        made = range(len(tokens)) if covered else [len(decisions) - 1] * len(tokens)
        counts = range(1, len(decisions) + 1)
        frames = [partial(_decided, steps, model, found.text, decisions[:count], at) for count in counts]
        steps.add(found.text, [_piece(model, id) for id, _start, _end in tokens], frames, made)
    return steps.walkthrough(result.encoding.ids, partial(_ended, result, model, steps))


def _piece(model: WordPiece, id: int, kind: str = "") -> StepCell:
    return cell(model.pieces[id], "done", "unknown" if id == model.unknown_id else "", kind, id=id)


def _decided(steps: WordSteps, model: WordPiece, word: str, decisions: Sequence[WordPieceDecision], at: int) -> Frame:
    """The last of the decisions on a word so far."""
    decision = decisions[-1]
    record = {
        "kind": decision.kind,
        "word": at,
        "text": well_formed(word),
        "start": decision.start,
        "end": decision.end,
        "id": decision.id,
        "tried": [
            {"piece": well_formed(looked.piece), "start": looked.start, "end": looked.end, "id": looked.id}
            for looked in decision.tried
        ],
    }

    sentence = say("wordpiece", "decided", decision=decision, model=model, word=word)

    def windows() -> list[Window]:
        return fold_middle(
            Window(
                length=looked.end - looked.start,
                text=shown_piece(looked.piece),
                after=shown_piece(word[looked.end :]),
                outcome=_("not a piece") if looked.id is None else _("a piece: taken"),
                hit=looked.id is not None,
            )
            for looked in decision.tried
        )

    def values() -> dict[str, Any]:
        cells = [_piece(model, decision.id, "now")]
        if decision.kind == "piece":
            cells = [*(_piece(model, one.id) for one in decisions[:-1]), *cells]
            cells += [cell(word[decision.end :], "rest")] if decision.end < len(word) else []
        prefix = model.continuing_subword_prefix
        return {"row": steps.row(at), "cells": cells, "windows": windows(), "prefix": prefix}

    return Frame(TEMPLATE, sentence, record, values, lambda: windows_figure(windows()))


def _ended(result: Result, model: WordPiece, steps: WordSteps) -> Frame:
    shown = [(shown_piece(text), tokens) for text, tokens in steps.words]
    return Frame(
        TEMPLATE,
        say("wordpiece", "ended", encoding=result.encoding, model=model),
        {"kind": "tokens"},
        lambda: {"ended": True},
        partial(words_figure, shown, title=_("The words and their tokens")),
    )
