"""Training Unigram: from too many pieces down to the chosen number, with a step for each estimate and each pruning."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import log
from typing import Any

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core import recipes
from webapp.core.models.unigram import Unigram
from webapp.core.recipes import Recipe
from webapp.core.text import decoders, pretokenizers
from webapp.core.tokenizer import Tokenizer
from webapp.core.traces.training_unigram import (
    PieceCandidate,
    SeedPiece,
    UnigramRound,
    UnigramTraining,
    WordReading,
    readings,
)
from webapp.core.trainers.unigram import UNKNOWN
from webapp.core.trainers.word_counts import characters
from webapp.pages.training.pieces_part import PiecesPart, PieceTableLine, WordReadingLine
from webapp.pages.training.request import TrainingRequest
from webapp.pages.training.room import check_room
from webapp.pages.training.rounds_table import RoundColumn, RoundRow, RoundsTable
from webapp.pages.training.rows import PieceLine, WordSymbol, quoted, read_cells, symbols
from webapp.pages.walkthrough.cells import StepCell, format_log_probability
from webapp.rendering.markup import shown_piece, visible
from webapp.tokenization.messages import joined
from webapp.web.localization import number

LINES = 14  # of a table, on either side of a cut
PLAIN = Recipe("unigram-plain", None, pretokenizers.WhitespaceSplit(), decoders.Join())


def walkthrough(asked: TrainingRequest) -> UnigramWalkthrough:
    """The steps of training Unigram; the corpus must contain words. Raises NoStepsError if the size is too small."""
    recipe = PLAIN if asked.plain else recipes.UNIGRAM
    counts = asked.word_counts(recipe)
    least = len(characters(counts))
    check_room(asked, least)
    training = UnigramTraining(counts, asked.size, seeds=asked.longer, every_substring=asked.every)
    return UnigramWalkthrough(asked, recipe, training, least)


class UnigramWalkthrough:
    """Step 0 shows the initial pieces. Each round is two steps, estimating and pruning, but the last round only one.
    The last step shows the vocabulary.
    """

    template = "training/_pieces.html"

    def __init__(self, asked: TrainingRequest, recipe: Recipe, training: UnigramTraining, single: int) -> None:
        self._asked = asked
        self._recipe = recipe
        self._training = training
        self._single = single

    @property
    def size(self) -> int:
        """The number of pieces to keep."""
        return self._training.size

    def __len__(self) -> int:
        return 2 * len(self._training.rounds) + 1

    @cached_property
    def ids(self) -> Sequence[int]:
        """The ids of the text to tokenize, with the final vocabulary."""
        return self._final.ids(self._asked.text_to_encode)

    def step_of(self, token: int) -> int:
        """The last step, for every token: all pieces exist from the start, and it shows which ones are kept."""
        return len(self) - 1

    def sentence(self, step: int) -> str:
        """What happened and why."""
        if step == 0:
            return self._beginning()
        if step == len(self) - 1:
            return self._end()
        round = self._round(step)
        return self._estimated(round) if step % 2 else self._pruned(round)

    def part(self, step: int) -> PiecesPart:
        """The data for the template."""
        if step == 0:
            return self._start_part()
        if step == len(self) - 1:
            return self._end_part()
        round = self._round(step)
        return self._estimate_part(round) if step % 2 else self._prune_part(round)

    def record(self, step: int) -> dict[str, Any]:
        """The step as plain values."""
        if step == 0:
            return {
                "kind": "start",
                "pieces": [
                    {"piece": seed.piece, "frequency": seed.frequency, "probability": seed.probability}
                    for seed in self._training.seeds
                ],
            }
        if step == len(self) - 1:
            return {
                "kind": "end",
                "vocabulary": [
                    {"piece": str(piece), "score": score}
                    for piece, score in zip(self._model.pieces, self._model.scores, strict=True)
                ],
                "words": [_plain(reading) for reading in self._training.rounds[-1].readings],
            }
        round = self._round(step)
        if step % 2:
            return {
                "kind": "estimate",
                "round": round.number,
                "log_likelihoods": list(round.log_likelihoods),
                "pieces": [
                    {
                        "piece": one.piece,
                        "expected": one.expected,
                        "before": one.before,
                        "probability": one.probability,
                    }
                    for one in round.candidates
                ],
                "words": [_plain(reading) for reading in round.readings],
            }
        return {
            "kind": "prune",
            "round": round.number,
            "pieces": [
                {
                    "piece": one.piece,
                    "used": one.used,
                    "instead": list(one.instead),
                    "loss": one.loss,
                    "removed": one.removed,
                }
                for one in _longer(round)
            ],
        }

    def rounds_table(self) -> RoundsTable:
        """Each round: the likelihood of the corpus, and the pieces that the round removes."""
        columns = [
            RoundColumn(_("Round"), 0),
            RoundColumn(_("Pieces"), 0),
            RoundColumn(_("Log-likelihood"), 2),
            RoundColumn(_("Removed"), 0),
            RoundColumn(_("Removed pieces"), wide=True),
            RoundColumn(_("Remaining"), 0),
        ]
        rows = []
        for place, round in enumerate(self._training.rounds):
            gone = [WordSymbol(shown_piece(one.piece)) for one in round.candidates if one.removed]
            before = len(round.candidates)
            cells = (round.number, before, round.log_likelihoods[-1], len(gone), gone, before - len(gone))
            rows.append(RoundRow(2 * place + (1 if round.last else 2), cells))  # the last round only estimates
        return RoundsTable(_("All rounds"), self._end(), columns, rows)

    # Rounds and models

    def _round(self, step: int) -> UnigramRound:
        return self._training.rounds[(step - 1) // 2]

    @cached_property
    def _model(self) -> Unigram:
        return self._training.trained.model

    @property
    def _final(self) -> Tokenizer:
        return self._recipe.tokenizer(self._model, self._training.trained.special_tokens)

    def _read(self, round: UnigramRound | None) -> list[StepCell]:
        """The visitor's text, tokenized with the pieces of a round, or with the initial ones."""
        if not self._asked.text_to_encode:
            return []
        if round is None:
            scores = {seed.piece: log(seed.probability) for seed in self._training.seeds}
        else:
            scores = {one.piece: log(one.probability) for one in round.candidates}
        model = Unigram((UNKNOWN, *scores), (0.0, *scores.values()), unknown_id=0)
        cells = read_cells(self._recipe.tokenizer(model), self._asked.text_to_encode)
        return [StepCell(cell.text, cell.kinds) for cell in cells]

    # Parts of the template

    def _start_part(self) -> PiecesPart:
        seeds = self._training.seeds
        longer = [seed for seed in seeds if len(seed.piece) > 1]
        most = max((seed.probability for seed in longer), default=1.0)
        lines = [
            PieceTableLine(
                shown_piece(seed.piece),
                _percent(seed.probability, most),
                frequency=seed.frequency,
                probability=seed.probability,
            )
            for seed in longer[: 2 * LINES]
        ]
        scores = {seed.piece: log(seed.probability) for seed in seeds}
        return PiecesPart(
            view="start",
            lines=lines,
            more=len(longer) - len(lines),
            single=_single(seeds),
            words=_words(readings(scores, self._training.counts)),
            read=self._read(None),
            read_text=self._asked.text_to_encode,
        )

    def _estimate_part(self, round: UnigramRound) -> PiecesPart:
        longer = sorted(_longer(round), key=lambda one: -one.expected)
        most = max((one.probability for one in longer), default=1.0)
        lines = [
            PieceTableLine(
                shown_piece(one.piece),
                _percent(one.probability, most),
                probability=one.probability,
                before=one.before,
                expected=one.expected,
            )
            for one in longer[: 2 * LINES]
        ]
        return PiecesPart(
            view="estimate",
            lines=lines,
            more=len(longer) - len(lines),
            single=_single(round.candidates),
            words=_words(round.readings),
            read=self._read(round),
            read_text=self._asked.text_to_encode,
        )

    def _prune_part(self, round: UnigramRound) -> PiecesPart:
        """The pieces on both sides of the cut, smallest loss first."""
        longer = sorted(_longer(round), key=lambda one: (not one.removed, one.loss))
        removed = [one for one in longer if one.removed]
        kept = [one for one in longer if not one.removed]
        most = max((one.loss or 0.0 for one in longer), default=0.0) or 1.0
        going, staying = ([_loss_line(one, most) for one in some] for some in (removed[-LINES:], kept[:LINES]))
        return PiecesPart(
            view="prune",
            going=going,
            more_going=len(removed) - len(going),
            staying=staying,
            more_staying=len(kept) - len(staying),
            single=_single(round.candidates),
            read=self._read(round),
            read_text=self._asked.text_to_encode,
        )

    def _end_part(self) -> PiecesPart:
        return PiecesPart(
            view="end",
            vocabulary=[
                (PieceLine(shown_piece(piece), id), None if piece == UNKNOWN else score)
                for id, (piece, score) in enumerate(zip(self._model.pieces, self._model.scores, strict=True))
            ],
            words=_words(self._training.rounds[-1].readings),
            read=read_cells(self._final, self._asked.text_to_encode) if self._asked.text_to_encode else [],
            read_text=self._asked.text_to_encode,
        )

    # Sentences

    def _beginning(self) -> str:
        longer = len(self._training.seeds) - self._single
        numbers = {"single": number(self._single), "longer": number(longer)}
        if not longer:
            many = _("There are no longer initial pieces, only the single characters of the corpus.")
        else:
            many = ngettext(
                "Unigram starts with too many pieces: the %(single)s single characters, which are always kept, and one "
                "longer piece that occurs at least twice.",
                "Unigram starts with too many pieces: the %(single)s single characters, which are always kept, and "
                "%(longer)s longer ones that occur at least twice.",
                longer,
                **numbers,
            )
        guess = _("The initial probability of a piece is proportional to its count times its length.")
        return joined([many, guess])

    def _estimated(self, round: UnigramRound) -> str:
        before, after = round.log_likelihoods[0], round.log_likelihoods[-1]
        return joined(
            [
                _("Round %(round)s, estimating.", round=number(round.number)),
                _(
                    "The log-likelihood of the corpus is %(before)s before the first estimate and %(after)s before "
                    "the second.",
                    before=format_log_probability(before, 1),
                    after=format_log_probability(after, 1),
                ),
            ]
        )

    def _pruned(self, round: UnigramRound) -> str:
        count = len(_longer(round))
        gone = sum(1 for one in round.candidates if one.removed)
        how = _("Round %(round)s, pruning.", round=number(round.number))
        what = ngettext(
            "Of %(count)s longer pieces, one is removed.",
            "Of %(count)s longer pieces, %(gone)s are removed.",
            gone,
            count=number(count),
            gone=number(gone),
        )
        if gone == round.surplus:
            why = _("The chosen number of pieces is reached.")
        elif round.lossless >= round.share:
            why = _("These are all pieces with a loss of 0 or less.")
        else:
            why = _("These are the quarter with the smallest loss.")
        return joined([how, what, why])

    def _end(self) -> str:
        last = self._training.rounds[-1]
        total = len(last.candidates)
        left = ngettext("One piece remains.", "%(count)s pieces remain.", total, count=number(total))
        kept = [one.piece for one in last.candidates if len(one.piece) > 1]
        if total < self._training.size:
            why = _("Training did not start with more pieces.")
        else:
            why = _("That is the chosen number; a last estimate makes the probabilities add up to 1.")
        longest = _("The only longer piece is “%(piece)s”.", piece=quoted(kept[0])) if len(kept) == 1 else ""
        return joined([left, why, longest])


def _single(pieces: Sequence[PieceCandidate] | Sequence[SeedPiece]) -> list[WordSymbol]:
    return [WordSymbol(shown_piece(one.piece)) for one in pieces if len(one.piece) == 1]


def _longer(round: UnigramRound) -> list[PieceCandidate]:
    return [one for one in round.candidates if len(one.piece) > 1]


def _loss_line(one: PieceCandidate, most: float) -> PieceTableLine:
    return PieceTableLine(
        shown_piece(one.piece),
        _percent(max(one.loss or 0.0, 0.0), most),
        used=one.used,
        instead=" + ".join(shown_piece(piece) for piece in one.instead),
        loss=one.loss,
        removed=one.removed,
    )


def _words(found: Any) -> list[WordReadingLine]:
    return [WordReadingLine(symbols(reading.pieces), reading.count) for reading in found]


def _plain(reading: WordReading) -> dict[str, Any]:
    return {"word": visible(reading.word), "count": reading.count, "pieces": list(reading.pieces)}


def _percent(value: float, most: float) -> float:
    return round(100 * value / most, 2)
