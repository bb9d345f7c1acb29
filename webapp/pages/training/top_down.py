"""Training WordPiece from the top down: count candidates, keep the frequent ones from the longest on, repeat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core import recipes
from webapp.core.tokenizer import Tokenizer
from webapp.core.traces.training_wordpiece_top_down import (
    SubstringCandidate,
    TopDownRound,
    TopDownTraining,
    WordCuts,
    characters,
)
from webapp.pages.training.pieces_part import WordReadingLine
from webapp.pages.training.request import TrainingRequest
from webapp.pages.training.room import check_room
from webapp.pages.training.rounds_table import RoundColumn, RoundRow, RoundsTable
from webapp.pages.training.rows import PieceLine, WordSymbol, read_cells, shown, symbols
from webapp.pages.walkthrough.cells import StepCell
from webapp.pages.walkthrough.walkthrough import NoStepsError
from webapp.rendering.markup import visible
from webapp.tokenization.messages import joined
from webapp.web.localization import number

LINES = 28  # of the table of candidates


def walkthrough(asked: TrainingRequest) -> TopDownWalkthrough:
    """The steps of training WordPiece from the top down; the corpus must contain words.

    Raises NoStepsError if the size is too small.
    """
    counts = asked.word_counts(recipes.WORDPIECE)
    least = len(characters(counts))
    if not least:
        raise NoStepsError(_("No word of the corpus has at most 100 characters; longer ones are unknown."))
    check_room(asked, least)
    return TopDownWalkthrough(asked, TopDownTraining(counts, asked.size))


@dataclass(frozen=True)
class CandidateLine:
    """A candidate in the table: `taken` is what longer pieces that are kept take of its count."""

    piece: str
    count: int
    taken: int
    left: int
    percent: float
    kept: bool


@dataclass(frozen=True, kw_only=True)
class CandidatesPart:
    """What `training/_candidates.html` draws; a step sets only the fields that it shows."""

    round: int | None = None
    threshold: int
    tried: Sequence[tuple[int, int, bool]] = ()  # first step: each threshold, its pieces, and whether they fit
    lines: Sequence[CandidateLine] = ()
    more: int = 0  # candidates that are not shown
    rarer: int = 0  # candidates below the threshold
    words: Sequence[WordReadingLine] = ()
    single: Sequence[WordSymbol] = ()  # the single characters, which are always kept
    vocabulary: Sequence[PieceLine] = ()  # last step
    read: Sequence[StepCell] = ()  # the text to encode, as tokens
    read_text: str


class TopDownWalkthrough:
    """Step 0 shows the search for the threshold, the last step the vocabulary, every step in between a round."""

    template = "training/_candidates.html"

    def __init__(self, asked: TrainingRequest, training: TopDownTraining) -> None:
        self._asked = asked
        self._training = training
        self._rounds = training.rounds

    @property
    def size(self) -> int:
        """The number of pieces to keep."""
        return self._training.size

    def __len__(self) -> int:
        return len(self._rounds) + 2

    @cached_property
    def ids(self) -> Sequence[int]:
        """The ids of the text to tokenize, with the final vocabulary."""
        return self._tokenizer.ids(self._asked.text_to_encode)

    def step_of(self, token: int) -> int:
        """The last step, for every token: it shows which candidates are kept in the end."""
        return len(self) - 1

    def sentence(self, step: int) -> str:
        """What happened and why."""
        if step == 0:
            return self._beginning()
        return self._end() if step == len(self) - 1 else self._round_sentence(self._rounds[step - 1])

    def part(self, step: int) -> CandidatesPart:
        """The data for the template."""
        training = self._training
        text = self._asked.text_to_encode
        if step == 0:
            return CandidatesPart(
                threshold=training.threshold,
                tried=[(threshold, pieces, pieces <= self.size) for threshold, pieces in training.tried],
                words=_words(self._rounds[0].words),
                single=symbols(training.characters),
                read_text="",
            )
        if step == len(self) - 1:
            return CandidatesPart(
                threshold=training.threshold,
                vocabulary=[PieceLine(shown(piece), id) for id, piece in enumerate(training.trained.model.pieces)],
                words=_words(training.words(training.trained.longer)),
                read=read_cells(self._tokenizer, text) if text else [],
                read_text=text,
            )
        round = self._rounds[step - 1]
        most = max((one.count for one in round.candidates), default=1)
        return CandidatesPart(
            round=round.number,
            threshold=training.threshold,
            lines=[_line(one, most) for one in round.candidates[:LINES]],
            more=max(len(round.candidates) - LINES, 0),
            rarer=round.rarer,
            words=_words(round.words),
            single=symbols(training.characters),
            read_text="",
        )

    def record(self, step: int) -> dict[str, Any]:
        """The step as plain values."""
        training = self._training
        if step == 0:
            return {
                "kind": "start",
                "characters": list(training.characters),
                "threshold": training.threshold,
                "tried": [{"threshold": threshold, "pieces": pieces} for threshold, pieces in training.tried],
                "words": [_plain(word) for word in self._rounds[0].words],
            }
        if step == len(self) - 1:
            return {
                "kind": "end",
                "vocabulary": [str(piece) for piece in training.trained.model.pieces],
                "below_threshold": list(training.fill),
                "words": [_plain(word) for word in training.words(training.trained.longer)],
            }
        round = self._rounds[step - 1]
        return {
            "kind": "round",
            "round": round.number,
            "threshold": training.threshold,
            "candidates": [
                {"piece": one.piece, "count": one.count, "left": one.left, "kept": one.kept} for one in round.candidates
            ],
            "rarer": round.rarer,
            "words": [_plain(word) for word in round.words],
        }

    def rounds_table(self) -> RoundsTable:
        """Each round: how many candidates are frequent, and the longer pieces that it keeps."""
        columns = [
            RoundColumn(_("Round"), 0),
            RoundColumn(_("Candidates"), 0),
            RoundColumn(_("At least %(threshold)s times", threshold=number(self._training.threshold)), 0),
            RoundColumn(_("Kept"), 0),
            RoundColumn(_("Longer pieces that are kept"), wide=True),
        ]
        rows = []
        for round in self._rounds:
            longer = [WordSymbol(shown(piece)) for piece in round.kept]
            frequent = len(round.candidates)
            cells = (round.number, frequent + round.rarer, frequent, len(round.kept), longer)
            rows.append(RoundRow(round.number, cells))
        return RoundsTable(_("All rounds"), self._end(), columns, rows)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        trained = self._training.trained
        return recipes.WORDPIECE.tokenizer(trained.model, trained.special_tokens)

    # Sentences

    def _beginning(self) -> str:
        count = len(self._training.counts)
        words = ngettext(
            "The corpus has one word.", "The corpus has %(count)s different words.", count, count=number(count)
        )
        candidates = _("Every part of a word is a candidate for a piece.")
        threshold = _(
            "Bisection finds the lowest threshold whose vocabulary has at most %(size)s pieces: %(threshold)s.",
            size=number(self.size),
            threshold=number(self._training.threshold),
        )
        return joined([words, candidates, threshold])

    def _round_sentence(self, round: TopDownRound) -> str:
        if round.number == 1:
            counted = _("Round 1 counts every part of every word.")
        else:
            counted = _(
                "Round %(round)s splits the words into the pieces of the round before and counts only what begins "
                "where a piece begins.",
                round=number(round.number),
            )
        longer = len(round.kept)
        kept = ngettext(
            "From the longest to the shortest, a candidate is kept if at least %(threshold)s of its count are left, "
            "and its count is subtracted from its beginnings: one is kept.",
            "From the longest to the shortest, a candidate is kept if at least %(threshold)s of its count are left, "
            "and its count is subtracted from its beginnings: %(longer)s are kept.",
            longer,
            threshold=number(self._training.threshold),
            longer=number(longer),
        )
        before = self._rounds[round.number - 2].kept.keys() if round.number > 1 else None
        same = _("They are the same as in the previous round.") if round.kept.keys() == before else ""
        return joined([counted, kept, same])

    def _end(self) -> str:
        size = len(self._training.trained.model.pieces)
        done = ngettext(
            "The vocabulary has one piece, [UNK] included.",
            "The vocabulary has %(size)s pieces, [UNK] included.",
            size,
            size=number(size),
        )
        threshold = self._training.threshold
        why = _("A longer piece occurs at least %(threshold)s times.", threshold=number(threshold))
        fill = len(self._training.fill)
        filled = ""
        if fill:
            filled = ngettext(
                "One more, from the threshold %(lower)s, fills it up.",
                "%(fill)s more, from the threshold %(lower)s, fill it up.",
                fill,
                fill=number(fill),
                lower=number(threshold - 1),
            )
        elif size <= self.size:
            filled = _("No other candidate occurs at least twice.")
        return joined([done, why, filled])


def _line(one: SubstringCandidate, most: int) -> CandidateLine:
    left = max(one.left, 0)
    return CandidateLine(shown(one.piece), one.count, one.count - left, left, round(100 * left / most, 2), one.kept)


def _words(words: Sequence[WordCuts]) -> list[WordReadingLine]:
    return [WordReadingLine(symbols(word.pieces), word.count) for word in words]


def _plain(word: WordCuts) -> dict[str, Any]:
    return {"word": visible(word.word), "count": word.count, "pieces": list(word.pieces)}
