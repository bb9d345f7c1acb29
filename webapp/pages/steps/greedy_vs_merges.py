"""What the longest piece first makes of words, beside what merging makes of them."""

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
    """A word and its rounds; `names` are the pieces by id, None for the example's."""

    word: WordTrace
    way: LongestFirst
    names: Sequence[str] | Sequence[bytes] | None

    @cached_property
    def rounds(self) -> list[LongestFirstRound]:
        """From the longest piece in it to what nothing covers."""
        return list(rounds(self.way, self.word.text)) if self.word.word else []

    @property
    def stretches(self) -> tuple[WordSpan, ...]:
        """What it ends in."""
        return self.rounds[-1].after if self.rounds else ()

    @property
    def ids(self) -> list[int]:
        """The ids of its tokens."""
        if self.word.added is not None:
            return self.word.ids
        return [stretch.id for stretch in self.stretches if stretch.id is not None]

    def shown(self, stretch: WordSpan) -> str:
        """A stretch as the page shows it, an unknown one by the name of its token."""
        if stretch.status != "unknown" or stretch.id is None:
            return shown_piece(stretch.piece)
        return "<unk>" if self.names is None else shown_piece(self.names[stretch.id])

    def cells(self, differ: frozenset[tuple[int, int, int | None]] = frozenset()) -> list[StepCell]:
        """Its tokens; those among `differ` are marked."""
        if self.word.added is not None:
            return [cell(self.word.text, "done", "special", id=self.word.added.token.id)]
        return [
            StepCell(
                self.shown(stretch),
                "done"
                + (" unknown" if stretch.status == "unknown" else "")
                + (" differs" if (stretch.start, stretch.end, stretch.id) in differ else ""),
                stretch.id,
            )
            for stretch in self.stretches
            if stretch.status != "left out"
        ]


@dataclass(frozen=True)
class GreedyVsMerges:
    """What both ways make of the text; `differing` are the words in which they part."""

    merged: list[StepCell]
    longest: list[StepCell]
    differing: list[str]
    sentence: str


def longest_first_of(result: Result, model: MergingModel) -> LongestFirst:
    """The way with the pieces of a result's vocabulary; special tokens are no pieces of a text."""
    return longest_first(model, without=[token.id for token in result.tokenizer.added_tokens])


def other_way(result: Result, model: MergingModel, words: Sequence[WordTrace]) -> GreedyVsMerges:
    """What the longest piece first makes of the words, beside what merging makes of them."""
    way = longest_first_of(result, model)
    return greedy_vs_merges([WordRounds(word, way, model.pieces) for word in words])


def greedy_vs_merges(tried: Sequence[WordRounds]) -> GreedyVsMerges:
    """Both ways of each word, with the tokens marked that only one of them has."""
    merged: list[StepCell] = []
    longest: list[StepCell] = []
    differing: list[str] = []
    counts = [0, 0]
    for one in tried:
        ours, theirs = _places_merged(one.word), _places(one)
        only_ours, only_theirs = frozenset(ours) - frozenset(theirs), frozenset(theirs) - frozenset(ours)
        merged += _merged_cells(one.word, ours, only_ours)
        longest += one.cells(only_theirs)
        counts[0] += len(one.word.ids)
        counts[1] += len(one.ids)
        if one.ids != one.word.ids:
            differing.append(shown_piece(one.word.text))
    return GreedyVsMerges(merged, longest, differing, _outcome(len(differing), *counts))


def _outcome(differing: int, merged: int, longest: int) -> str:
    if not differing:
        return _("Both methods give the same tokens for this text.")
    parted = ngettext("The methods differ in one word.", "The methods differ in %(num)s words.", differing)
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
    return joined([parted, count])


_Place = tuple[int, int, int | None]


def _places(one: WordRounds) -> list[_Place]:
    """Start, end and id of each token, in units of the word."""
    return [(stretch.start, stretch.end, stretch.id) for stretch in one.stretches]


def _places_merged(word: WordTrace) -> list[_Place]:
    """The same of merging: bytes are counted, and an end-of-word mark is a unit."""
    places: list[_Place] = []
    at = 0
    suffix = isinstance(word.model, BPE) and bool(word.model.end_of_word_suffix) and word.model.suffix_id is not None
    for index, token in enumerate(word.tokens):
        if isinstance(token.piece, bytes):
            places.append((at, at + len(token.piece), token.id))
            at += len(token.piece)
        else:
            last = suffix and index == len(word.tokens) - 1
            places.append((token.start, token.end + last, token.id))
    return places


def _merged_cells(word: WordTrace, places: list[_Place], differ: frozenset[_Place]) -> list[StepCell]:
    if word.added is not None:
        return [cell(word.text, "done", "special", id=word.added.token.id)]
    return [
        StepCell(
            shown_piece(token.piece),
            "done" + (" unknown" if token.kind == "unknown" else "") + (" differs" if place in differ else ""),
            token.id,
        )
        for token, place in zip(word.tokens, places, strict=True)
    ]
