"""BPE merge by merge: the symbols of a word, its pairs with their ranks or scores, and the growing merge tree."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

from flask_babel import gettext as _

from webapp.core.models.bpe import BPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_bpe import ScoredBPE
from webapp.core.traces.merging import BeginStep, MergeNode, MergeStep, MergingStep, ReplaceStep
from webapp.pages.steps import longest_first
from webapp.pages.steps.greedy_vs_merges import compared_with_longest_first
from webapp.pages.steps.longest_first import EXAMPLE
from webapp.pages.steps.merging_messages import final, how_it_merges, sentence_of
from webapp.pages.steps.merging_part import MergingPart
from webapp.pages.steps.rows import pair_rows, symbol_groups, symbol_row
from webapp.pages.steps.word_traces import WordTrace, made_by, word_traces
from webapp.pages.walkthrough.cells import StepCell, cell
from webapp.pages.walkthrough.merge_tree import MergeTree, merge_tree
from webapp.pages.walkthrough.walkthrough import NoStepsError, Walkthrough
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
    return _MergingWalkthrough(result, model, words)


class _MergingWalkthrough:
    template = "steps/_merging.html"

    def __init__(self, result: Result, model: BPE | RankBPE | ScoredBPE, words: Sequence[WordTrace]) -> None:
        self._result = result
        self._model = model
        self._words = words
        self._frames = [(at, step) for at, word in enumerate(words) for step in word.shown_steps(first=at == 0)]
        self.ids: Sequence[int] = [id for word in words for id in word.ids]

    def __len__(self) -> int:
        return len(self._frames) + 1

    def sentence(self, step: int) -> str:
        if step == len(self._frames):
            return final(len(self.ids), scored=isinstance(self._model, ScoredBPE))
        word, one = self._at(step)
        return sentence_of(word, one)

    def part(self, step: int) -> MergingPart:
        part = MergingPart(
            longest=False,
            example=EXAMPLE,
            legend=how_it_merges(self._model),
            scored=isinstance(self._model, ScoredBPE),
            ended=step == len(self._frames),
            right_to_left=has_right_to_left(self._result.state.text),
            cells=self._cells(step),
            longer_pretokens=any(word.word and word.word.start for word in self._words),
        )
        if part.ended:
            return replace(
                part,
                trees=self._final_trees(),
                compared=compared_with_longest_first(self._result, self._model, self._words),
            )
        word, one = self._at(step)
        if one is None:
            return part
        new = (
            frozenset(node.number for node in made_by(one)) if isinstance(one, MergeStep | ReplaceStep) else frozenset()
        )
        shown = self._with_pairs(word, one)
        return replace(
            part,
            groups=symbol_groups(shown),
            pairs=pair_rows(self._model, shown) if isinstance(shown, MergeStep) else (),
            after=symbol_row(one.after, new) if isinstance(one, MergeStep | ReplaceStep) else (),
            trees=[_tree(word, self._frames[step][1])],
        )

    def picture(self, step: int) -> Figure | None:
        """The merge tree of the word; at the end those of all words."""
        if step < len(self._frames):
            word, one = self._at(step)
            return None if one is None else _tree(word, self._frames[step][1]).figure
        trees = [tree.figure for tree in self._final_trees()]
        return side_by_side(trees, width=1200) if trees else None

    def _final_trees(self) -> list[MergeTree]:
        firsts = accumulate((len(word.ids) for word in self._words), initial=0)
        return [_tree(word, tint=first) for word, first in zip(self._words, firsts, strict=False) if word.word]

    @staticmethod
    def _with_pairs(word: WordTrace, step: MergingStep) -> MergingStep:
        """The step itself; for the initial symbols, the next merge without its choice, so that ranks are shown."""
        after = word.steps[1] if isinstance(step, BeginStep) and len(word.steps) > 1 else None
        return replace(after, chosen=()) if isinstance(after, MergeStep) else step

    def record(self, step: int) -> dict[str, Any]:
        if step == len(self._frames):
            return {"kind": "tokens", "words": [_plain_word(word) for word in self._words]}
        at = self._frames[step][0]
        _word, one = self._at(step)
        plain: dict[str, Any] = {"kind": "added", "word": at}
        if one is not None:
            plain |= {
                "kind": type(one).__name__.removesuffix("Step").lower(),
                "symbols": [json_piece(node.piece) for node in one.symbols],
            }
        if isinstance(one, MergeStep):
            figure = "scores" if isinstance(self._model, ScoredBPE) else "ranks"
            plain[figure] = [pair and (pair.rank if pair.score is None else pair.score) for pair in one.pairs]
            plain["chosen"] = one.chosen
        if isinstance(one, ReplaceStep):
            plain |= {"first": one.first, "last": one.last, "why": one.why}
        if isinstance(one, MergeStep | ReplaceStep):
            plain["made"] = [_plain_node(node) for node in one.made]
        return plain

    def step_of(self, token: int) -> int:
        """The step that made the token; for an initial symbol, the last step of its word."""
        for at, word in enumerate(self._words):
            if token >= len(word.ids):
                token -= len(word.ids)
                continue
            frames = [(number, step) for number, (of, step) in enumerate(self._frames) if of == at]
            if word.word is not None:
                wanted = word.tokens[token].number
                for number, step in frames:
                    one = word.steps[step]
                    if isinstance(one, MergeStep | ReplaceStep) and any(node.number == wanted for node in one.made):
                        return number
            return frames[-1][0]
        return len(self._frames)

    def _at(self, step: int) -> tuple[WordTrace, MergingStep | None]:
        at, of = self._frames[step]
        word = self._words[at]
        return word, word.steps[of] if word.word else None

    def _cells(self, step: int) -> list[StepCell]:
        """The text: the tokens of finished words, the word of this step, and the words to come."""
        now = self._frames[step][0] if step < len(self._frames) else len(self._words)
        found: list[StepCell] = []
        for at, word in enumerate(self._words):
            if at < now:
                found += done_cells(word)
            else:
                found.append(cell(word.text, "now" if at == now else "rest"))
        return found


def has_right_to_left(text: str) -> bool:
    """Whether any character of a text is written from right to left.

    >>> has_right_to_left("low"), has_right_to_left("low שלום")
    (False, True)
    """
    return any(unicodedata.bidirectional(character) in ("R", "AL") for character in text)


def done_cells(word: WordTrace) -> list[StepCell]:
    """The tokens of a finished word, as cells."""
    if word.added is not None:
        return [cell(word.text, "done", "special", id=word.added.token.id)]
    return [
        StepCell(shown_piece(token.piece), "done unknown" if token.kind == "unknown" else "done", token.id)
        for token in word.tokens
    ]


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
