"""Longest piece first, as many tutorials apply a BPE vocabulary, and where it differs from merging."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import zip_longest
from typing import Any

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.models.bpe import BPE
from webapp.core.models.longest_first import LongestFirst, WordSpan, longest_first
from webapp.core.models.scored_bpe import ScoredBPE
from webapp.core.text.decoders import BPEDecoder
from webapp.core.traces.longest_first import LongestFirstRound, PieceFit, fits, rounds
from webapp.core.traces.merging import MergingModel
from webapp.pages.steps.merging_messages import listed, quoted, quoted_piece, sentence_of
from webapp.pages.steps.windows import words_figure
from webapp.pages.steps.word_traces import WordTrace
from webapp.pages.walkthrough.cells import StepCell, cell
from webapp.pages.walkthrough.engine import Frame, Walkthrough
from webapp.pages.walkthrough.preparation import WordCells, text_row
from webapp.rendering.markup import shown_piece
from webapp.serializers.json import json_piece, well_formed
from webapp.tokenization.algorithms import DIFFERING
from webapp.tokenization.messages import joined
from webapp.tokenization.result import Result
from webapp.web.localization import join_list, number

TEMPLATE = "steps/_merging.html"
TUTORIAL = ("errrr</w>", "tain</w>", "moun", "est</w>", "high", "the</w>", "a</w>", "ve</w>")
"""The pieces of the example that tutorials copy from each other; `<unk>` has id 0."""
TUTORIAL_TEXT = "mountain highest the love"
TUTORIAL_OPTION = "tutorial"
TUTORIAL_VOCABULARY = "bpe-characters"  # it splits text into words as the example does
MAX_FITS = 12
"""How many of the pieces that fit are shown."""


EXAMPLE = {
    "pieces": ", ".join(TUTORIAL),
    "text": TUTORIAL_TEXT,
    "option": TUTORIAL_OPTION,
    "vocabulary": TUTORIAL_VOCABULARY,
    "parting": DIFFERING,
}
"""That example, and a text for which the two methods differ."""
NOTHING: Mapping[str, Any] = {
    **dict.fromkeys(("longest", "tutorial", "ended", "scored", "right_to_left", "longer_pretokens"), False),
    **dict.fromkeys(("groups", "pairs", "after", "trees", "spans", "fits"), ()),
    "compared": None,
    "example": EXAMPLE,
}
"""The values of `steps/_merging.html` that a step does not have."""


def walkthrough(result: Result, model: MergingModel, words: Sequence[WordTrace], pieces: str = "") -> Walkthrough:
    """The rounds of longest piece first, with the pieces of a vocabulary or of the tutorials' example."""
    tutorials = pieces == TUTORIAL_OPTION and result.state.vocabulary == TUTORIAL_VOCABULARY
    segmenter = tutorial() if tutorials else longest_first_of(result, model)
    found = [WordRounds(word, segmenter, None if tutorials else model.pieces) for word in words]
    common = {**NOTHING, "longest": True, "tutorial": tutorials, "scored": isinstance(model, ScoredBPE)}
    cells = [WordCells(one.word.text, one.cells()) for one in found]
    frames: list[Callable[[], Frame]] = []
    made: list[int] = []
    for at, one in enumerate(found):
        first = len(frames)
        row = partial(text_row, cells, at)
        frames += [partial(_round, one, at, number_, row, common) for number_ in range(max(1, len(one.rounds)))]
        if not one.rounds:
            made += [first] * len(one.ids)
        for span in one.spans:
            if span.id is not None:
                made.append(first + next(place for place, taken in enumerate(one.rounds) if span in taken.after))
    frames.append(partial(_ended, found, {**common, "ended": True, "cells": text_row(cells, len(cells))}))
    return Walkthrough(frames, [id for one in found for id in one.ids], made)


def tutorial() -> LongestFirst:
    """Longest piece first with the pieces of the tutorials' example.

    >>> tutorial().ids("mountain")
    [3, 2]
    """
    return LongestFirst({piece: id for id, piece in enumerate(TUTORIAL, 1)}, suffix="</w>", unknown=0)


