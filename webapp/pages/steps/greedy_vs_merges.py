"""Longest piece first compared with merging: the tokens of both, and where they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.models.bpe import BPE
from webapp.core.models.longest_first import LongestFirst, WordSpan, longest_first
from webapp.core.traces.longest_first import LongestFirstRound, rounds
from webapp.core.traces.merging import MergingModel
from webapp.pages.steps.word_traces import WordTrace
from webapp.pages.walkthrough.cells import StepCell, cell
from webapp.rendering.markup import shown_piece
from webapp.tokenization.messages import joined
from webapp.tokenization.result import Result
from webapp.web.localization import number


@dataclass(frozen=True)
class WordRounds:
    """A word and its rounds of longest piece first; `pieces` are by id, None for the tutorials' example."""

    word: WordTrace
    segmenter: LongestFirst
    pieces: Sequence[str] | Sequence[bytes] | None

    @cached_property
    def rounds(self) -> list[LongestFirstRound]:
        """The rounds, from the longest piece to the spans that no piece covers."""
        return list(rounds(self.segmenter, self.word.text)) if self.word.word else []

    @property
    def spans(self) -> tuple[WordSpan, ...]:
        """The final spans of the word."""
        return self.rounds[-1].after if self.rounds else ()

    @property
    def ids(self) -> list[int]:
        """The ids of its tokens."""
        if self.word.added is not None:
            return self.word.ids
        return [span.id for span in self.spans if span.id is not None]

    def shown(self, span: WordSpan) -> str:
        """The text of a span on the page; for an unknown span, that of the unknown token."""
        if span.status != "unknown" or span.id is None:
            return shown_piece(span.piece)
        return "<unk>" if self.pieces is None else shown_piece(self.pieces[span.id])

    def cells(self, differ: frozenset[tuple[int, int, int | None]] = frozenset()) -> list[StepCell]:
        """Its tokens as cells; those in `differ` are marked."""
        if self.word.added is not None:
            return [cell(self.word.text, "done", "special", id=self.word.added.token.id)]
        return [
            StepCell(
                self.shown(span),
                "done"
                + (" unknown" if span.status == "unknown" else "")
                + (" differs" if (span.start, span.end, span.id) in differ else ""),
                span.id,
            )
            for span in self.spans
            if span.status != "left out"
        ]


@dataclass(frozen=True)
class GreedyVsMerges:
    """The tokens of both methods; `differing` are the words for which they differ."""

    merged: list[StepCell]
    longest: list[StepCell]
    differing: list[str]
    sentence: str


def longest_first_of(result: Result, model: MergingModel) -> LongestFirst:
    """Longest piece first with the pieces of a result's vocabulary, special tokens excluded."""
    return longest_first(model, without=[token.id for token in result.tokenizer.added_tokens])


def compared_with_longest_first(result: Result, model: MergingModel, words: Sequence[WordTrace]) -> GreedyVsMerges:
    """Merged words compared with longest piece first."""
    segmenter = longest_first_of(result, model)
    return greedy_vs_merges([WordRounds(word, segmenter, model.pieces) for word in words])


def greedy_vs_merges(words: Sequence[WordRounds]) -> GreedyVsMerges:
    """Compare both methods on each word, and mark the tokens that only one of them has."""
    merged: list[StepCell] = []
    longest: list[StepCell] = []
    differing: list[str] = []
    counts = [0, 0]
    for one in words:
        by_merging, by_length = _merged_spans(one.word), _longest_spans(one)
        only_merging = frozenset(by_merging) - frozenset(by_length)
        only_length = frozenset(by_length) - frozenset(by_merging)
        merged += _merged_cells(one.word, by_merging, only_merging)
        longest += one.cells(only_length)
        counts[0] += len(one.word.ids)
        counts[1] += len(one.ids)
        if one.ids != one.word.ids:
            differing.append(shown_piece(one.word.text))
    return GreedyVsMerges(merged, longest, differing, _outcome(len(differing), *counts))


def _outcome(differing: int, merged: int, longest: int) -> str:
    if not differing:
        return _("Both methods give the same tokens for this text.")
    difference = ngettext("The methods differ in one word.", "The methods differ in %(num)s words.", differing)
    if merged == longest:
        count = ngettext(
            "Both give one token, but not the same one.", "Both give %(num)s tokens, but not the same ones.", merged
        )
    else:
        count = _(
            "Merging gives %(merged)s tokens, longest piece first gives %(longest)s.",
            merged=number(merged),
            longest=number(longest),
        )
    return joined([difference, count])


_TokenSpan = tuple[int, int, int | None]


def _longest_spans(one: WordRounds) -> list[_TokenSpan]:
    """Start, end and id of each token of longest piece first; positions count the symbols of the word."""
    return [(span.start, span.end, span.id) for span in one.spans]


def _merged_spans(word: WordTrace) -> list[_TokenSpan]:
    """The same for merging: positions count bytes in byte-level BPE, and an end-of-word suffix counts as a symbol."""
    spans: list[_TokenSpan] = []
    at = 0
    suffix = isinstance(word.model, BPE) and bool(word.model.end_of_word_suffix) and word.model.suffix_id is not None
    for index, token in enumerate(word.tokens):
        if isinstance(token.piece, bytes):
            spans.append((at, at + len(token.piece), token.id))
            at += len(token.piece)
        else:
            last = suffix and index == len(word.tokens) - 1
            spans.append((token.start, token.end + last, token.id))
    return spans


def _merged_cells(word: WordTrace, spans: list[_TokenSpan], differ: frozenset[_TokenSpan]) -> list[StepCell]:
    if word.added is not None:
        return [cell(word.text, "done", "special", id=word.added.token.id)]
    return [
        StepCell(
            shown_piece(token.piece),
            "done" + (" unknown" if token.kind == "unknown" else "") + (" differs" if span in differ else ""),
            token.id,
        )
        for token, span in zip(word.tokens, spans, strict=True)
    ]
