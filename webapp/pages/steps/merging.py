"""BPE merge by merge: the symbols of a word, its pairs with their ranks or scores, and the growing merge tree."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate
from math import inf
from typing import Any

from flask_babel import gettext as _

from webapp.core.models.bpe import BPE
from webapp.core.models.sentencepiece_models import ScoredBPE
from webapp.core.traces import merging as traces
from webapp.core.traces.merge_records import (
    BeginStep,
    EndStep,
    MergeNode,
    MergeStep,
    MergingStep,
    ReplaceStep,
    TracedWord,
)
from webapp.core.traces.pretokens import AddedFound
from webapp.pages.walkthrough.cells import StepCell, WordSteps, cell, pretokens
from webapp.pages.walkthrough.engine import Frame, Walkthrough, say
from webapp.pages.walkthrough.merge_tree import MergeTree, merge_tree
from webapp.rendering.pictures.figure import Figure, side_by_side
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.result import Result
from webapp.web.json_responses import json_piece, well_formed

TEMPLATE = "steps/_merging.html"


def walkthrough(result: Result, model: traces.MergingModel, n: int) -> Walkthrough:
    """The merges of a result; raises InputProblem for a vocabulary without merges."""
    if isinstance(model, BPE) and not model.merged and not result.state.trained:
        raise InputProblem(_("This vocabulary has no merges, so there are no steps to show."), field="algorithm")
    rule = model.merge_rule
    steps = WordSteps(TEMPLATE, common={"scored": rule == "score", "rule": rule, "pieces": model.pieces})
    words: list[WordMerges | AddedFound] = []
    for found in pretokens(result):
        if isinstance(found, AddedFound):
            steps.add_token(found)
            words.append(found)
            continue
        for one in traces.traced_words(model, found.text):
            word = WordMerges(model, one)
            shown = word.shown_steps(first=not words)
            frames = [partial(_step, steps, word, len(words), step) for step in shown]
            # The step that makes each node; an initial symbol belongs to the last step of its word.
            makers = {node.number: at for at, step in enumerate(shown) for node in _made(word.steps[step])}
            made = [makers.get(token.number, len(shown) - 1) for token in word.tokens if token.id is not None]
            steps.add(one.text, word.cells, frames, made)
            words.append(word)
    ids = [id for word in words for id in _ids(word)]
    return steps.walkthrough(ids, partial(_ended, steps, model, words))


@dataclass(frozen=True)
class WordMerges:
    """A word and its merging steps."""

    model: traces.MergingModel
    word: TracedWord

    @cached_property
    def steps(self) -> list[MergingStep]:
        """The steps from `BeginStep` to `EndStep`; for a word that is a piece, `EndStep` alone."""
        return list(traces.merging_steps(self.model, self.word))

    @cached_property
    def merged(self) -> list[MergingStep]:
        """The steps of merging, even for a word that is a piece and is not merged."""
        return list(traces.merging_steps(self.model, TracedWord(self.word.text, self.word.start)))

    @property
    def tokens(self) -> Sequence[MergeNode]:
        """The final symbols: the tokens of the word."""
        return self.steps[-1].symbols

    @cached_property
    def nodes(self) -> list[MergeNode]:
        """The nodes of its merge tree, in the order in which they are made."""
        return [node for step in self.merged for node in _added(step)]

    @property
    def cells(self) -> list[StepCell]:
        """Its tokens as cells."""
        kinds = ["unknown" if token.kind == "unknown" else "" for token in self.tokens]
        return [cell(token.piece, "done", kind, id=token.id) for token, kind in zip(self.tokens, kinds, strict=True)]

    def shown_steps(self, first: bool) -> list[int]:
        """The indices of the steps to show.

        The begin step is left out unless the word is the `first` or begins with special symbols; the end step is left
        out if the step before made the last token.
        """
        begin, middle = self.steps[0], self.steps[1:-1]
        shown = list(range(1, 1 + len(middle)))
        if isinstance(begin, BeginStep) and (first or _has_special_symbols(begin)):
            shown = [0, *shown]
        if not middle or (len(self.tokens) > 1 and not any(isinstance(step, ReplaceStep) for step in middle)):
            shown.append(len(self.steps) - 1)
        return shown

    def tree(self, step: int | None = None, *, tint: int = 0) -> MergeTree:
        """The merge tree after a step, by default after the last."""
        if step is None or self.word.whole or isinstance(self.steps[step], EndStep):
            return merge_tree(self.word.text, self.nodes, self.merged[-1].symbols, tint=tint)
        count = sum(len(_added(one)) for one in self.steps[: step + 1])
        new = frozenset(node.number for node in _made(self.steps[step]))
        return merge_tree(self.word.text, self.nodes, self.tokens, made=count, new=new, tint=tint)


def _made(step: MergingStep) -> Sequence[MergeNode]:
    """The nodes that a step makes, initial symbols excluded."""
    return step.made if isinstance(step, MergeStep | ReplaceStep) else ()


def _added(step: MergingStep) -> Sequence[MergeNode]:
    """The nodes that a step adds to the tree."""
    return step.symbols if isinstance(step, BeginStep) else _made(step)


def _has_special_symbols(begin: BeginStep) -> bool:
    """Whether the begin step has more than one piece for each character: other kinds of symbols, or bytes."""
    plain = all(symbol.kind in ("piece", "suffix") for symbol in begin.symbols)
    bytes_ = any(isinstance(symbol.piece, bytes) and not symbol.piece.isascii() for symbol in begin.symbols)
    return not plain or bool(begin.left_out) or bytes_


def _ids(word: WordMerges | AddedFound) -> list[int]:
    if isinstance(word, AddedFound):
        return [word.token.id]
    return [token.id for token in word.tokens if token.id is not None]


def _step(steps: WordSteps, word: WordMerges, at: int, number: int) -> Frame:
    """A step of word `at`."""
    one = word.steps[number]
    record: dict[str, Any] = {
        "kind": type(one).__name__.removesuffix("Step").lower(),
        "word": at,
        "symbols": [json_piece(node.piece) for node in one.symbols],
    }
    if isinstance(one, MergeStep):
        figure = "scores" if isinstance(word.model, ScoredBPE) else "ranks"
        record[figure] = [pair and (pair.rank if pair.score is None else pair.score) for pair in one.pairs]
        record["chosen"] = one.chosen
    if isinstance(one, ReplaceStep):
        record |= {"first": one.first, "last": one.last, "why": one.why}
    if isinstance(one, MergeStep | ReplaceStep):
        record["made"] = [_plain_node(node) for node in one.made]

    def values() -> dict[str, Any]:
        # For the initial symbols, the ranks of the next merge are shown, without its choice.
        following = word.steps[1] if isinstance(one, BeginStep) else one
        pairs = following.pairs if isinstance(following, MergeStep) else ()
        return {
            **steps.common,
            "row": steps.row(at),
            "symbols": one.symbols,
            "pairs": pairs,
            # Pairs that cannot be merged come last.
            "best_first": sorted(range(len(pairs)), key=lambda index: pair.order if (pair := pairs[index]) else inf),
            "chosen": one.chosen if isinstance(one, MergeStep) else (),
            "given": range(one.first, one.last) if isinstance(one, ReplaceStep) else (),
            "after": one.after if isinstance(one, MergeStep | ReplaceStep) else (),
            "trees": [word.tree(number)],
        }

    return Frame(TEMPLATE, _sentence(word, one), record, values, lambda: word.tree(number).figure)


def _sentence(word: WordMerges, step: MergingStep) -> str:
    match step:
        case BeginStep():
            spans: dict[str, dict[tuple[int, int], None]] = {kind: {} for kind in _EXCEPTIONS}
            for one in step.symbols:
                spans.setdefault(one.kind, {})[one.start, one.end] = None
            spans["left out"] = dict.fromkeys(step.left_out)
            texts = {
                kind: [word.word.text[start:end] for start, end in found] for kind, found in spans.items() if found
            }
            return say("merging", "begin", model=word.model, word=word.word, step=step, exceptions=texts)
        case MergeStep():
            return say("merging", "merge", step=step)
        case ReplaceStep():
            text = word.word.text[step.symbols[step.first].start : step.symbols[step.last - 1].end]
            return say("merging", "replace", step=step, text=text)
        case _:
            merged = word.merged[-1].symbols
            listed = isinstance(word.model, BPE)
            return say("merging", "end", word=word.word, tokens=step.symbols, merged=merged, in_list=listed)


_EXCEPTIONS = ("byte", "unknown", "uncovered", "user-defined", "left out")
"""The kinds of symbols that are not plain pieces, in the order in which a sentence names them."""


def _ended(steps: WordSteps, model: traces.MergingModel, words: Sequence[WordMerges | AddedFound]) -> Frame:
    """All words with their trees."""
    count = sum(len(_ids(word)) for word in words)

    def trees() -> list[MergeTree]:
        firsts = accumulate((len(_ids(word)) for word in words), initial=0)
        return [word.tree(tint=at) for word, at in zip(words, firsts, strict=False) if isinstance(word, WordMerges)]

    def picture() -> Figure | None:
        figures = [tree.figure for tree in trees()]
        return side_by_side(figures, width=1200) if figures else None

    return Frame(
        TEMPLATE,
        say("merging", "ended", count=count, scored=model.merge_rule == "score"),
        {"kind": "tokens", "words": [_plain_word(word) for word in words]},
        lambda: {**steps.common, "ended": True, "row": steps.row(len(words)), "trees": trees()},
        picture,
    )


def _plain_word(word: WordMerges | AddedFound) -> dict[str, Any]:
    if isinstance(word, AddedFound):
        return {"text": well_formed(word.token.content), "ids": _ids(word), "added": True}
    return {
        "text": well_formed(word.word.text),
        "ids": _ids(word),
        **({"whole": True} if word.word.whole else {}),
        "nodes": [_plain_node(node) for node in word.nodes],
        "tokens": [node.number for node in word.merged[-1].symbols],
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
