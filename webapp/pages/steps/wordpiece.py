"""WordPiece: the greedy window on each word, and words that become unknown because a piece is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.models.wordpiece import WordPiece
from webapp.core.traces.pretokens import AddedFound
from webapp.core.traces.wordpiece import WordPieceDecision, tokens_of, wordpiece_steps
from webapp.pages.steps.windows import Window, fold_middle, windows_figure, words_figure
from webapp.pages.walkthrough.cells import StepCell, cell, quotable
from webapp.pages.walkthrough.engine import Frame, NoStepsError, Walkthrough
from webapp.pages.walkthrough.preparation import (
    WordCells,
    added_sentence,
    added_word,
    pretokens,
    text_row,
)
from webapp.rendering.markup import shown_piece
from webapp.serializers.json import well_formed
from webapp.tokenization.messages import joined
from webapp.tokenization.result import Result
from webapp.web.localization import number

TEMPLATE = "steps/_wordpiece.html"


def walkthrough(result: Result, options: Mapping[str, str]) -> Walkthrough:
    """The steps of WordPiece on the words of a result."""
    model = result.tokenizer.model
    if not isinstance(model, WordPiece):
        raise NoStepsError(_("This vocabulary has no steps to show."))
    frames: list[Callable[[], Frame]] = []
    made: list[int] = []
    words: list[WordCells] = []
    for found in pretokens(result):
        row = partial(text_row, words, len(words))
        if isinstance(found, AddedFound):
            made.append(len(frames))
            frames.append(partial(_added, found, row, len(words)))
            words.append(added_word(found, "special word"))
            continue
        decisions = list(wordpiece_steps(model, found.text))
        tokens = tokens_of(decisions)
        covered = all(decision.kind == "piece" for decision in decisions)
        made += [len(frames) + (at if covered else len(decisions) - 1) for at in range(len(tokens))]
        frames += [
            partial(_decided, model, found.text, decisions[:count], row, len(words))
            for count in range(1, len(decisions) + 1)
        ]
        words.append(WordCells(found.text, [_piece(model, id) for id, _start, _end in tokens], "word"))
    return Walkthrough([*frames, partial(_ended, result, model, words)], result.encoding.ids, made)


def _piece(model: WordPiece, id: int, kind: str = "") -> StepCell:
    return cell(model.pieces[id], "done", "unknown" if id == model.unknown_id else "", kind, id=id)


def _added(found: AddedFound, row: Callable[[], list[StepCell]], at: int) -> Frame:
    cells = [cell(found.token.content, "done", "special", "now", id=found.token.id)]
    record = {"kind": "added", "word": at, "id": found.token.id}
    return Frame(TEMPLATE, added_sentence(found), record, lambda: _values(row(), cells))


def _decided(
    model: WordPiece, word: str, decisions: Sequence[WordPieceDecision], row: Callable[[], list[StepCell]], at: int
) -> Frame:
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
        about = _(
            "The window starts with the rest of the word and drops its last character until it holds a piece. Pieces "
            "inside a word start with %(prefix)s.",
            prefix=model.continuing_subword_prefix,
        )
        return {**_values(row(), cells), "windows": windows(), "about": about}

    title = _("The windows that were tried, the longest first")
    return Frame(
        TEMPLATE, _sentence(model, word, decision), record, values, lambda: windows_figure(windows(), title=title)
    )


def _values(words: Sequence[StepCell], cells: Sequence[StepCell]) -> dict[str, Any]:
    """The text, the word of the step as `cells`, and the tokens so far."""
    pieces = [one for one in (*words, *cells) if one.id is not None]
    return {"ended": False, "words": words, "cells": cells, "windows": (), "pieces": pieces}


def _sentence(model: WordPiece, word: str, decision: WordPieceDecision) -> str:
    shown, unknown = quotable(word), model.unknown
    if decision.kind == "too long":
        return _(
            "The word “%(word)s…” has %(count)s characters. Words of more than %(most)s are not segmented: the "
            "whole word becomes %(unknown)s.",
            word=quotable(word[:20]),
            count=number(len(word)),
            most=number(model.max_word_length),
            unknown=unknown,
        )
    if decision.kind == "missing":
        return _missing(model, shown, word, decision)
    piece = quotable(decision.tried[-1].piece)
    if len(decision.tried) == 1 and decision.start == 0:
        return _("The whole word “%(word)s” is a piece of the vocabulary: it becomes one token.", word=shown)
    if len(decision.tried) == 1:
        return _(
            "The rest of “%(word)s” is a piece, %(piece)s: it is taken, and the word is done. %(prefix)s marks a "
            "piece that continues a word.",
            word=shown,
            piece=piece,
            prefix=model.continuing_subword_prefix,
        )
    misses = len(decision.tried) - 1
    taken = ngettext(
        "In “%(word)s” one longer window is not a piece. %(piece)s is the longest piece that fits here: it is taken.",
        "In “%(word)s” %(count)s longer windows are not pieces. %(piece)s is the longest piece that fits here: it "
        "is taken.",
        misses,
        word=shown,
        count=number(misses),
        piece=piece,
    )
    rest = word[decision.end :]
    if not rest:
        return taken
    remainder = _("“%(rest)s” is left.", rest=quotable(rest))
    return joined([taken, remainder])


def _missing(model: WordPiece, shown: str, word: str, decision: WordPieceDecision) -> str:
    start, unknown = decision.tried[0].start, model.unknown
    if start == 0:
        return _(
            "No piece matches the start of “%(word)s”, not even its first character alone: the whole word becomes "
            "%(unknown)s.",
            word=shown,
            unknown=unknown,
        )
    return _(
        "No piece matches the start of “%(rest)s”, not even its first character alone. The pieces found so far "
        "are discarded: the whole word “%(word)s” becomes %(unknown)s.",
        rest=quotable(word[start:]),
        word=shown,
        unknown=unknown,
    )


def _ended(result: Result, model: WordPiece, words: Sequence[WordCells]) -> Frame:
    count, unknown = len(result.encoding), len(result.encoding.unknown)
    sentence = ngettext(
        "Every word is done: one token.", "Every word is done: %(count)s tokens.", count, count=number(count)
    )
    if unknown:
        more = ngettext(
            "One word could not be segmented and became %(unknown)s.",
            "%(count)s words could not be segmented and became %(unknown)s.",
            unknown,
            count=number(unknown),
            unknown=model.unknown,
        )
        sentence = joined([sentence, more])
    shown = [(shown_piece(word.text), word.tokens) for word in words]
    return Frame(
        TEMPLATE,
        sentence,
        {"kind": "tokens"},
        lambda: {"ended": True, "windows": ()},
        partial(words_figure, shown, title=_("The words and their tokens")),
    )
