"""Longest piece first, as many tutorials apply a BPE vocabulary, and where it differs from merging."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.models.longest_first import LongestFirst, WordSpan
from webapp.core.models.scored_bpe import ScoredBPE
from webapp.core.text.decoders import BPEDecoder
from webapp.core.traces.longest_first import LongestFirstRound, PieceFit, fits
from webapp.core.traces.merging import MergingModel
from webapp.pages.steps.greedy_vs_merges import WordRounds, greedy_vs_merges, longest_first_of
from webapp.pages.steps.merging_messages import listed, quoted, quoted_piece, sentence_of
from webapp.pages.steps.merging_part import FitRow, MergingPart
from webapp.pages.steps.windows_drawing import words_figure
from webapp.pages.steps.word_traces import WordTrace
from webapp.pages.walkthrough.cells import StepCell, cell
from webapp.pages.walkthrough.walkthrough import Walkthrough
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.figure import Figure
from webapp.serializers.json import json_piece, well_formed
from webapp.tokenization.algorithms import DIFFERING
from webapp.tokenization.messages import joined
from webapp.tokenization.result import Result
from webapp.web.localization import join_list

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


def walkthrough(result: Result, model: MergingModel, words: Sequence[WordTrace], pieces: str = "") -> Walkthrough:
    """The rounds of longest piece first, with the pieces of a vocabulary or of the tutorials' example."""
    return _LongestFirstWalkthrough(
        result, model, words, tutorials=pieces == TUTORIAL_OPTION and result.state.vocabulary == TUTORIAL_VOCABULARY
    )


def tutorial() -> LongestFirst:
    """Longest piece first with the pieces of the tutorials' example.

    >>> tutorial().ids("mountain")
    [3, 2]
    """
    return LongestFirst({piece: id for id, piece in enumerate(TUTORIAL, 1)}, suffix="</w>", unknown=0)


