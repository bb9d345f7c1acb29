"""BPE merge by merge: the symbols of a word, its pairs with their ranks or scores, and the growing merge tree."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import Any

from flask_babel import gettext as _

from webapp.core.models.bpe import BPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_bpe import ScoredBPE
from webapp.core.traces.merging import (
    BeginStep,
    EndStep,
    MergeNode,
    MergeStep,
    MergingModel,
    MergingStep,
    ReplaceStep,
)
from webapp.pages.steps import longest_first
from webapp.pages.steps.longest_first import EXAMPLE, NOTHING, TEMPLATE, compared_with_longest_first
from webapp.pages.steps.merging_messages import final, how_it_merges, sentence_of
from webapp.pages.steps.word_traces import WordTrace, made_by, word_traces
from webapp.pages.walkthrough.cells import StepCell
from webapp.pages.walkthrough.engine import Frame, NoStepsError, Walkthrough
from webapp.pages.walkthrough.merge_tree import MergeTree, merge_tree, rank_or_score
from webapp.pages.walkthrough.preparation import WordCells, text_row
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.figure import Figure, side_by_side
from webapp.serializers.json import json_piece, well_formed
from webapp.tokenization.result import Result


def walkthrough(result: Result, options: Mapping[str, str]) -> Walkthrough:
    """The merges of a result; with the option `longest`, longest piece first as in tutorials."""
    model = result.tokenizer.model
    assert isinstance(model, BPE | RankBPE | ScoredBPE)
    words = word_traces(result, model)
    if options.get("longest"):
        return longest_first.walkthrough(result, model, words, options.get("pieces", ""))
    if isinstance(model, BPE) and not model.merges and not result.state.trained:
        raise NoStepsError(_("This vocabulary has no merges, so there are no steps to show."), instead=True)
    show = _Merging(result, model, words)
    places = [(at, step) for at, word in enumerate(words) for step in word.shown_steps(first=at == 0)]
    made: list[int] = []
    for at, word in enumerate(words):
        numbers = [number_ for number_, (of, _step) in enumerate(places) if of == at]
        # The step that makes each node; an initial symbol belongs to the last step of its word.
        makers = {node.number: step for step in numbers if word.word for node in _made(word, places[step][1])}
        made += [makers.get(token.number, numbers[-1]) for token in word.tokens if token.id is not None] or (
            [numbers[-1]] if word.added else []
        )
    ids = [id for word in words for id in word.ids]
    return Walkthrough([*(partial(show.step, *place) for place in places), partial(show.end, ids)], ids, made)


def _made(word: WordTrace, step: int) -> Sequence[MergeNode]:
    """The nodes that a step makes, initial symbols excluded."""
    one = word.steps[step]
    return one.made if isinstance(one, MergeStep | ReplaceStep) else ()


@dataclass(frozen=True)
class SymbolGroup:
    """The chosen pair, with `inner` between its symbols, or one symbol; `gap` follows the group.

    Both are the rank or the score of a pair, "" if it cannot be merged, None if nothing is there.
    """

    symbols: Sequence[StepCell]
    inner: str | None
    gap: str | None


@dataclass(frozen=True)
class _Merging:
    """The frames of merging."""

    result: Result
    model: MergingModel
    words: Sequence[WordTrace]

    def step(self, at: int, number_: int) -> Frame:
        """A step of word `at`."""
        word = self.words[at]
        one = word.steps[number_] if word.word else None
        record: dict[str, Any] = {"kind": "added", "word": at}
        if one is None:
            return Frame(TEMPLATE, sentence_of(word, one), record, lambda: self._values(at))
        record["kind"] = type(one).__name__.removesuffix("Step").lower()
        record["symbols"] = [json_piece(node.piece) for node in one.symbols]
        if isinstance(one, MergeStep):
            figure = "scores" if isinstance(self.model, ScoredBPE) else "ranks"
            record[figure] = [pair and (pair.rank if pair.score is None else pair.score) for pair in one.pairs]
            record["chosen"] = one.chosen
        if isinstance(one, ReplaceStep):
            record |= {"first": one.first, "last": one.last, "why": one.why}
        if isinstance(one, MergeStep | ReplaceStep):
            record["made"] = [_plain_node(node) for node in one.made]

        def values() -> dict[str, Any]:
            # For the initial symbols, the ranks of the next merge are shown, without its choice.
            following = word.steps[1] if isinstance(one, BeginStep) and len(word.steps) > 1 else None
            shown = replace(following, chosen=()) if isinstance(following, MergeStep) else one
            new = {node.number for node in made_by(one)}
            return {
                **self._values(at),
                "groups": symbol_groups(shown),
                "pairs": self._pairs(shown) if isinstance(shown, MergeStep) else (),
                "after": [symbol(node, new=new) for node in one.after]
                if not isinstance(one, BeginStep | EndStep)
                else (),
                "trees": [_tree(word, number_)],
            }

        return Frame(TEMPLATE, sentence_of(word, one), record, values, lambda: _tree(word, number_).figure)

    def end(self, ids: Sequence[int]) -> Frame:
        """All words with their trees, and longest piece first to compare."""

        def trees() -> list[MergeTree]:
            firsts = accumulate((len(word.ids) for word in self.words), initial=0)
            return [_tree(word, tint=first) for word, first in zip(self.words, firsts, strict=False) if word.word]

        def values() -> dict[str, Any]:
            compared = compared_with_longest_first(self.result, self.model, self.words)
            return {**self._values(len(self.words)), "ended": True, "trees": trees(), "compared": compared}

        def picture() -> Figure | None:
            figures = [tree.figure for tree in trees()]
            return side_by_side(figures, width=1200) if figures else None

        record = {"kind": "tokens", "words": [_plain_word(word) for word in self.words]}
        sentence = final(len(ids), scored=isinstance(self.model, ScoredBPE))
        return Frame(TEMPLATE, sentence, record, values, picture)

    def _values(self, now: int) -> dict[str, Any]:
        """What all steps have: the text, with the tokens of the words before word `now`."""
        return {
            **NOTHING,
            "example": EXAMPLE,
            "legend": how_it_merges(self.model),
            "scored": isinstance(self.model, ScoredBPE),
            "right_to_left": has_right_to_left(self.result.state.text),
            "cells": text_row([WordCells(word.text, word.cells) for word in self.words], now),
            "longer_pretokens": any(word.word and word.word.start for word in self.words),
        }

    def _pairs(self, step: MergeStep) -> list[dict[str, Any]]:
        """The table of the adjacent pairs of a merge step."""
        return [
            {
                "left": shown_piece(step.symbols[at].piece),
                "right": shown_piece(step.symbols[at + 1].piece),
                "figure": rank_or_score(pair),
                "made": "" if pair is None else shown_piece(self.model.pieces[pair.id]),
                "id": None if pair is None else pair.id,
                "chosen": at in step.chosen,
            }
            for at, pair in enumerate(step.pairs)
        ]


def symbol_groups(step: MergingStep) -> list[SymbolGroup]:
    """The symbols of a step, the chosen pairs grouped."""
    pairs = step.pairs if isinstance(step, MergeStep) else None
    chosen = step.chosen if isinstance(step, MergeStep) else ()
    replaced = range(step.first, step.last) if isinstance(step, ReplaceStep) else ()
    symbols = step.symbols
    found = []
    at = 0
    while at < len(symbols):
        end = at + (2 if at in chosen else 1)
        row = [symbol(symbols[place], "given" if place in replaced else "") for place in range(at, end)]
        inner = rank_or_score(pairs[at]) if pairs is not None and end == at + 2 else None
        found.append(
            SymbolGroup(row, inner, rank_or_score(pairs[end - 1]) if pairs is not None and end < len(symbols) else None)
        )
        at = end
    return found


def symbol(node: MergeNode, *kinds: str, new: Collection[int] = ()) -> StepCell:
    """A node as a symbol of a row; one in `new` is marked."""
    marks = ["" if node.kind == "piece" else node.kind.replace("-", ""), *kinds, "new" if node.number in new else ""]
    return StepCell(shown_piece(node.piece), " ".join(mark for mark in marks if mark), node.id)


def has_right_to_left(text: str) -> bool:
    """Whether any character of a text is written from right to left.

    >>> has_right_to_left("low"), has_right_to_left("low שלום")
    (False, True)
    """
    return any(unicodedata.bidirectional(character) in ("R", "AL") for character in text)


def _tree(word: WordTrace, step: int | None = None, *, tint: int = 0) -> MergeTree:
    """The merge tree of a word after a step, by default after the last."""
    if step is None or (word.word and word.word.whole):
        return merge_tree(word.text, word.nodes, word.merged_tokens, tint=tint)
    made = word.steps[: step + 1]
    count = sum(len(made_by(one)) for one in made)
    ended = not isinstance(made[-1], BeginStep | MergeStep | ReplaceStep)
    new = frozenset() if isinstance(made[-1], BeginStep) else frozenset(node.number for node in made_by(made[-1]))
    return merge_tree(word.text, word.nodes, word.tokens, made=None if ended else count, new=new, tint=tint)


def _plain_word(word: WordTrace) -> dict[str, Any]:
    plain: dict[str, Any] = {"text": well_formed(word.text), "ids": word.ids}
    if word.word is None:
        return plain | {"added": True}
    if word.word.whole:
        plain["whole"] = True
    return plain | {
        "nodes": [_plain_node(node) for node in word.nodes],
        "tokens": [node.number for node in word.merged_tokens],
    }


def _plain_node(node: MergeNode) -> dict[str, Any]:
    plain: dict[str, Any] = {"node": node.number, "piece": json_piece(node.piece), "id": node.id}
    if node.parts:
        plain["parts"] = node.parts
    if node.score is not None:
        plain["score"] = node.score
    if node.rank is not None:
        plain["rank"] = node.rank
    if node.kind != "piece":
        plain["kind"] = node.kind
    return plain
