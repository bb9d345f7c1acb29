"""Training WordPiece from the top down: count candidates, keep the frequent ones from the longest on, repeat."""

from __future__ import annotations

from functools import partial

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core import recipes
from webapp.core.traces.training_wordpiece_top_down import (
    SubstringCandidate,
    TopDownRound,
    TopDownTraining,
    characters,
)
from webapp.pages.training.request import TrainingRequest, check_room
from webapp.pages.training.tables import (
    BAR,
    Bar,
    Cell,
    Column,
    Pieces,
    Row,
    Sections,
    Table,
    TrainingWalkthrough,
    percent,
    plain,
    plain_words,
    read_cells,
    section_frame,
    symbols,
    words_of,
)
from webapp.pages.walkthrough.engine import Frame, say
from webapp.tokenization.forms import InputProblem
from webapp.web.localization import number

LINES = 28  # of the table of candidates


def walkthrough(wanted: TrainingRequest) -> TrainingWalkthrough:
    """The steps of training WordPiece from the top down; the corpus must contain words.

    Raises InputProblem if the size is too small.
    """
    counts = wanted.word_counts(recipes.WORDPIECE)
    least = len(characters(counts))
    if not least:
        raise InputProblem(_("No word of the corpus has at most 100 characters; longer ones are unknown."))
    check_room(wanted, least)
    return TopDown(wanted, TopDownTraining(counts, wanted.size)).walkthrough()


class TopDown:
    """Step 0 shows the search for the threshold, the last step the vocabulary, every step in between a round."""

    def __init__(self, wanted: TrainingRequest, training: TopDownTraining) -> None:
        self._asked = wanted
        self._training = training
        self._rounds = training.rounds
        self._tokenizer = recipes.WORDPIECE.tokenizer(training.trained.model, training.trained.special_tokens)

    def walkthrough(self) -> TrainingWalkthrough:
        """The steps, each made when it is shown."""
        return TrainingWalkthrough(
            frames=[self._start, *(partial(self._round, round) for round in self._rounds), self._finished],
            ids=self._tokenizer.ids(self._asked.text_to_encode),
            all_rounds=self._all_rounds,
            size=self._training.size,
        )

    def _start(self) -> Frame:
        training = self._training
        record = {
            "kind": "start",
            "characters": list(training.characters),
            "threshold": training.threshold,
            "tried": [{"threshold": threshold, "pieces": pieces} for threshold, pieces in training.tried],
            "words": plain_words(self._rounds[0].words),
        }

        def sections() -> Sections:
            rows = [
                Row([threshold, pieces, _("fits") if pieces <= training.size else _("too many")])
                for threshold, pieces in training.tried
            ]
            columns = [Column(_("Threshold"), 0), Column(_("Pieces"), 0), Column(kind="quiet", pictured=False)]
            return Sections(
                view=[Table(_("The search for the threshold"), columns, rows)] if rows else [],
                side=[words_of(_("Words of the corpus"), self._rounds[0].words), self._single()],
            )

        return section_frame(say("training", "top_down_start", training=training), record, sections)

    def _round(self, round: TopDownRound) -> Frame:
        record = {
            "kind": "round",
            "round": round.number,
            "threshold": self._training.threshold,
            "candidates": plain(round.candidates, "piece", "count", "left", "kept"),
            "rarer": round.rarer,
            "words": plain_words(round.words),
        }
        words = _("Words, and where a candidate may begin")
        before = self._rounds[round.number - 2] if round.number > 1 else None
        return section_frame(
            say("training", "top_down_round", round=round, threshold=self._training.threshold, before=before),
            record,
            lambda: Sections(view=[self._candidates(round)], side=[words_of(words, round.words), self._single()]),
        )

    def _finished(self) -> Frame:
        training = self._training
        words = training.words(training.trained.longer)
        pieces = training.trained.model.pieces
        record = {
            "kind": "end",
            "vocabulary": [str(piece) for piece in pieces],
            "below_threshold": list(training.fill),
            "words": plain_words(words),
        }
        vocabulary = Pieces(_("The vocabulary"), symbols(pieces), start=0)
        split = words_of(_("Words and their segmentations"), words)
        sections = Sections(
            view=[vocabulary],
            side=[split],
            drawn=[vocabulary, split],
            read=read_cells(self._tokenizer, self._asked.text_to_encode),
        )
        return section_frame(self._end_sentence(), record, lambda: sections)

    def _candidates(self, round: TopDownRound) -> Table:
        most = max((one.count for one in round.candidates), default=1)
        rows = [_candidate_row(one, most) for one in round.candidates[:LINES]]
        columns = [
            Column(_("Piece"), kind="head"),
            Column(_("Count"), 0),
            Column(_("Taken by longer pieces"), 0, kind="quiet"),
            Column(_("Remaining count"), 0),
            BAR,
        ]
        notes = []
        if (more := len(round.candidates) - LINES) > 0:
            notes.append(ngettext("and one more candidate", "and %(count)s more candidates", more, count=number(more)))
        if round.rarer:
            notes.append(
                ngettext(
                    "One candidate occurs fewer than %(threshold)s times.",
                    "%(count)s candidates occur fewer than %(threshold)s times.",
                    round.rarer,
                    count=number(round.rarer),
                    threshold=number(self._training.threshold),
                )
            )
        return Table(_("Candidates, longest first"), columns, rows, notes=notes)

    def _single(self) -> Pieces:
        title = _("Single characters, which are always kept")
        return Pieces(title, symbols(self._training.characters))

    def _all_rounds(self) -> Table:
        """Each round: how many candidates are frequent, and the longer pieces that it keeps."""
        columns = [
            Column(_("Round"), 0),
            Column(_("Candidates"), 0),
            Column(_("At least %(threshold)s times", threshold=number(self._training.threshold)), 0),
            Column(_("Kept"), 0),
            Column(_("Longer pieces that are kept"), kind="wide"),
        ]
        rows = []
        for round in self._rounds:
            frequent = len(round.candidates)
            cells = (round.number, frequent + round.rarer, frequent, len(round.kept), symbols(round.kept))
            rows.append(Row(cells, round.number))
        return Table(_("All rounds"), columns, rows, hint=self._end_sentence())

    def _end_sentence(self) -> str:
        return say("training", "top_down_end", training=self._training, size=len(self._training.trained.model.pieces))


def _candidate_row(one: SubstringCandidate, most: int) -> Row:
    left = max(one.left, 0)
    piece = symbols([one.piece], [0] if one.kept else [])
    cells: list[Cell] = [piece, one.count, left - one.count or "–", left, Bar(percent(left, most), one.kept)]
    return Row(cells, mark=_("kept"), said=_("kept")) if one.kept else Row(cells, kind="removed")