class _LongestFirstWalkthrough:
    template = "steps/_merging.html"

    def __init__(self, result: Result, model: MergingModel, words: Sequence[WordTrace], *, tutorials: bool) -> None:
        self._model = model
        self._tutorial = tutorials
        self._segmenter = tutorial() if tutorials else longest_first_of(result, model)
        self._words = [WordRounds(word, self._segmenter, None if tutorials else model.pieces) for word in words]
        self._frames = [(at, round) for at, one in enumerate(self._words) for round in range(max(1, len(one.rounds)))]
        self.ids: Sequence[int] = [id for one in self._words for id in one.ids]

    def __len__(self) -> int:
        return len(self._frames) + 1

    def sentence(self, step: int) -> str:
        if step == len(self._frames):
            return self._end()
        one, found = self._at(step)
        if found is None:
            return sentence_of(one.word, None)
        return self._uncovered(one, found) if found.piece is None else self._found(one, found, self._frames[step][1])

    def part(self, step: int) -> MergingPart:
        part = MergingPart(
            longest=True,
            tutorial=self._tutorial,
            example=EXAMPLE,
            scored=isinstance(self._model, ScoredBPE),
            ended=step == len(self._frames),
            cells=self._cells(step),
        )
        if part.ended:
            return part if self._tutorial else replace(part, compared=greedy_vs_merges(self._words))
        one, found = self._at(step)
        if found is None:
            return part
        return replace(
            part,
            spans=[_span_cell(one, span, found) for span in found.after],
            fits=self._fits(one, found),
            more_fits=max(0, len(fits(self._segmenter, one.word.text, found.before)) - MAX_FITS),
        )

    def picture(self, step: int) -> Figure | None:
        """The word after the round; at the end all words above their tokens."""
        if step < len(self._frames):
            one, found = self._at(step)
            if found is None:
                return None
            words = [(shown_piece(one.word.text), [_span_cell(one, span, found) for span in found.after])]
            return words_figure(words, title=_("The word after this round"))
        return words_figure(
            [(shown_piece(one.word.text), one.cells()) for one in self._words], title=_("The words and their tokens")
        )

    def record(self, step: int) -> dict[str, Any]:
        if step == len(self._frames):
            words = [{"text": well_formed(one.word.text), "ids": one.ids} for one in self._words]
            return {"kind": "tokens", "words": words}
        _one, found = self._at(step)
        plain: dict[str, Any] = {"kind": "added" if found is None else "longest", "word": self._frames[step][0]}
        if found is None:
            return plain
        return plain | {
            "piece": None if found.piece is None else json_piece(found.piece),
            "id": found.id,
            "places": found.places,
            "after": [{"piece": json_piece(span.piece), "id": span.id, "status": span.status} for span in found.after],
        }

    def step_of(self, token: int) -> int:
        """The round that took the token."""
        for at, one in enumerate(self._words):
            if token >= len(one.ids):
                token -= len(one.ids)
                continue
            first = next(number for number, (of, _round) in enumerate(self._frames) if of == at)
            if not one.rounds:
                return first
            wanted = [span for span in one.spans if span.id is not None][token]
            return first + next(at for at, found in enumerate(one.rounds) if wanted in found.after)
        return len(self._frames)

    # --- sentences

    def _found(self, one: WordRounds, found: LongestFirstRound, round: int) -> str:
        assert found.piece is not None
        length = self._length(found)
        named = {"word": quoted(one.word.text), "piece": quoted_piece(found.piece), "id": found.id}
        if round == 0:
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
        return joined([sentence, places, self._left(left)])

    def _left(self, left: list[str | bytes]) -> str:
        if not left:
            return _("Nothing is left: the word is done.")
        return _(
            "Left: %(parts)s.",
            parts=join_list(quoted_piece(part) for part in left[:4]) + ("…" if len(left) > 4 else ""),
        )

    def _length(self, found: LongestFirstRound) -> int:
        return next(
            span.end - span.start for span in found.after if span.start == found.places[0] and span.id == found.id
        )

    def _uncovered(self, one: WordRounds, found: LongestFirstRound) -> str:
        left = listed(span.piece for span in found.before if span.status == "open")
        statuses = {span.status for span in found.after if span not in found.before}
        sentence = _("No piece covers the rest of %(word)s: %(parts)s.", word=quoted(one.word.text), parts=left)
        if "unknown" in statuses:
            return joined([sentence, _("Each of its characters becomes an unknown token.")])
        if "byte" in statuses:
            return joined([sentence, _("Each of its characters becomes its bytes (byte fallback).")])
        return joined([sentence, _("There is no unknown token, so it is dropped.")])

    def _end(self) -> str:
        count = ngettext(
            "Every word is done: longest piece first gives one token.",
            "Every word is done: longest piece first gives %(num)s tokens.",
            len(self.ids),
        )
        if not self._tutorial:
            return joined([count, greedy_vs_merges(self._words).sentence])
        decoded = BPEDecoder("</w>").decode(
            [str(span.piece) if span.status == "piece" else "<unk>" for one in self._words for span in one.spans]
        )
        return joined([count, _("Joined, with each </w> as a space, they read %(text)s.", text=quoted(decoded))])

    # --- drawing

    def _at(self, step: int) -> tuple[WordRounds, LongestFirstRound | None]:
        at, round = self._frames[step]
        one = self._words[at]
        return one, one.rounds[round] if one.rounds else None

    def _cells(self, step: int) -> list[StepCell]:
        now = self._frames[step][0] if step < len(self._frames) else len(self._words)
        found: list[StepCell] = []
        for at, one in enumerate(self._words):
            found += one.cells() if at < now else [cell(one.word.text, "now" if at == now else "rest")]
        return found

    def _fits(self, one: WordRounds, found: LongestFirstRound) -> list[FitRow]:
        found_fits: list[PieceFit] = fits(self._segmenter, one.word.text, found.before)
        return [
            FitRow(shown_piece(fit.piece), fit.length, fit.id, fit.places, fit.id == found.id)
            for fit in found_fits[:MAX_FITS]
        ]


def _span_cell(one: WordRounds, span: WordSpan, found: LongestFirstRound) -> StepCell:
    new = span not in found.before and span.status != "open"
    kinds = ["rest open" if span.status == "open" else "done", "now" if new else ""]
    if span.status in ("unknown", "left out"):
        kinds.append("unknown")
    return StepCell(one.shown(span), " ".join(kind for kind in kinds if kind), span.id)
