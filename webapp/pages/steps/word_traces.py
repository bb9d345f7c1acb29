"""The words of a result's text, each with the steps that merge it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from webapp.core.traces.merging import (
    BeginStep,
    EndStep,
    MergeNode,
    MergeStep,
    MergingModel,
    MergingStep,
    ReplaceStep,
    TracedWord,
    merging_steps,
    traced_words,
)
from webapp.core.traces.pretokens import AddedFound, Pretoken
from webapp.pages.walkthrough.cells import StepCell, cell
from webapp.pages.walkthrough.preparation import pretokens
from webapp.tokenization.result import Result


@dataclass(frozen=True)
class WordTrace:
    """A word and its merging steps, or an added token, which has none."""

    model: MergingModel
    word: TracedWord | None = None
    added: AddedFound | None = None

    @property
    def text(self) -> str:
        """The text of the word or added token."""
        if self.added is not None:
            return self.added.token.content
        return self.word.text if self.word else ""

    @cached_property
    def steps(self) -> list[MergingStep]:
        """The steps from `BeginStep` to `EndStep`; for a word that is a piece, `EndStep` alone.

        Empty for an added token.
        """
        return list(merging_steps(self.model, self.word)) if self.word else []

    @cached_property
    def merged(self) -> list[MergingStep]:
        """The steps of merging, even for a word that is a piece and is not merged."""
        if self.word is None or not self.word.whole:
            return self.steps
        return list(merging_steps(self.model, TracedWord(self.word.text, self.word.start)))

    @property
    def tokens(self) -> tuple[MergeNode, ...]:
        """The final symbols: the tokens of the word."""
        return _end(self.steps)

    @property
    def merged_tokens(self) -> tuple[MergeNode, ...]:
        """The final symbols of merging."""
        return _end(self.merged)

    @cached_property
    def nodes(self) -> list[MergeNode]:
        """The nodes of its merge tree, in the order in which they are made."""
        return [node for step in self.merged for node in made_by(step)]

    @property
    def ids(self) -> list[int]:
        """Its ids in the result."""
        if self.added is not None:
            return [self.added.token.id]
        return [token.id for token in self.tokens if token.id is not None]

    @property
    def cells(self) -> list[StepCell]:
        """Its tokens as cells."""
        if self.added is not None:
            return [cell(self.text, "done", "special", id=self.added.token.id)]
        kinds = ["unknown" if token.kind == "unknown" else "" for token in self.tokens]
        return [cell(token.piece, "done", kind, id=token.id) for token, kind in zip(self.tokens, kinds, strict=True)]

    def shown_steps(self, first: bool) -> list[int]:
        """The indices of the steps to show.

        The begin step is left out unless the word is the `first` or begins with special symbols; the end step is left
        out if the step before made the last token.
        """
        if self.word is None:
            return [0]
        shown = [at for at, step in enumerate(self.steps) if isinstance(step, MergeStep | ReplaceStep)]
        if isinstance(self.steps[0], BeginStep) and (first or _has_special_symbols(self.steps[0])):
            shown = [0, *shown]
        replaced = any(isinstance(step, ReplaceStep) for step in self.steps)
        merged = any(isinstance(step, MergeStep) for step in self.steps)
        if not replaced and (len(self.tokens) > 1 or not merged):
            shown.append(len(self.steps) - 1)
        return shown


def word_traces(result: Result, model: MergingModel) -> list[WordTrace]:
    """The words of a result's text, and the added tokens between them."""
    found: list[WordTrace] = []
    for one in pretokens(result):
        if isinstance(one, Pretoken):
            found += [WordTrace(model, word) for word in traced_words(model, one.text)]
        else:
            found.append(WordTrace(model, added=one))
    return found


def made_by(step: MergingStep) -> tuple[MergeNode, ...]:
    """The tree nodes that a step adds."""
    if isinstance(step, BeginStep):
        return step.symbols
    return step.made if isinstance(step, MergeStep | ReplaceStep) else ()


def _end(found: list[MergingStep]) -> tuple[MergeNode, ...]:
    return found[-1].symbols if found and isinstance(found[-1], EndStep) else ()


def _has_special_symbols(begin: BeginStep) -> bool:
    """Whether the begin step has more than one piece for each character: other kinds of symbols, or bytes."""
    plain = all(symbol.kind in ("piece", "suffix") for symbol in begin.symbols)
    bytes_ = any(isinstance(symbol.piece, bytes) and not symbol.piece.isascii() for symbol in begin.symbols)
    return not plain or bool(begin.left_out) or bytes_