def _round(
    one: WordRounds, at: int, number_: int, row: Callable[[], list[StepCell]], common: Mapping[str, Any]
) -> Frame:
    record: dict[str, Any] = {"kind": "longest" if one.rounds else "added", "word": at}
    if not one.rounds:
        return Frame(TEMPLATE, sentence_of(one.word, None), record, lambda: {**common, "cells": row()})
    found = one.rounds[number_]
    record |= {
        "piece": None if found.piece is None else json_piece(found.piece),
        "id": found.id,
        "places": found.places,
        "after": [{"piece": json_piece(span.piece), "id": span.id, "status": span.status} for span in found.after],
    }
    spans = [_span_cell(one, span, found) for span in found.after]

    def values() -> dict[str, Any]:
        every: list[PieceFit] = fits(one.segmenter, one.word.text, found.before)
        shown = [
            {
                "piece": shown_piece(fit.piece),
                "length": fit.length,
                "id": fit.id,
                "occurrences": fit.places,
                "taken": fit.id == found.id,
            }
            for fit in every[:MAX_FITS]
        ]
        return {**common, "cells": row(), "spans": spans, "fits": shown, "more_fits": len(every[MAX_FITS:])}

    sentence = _uncovered_sentence(one, found) if found.piece is None else _found_sentence(one, found, number_)
    words = [(shown_piece(one.word.text), spans)]
    return Frame(TEMPLATE, sentence, record, values, partial(words_figure, words, title=_("The word after this round")))


def _ended(words: Sequence[WordRounds], values: Mapping[str, Any]) -> Frame:
    sentence = ngettext(
        "Every word is done: longest piece first gives one token.",
        "Every word is done: longest piece first gives %(num)s tokens.",
        sum(len(one.ids) for one in words),
    )
    if values["tutorial"]:
        decoded = BPEDecoder("</w>").decode(
            [str(span.piece) if span.status == "piece" else "<unk>" for one in words for span in one.spans]
        )
        more = _("Joined, with each </w> as a space, they read %(text)s.", text=quoted(decoded))
    else:
        compared = greedy_vs_merges(words)
        more, values = compared.sentence, {**values, "compared": compared}
    shown = [(shown_piece(one.word.text), one.cells()) for one in words]
    return Frame(
        TEMPLATE,
        joined([sentence, more]),
        {"kind": "tokens", "words": [{"text": well_formed(one.word.text), "ids": one.ids} for one in words]},
        lambda: values,
        partial(words_figure, shown, title=_("The words and their tokens")),
    )


def _found_sentence(one: WordRounds, found: LongestFirstRound, number_: int) -> str:
    assert found.piece is not None
    length = next(
        span.end - span.start for span in found.after if span.start == found.places[0] and span.id == found.id
    )
    named = {"word": quoted(one.word.text), "piece": quoted_piece(found.piece), "id": found.id}
    if number_ == 0:
        sentence = ngettext(
            "No piece in %(word)s is longer than one symbol; %(piece)s, id %(id)s, is first.",
            "The longest piece in %(word)s is %(piece)s, %(num)s symbols long, id %(id)s.",
            length,
            **named,
        )
    else:
        sentence = ngettext(
            "In the rest of %(word)s no piece is longer than one symbol; %(piece)s, id %(id)s, is next.",
            "In the rest of %(word)s the longest piece is %(piece)s, %(num)s symbols long, id %(id)s.",
            length,
            **named,
        )
    places = ""
    if len(found.places) > 1:
        places = _("It occurs %(count)s times, and every occurrence is taken.", count=len(found.places))
    left = [span.piece for span in found.after if span.status == "open"]
    return joined([sentence, places, _left(left)])


def _left(left: Sequence[str | bytes]) -> str:
    if not left:
        return _("Nothing is left: the word is done.")
    return _(
        "Left: %(parts)s.",
        parts=join_list(quoted_piece(part) for part in left[:4]) + ("…" if len(left) > 4 else ""),
    )


def _uncovered_sentence(one: WordRounds, found: LongestFirstRound) -> str:
    left = listed(span.piece for span in found.before if span.status == "open")
    statuses = {span.status for span in found.after if span not in found.before}
    sentence = _("No piece covers the rest of %(word)s: %(parts)s.", word=quoted(one.word.text), parts=left)
    if "unknown" in statuses:
        return joined([sentence, _("Each of its characters becomes an unknown token.")])
    if "byte" in statuses:
        return joined([sentence, _("Each of its characters becomes its bytes (byte fallback).")])
    return joined([sentence, _("There is no unknown token, so it is dropped.")])


def _span_cell(one: WordRounds, span: WordSpan, found: LongestFirstRound) -> StepCell:
    new = span not in found.before and span.status != "open"
    kinds = ["rest open" if span.status == "open" else "done", "now" if new else ""]
    if span.status in ("unknown", "left out"):
        kinds.append("unknown")
    return StepCell(one.shown(span), " ".join(kind for kind in kinds if kind), span.id)


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
        merged += [
            replace(token, kinds=f"{token.kinds} differs") if span in only_merging else token
            for token, span in zip_longest(one.word.cells, by_merging)
        ]
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
