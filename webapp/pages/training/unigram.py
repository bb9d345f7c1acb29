"""Training Unigram: from too many pieces down to the chosen number, with a step for each estimate and each pruning."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import log
from typing import Any

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core import recipes
from webapp.core.models.unigram import Unigram
from webapp.core.recipes import Recipe
from webapp.core.text import decoders, pretokenizers
from webapp.core.tokenizer import Tokenizer
from webapp.core.traces import training_unigram
from webapp.core.trainers.unigram import UNKNOWN
from webapp.core.trainers.word_counts import characters
from webapp.pages.training import tables
from webapp.pages.training.request import TrainingRequest, check_room
from webapp.pages.walkthrough.cells import StepCell, format_log_probability, quotable
from webapp.pages.walkthrough.engine import Frame, say
from webapp.rendering.markup import visible
from webapp.web.localization import number

LINES = 14  # of a table, on either side of a cut
PLAIN = Recipe("unigram-plain", None, pretokenizers.WhitespaceSplit(), decoders.Join())


def walkthrough(wanted: TrainingRequest) -> tables.TrainingWalkthrough:
    """The steps of training Unigram; the corpus must contain words. Raises InputProblem if the size is too small."""
    recipe = PLAIN if wanted.plain else recipes.UNIGRAM
    counts = wanted.word_counts(recipe)
    least = len(characters(counts))
    check_room(wanted, least)
    training = training_unigram.UnigramTraining(counts, wanted.size, seeds=wanted.longer, every_substring=wanted.every)
    return Pruning(wanted, recipe, training, least).walkthrough()


@dataclass(frozen=True)
class Pruning:
    """Step 0 shows the initial pieces. Each round is two steps, estimating and pruning, but the last round only one.
    The last step shows the vocabulary.
    """

    _asked: TrainingRequest
    _recipe: Recipe
    _training: training_unigram.UnigramTraining
    _single: int  # characters

    def walkthrough(self) -> tables.TrainingWalkthrough:
        """The steps, each made when it is shown."""
        rounds = [
            step
            for one in self._training.rounds
            for step in (partial(self._estimated, one), partial(self._pruned, one))
        ]
        trained = self._training.trained
        final = self._recipe.tokenizer(trained.model, trained.special_tokens)
        return tables.TrainingWalkthrough(
            frames=[self._start, *rounds[:-1], partial(self._finished, final)],
            ids=final.ids(self._asked.text_to_encode),
            all_rounds=self._all_rounds,
            size=self._training.size,
        )

    def _start(self) -> Frame:
        seeds = self._training.seeds
        record = {"kind": "start", "pieces": _plain(seeds, "piece", "frequency", "probability")}

        def sections() -> tables.Sections:
            longer = [seed for seed in seeds if len(seed.piece) > 1]
            rows = [([seed.frequency], seed) for seed in longer]
            scores = {seed.piece: log(seed.probability) for seed in seeds}
            counted = [(tables.symbols([seed.piece]), seed.frequency) for seed in seeds if len(seed.piece) == 1]
            single = tables.Words(_("Single characters, which are always kept"), counted)
            return tables.Sections(
                view=[*_piece_table([tables.Column(_("Count"), 0, pictured=False)], rows), single],
                side=[_readings(training_unigram.readings(scores, self._training.counts))],
                read=self._read(scores),
            )

        total = sum(seed.frequency for seed in seeds) if self._asked.every else 0
        happened = say("training", "unigram_start", single=self._single, longer=len(seeds) - self._single, total=total)
        return tables.section_frame(happened, record, sections)

    def _estimated(self, round: training_unigram.UnigramRound) -> Frame:
        record = {
            "kind": "estimate",
            "round": round.number,
            "log_likelihoods": list(round.log_likelihoods),
            "pieces": _plain(round.candidates, "piece", "expected", "before", "probability"),
            "words": _plain_words(round.readings),
        }

        def sections() -> tables.Sections:
            longer = sorted(_longer(round), key=lambda one: -one.expected)
            rows = [([one.expected, one.before], one) for one in longer]
            columns = [
                tables.Column(_("Expected uses"), 2, pictured=False),
                tables.Column(_("Before"), 4, kind="quiet", pictured=False),
            ]
            hint = _(
                "All segmentations of every word are weighted by their probability; the expected count of a piece "
                "gives its new probability. This is done twice."
            )
            return tables.Sections(
                view=_piece_table(columns, rows, hint),
                side=[_readings(round.readings), _single(round.candidates)],
                read=self._read_in(round),
            )

        first, *_others, last = (format_log_probability(value, 1) for value in round.log_likelihoods)
        return tables.section_frame(
            say("training", "unigram_estimate", round=round, before=first, after=last), record, sections
        )

    def _pruned(self, round: training_unigram.UnigramRound) -> Frame:
        record = {
            "kind": "prune",
            "round": round.number,
            "pieces": _plain(_longer(round), "piece", "used", "instead", "loss", "removed"),
        }
        gone = sum(one.removed for one in round.candidates)
        return tables.section_frame(
            say("training", "unigram_prune", round=round, count=len(_longer(round)), gone=gone),
            record,
            lambda: tables.Sections(view=[_losses(round)], side=[_single(round.candidates)], read=self._read_in(round)),
        )

    def _finished(self, final: Tokenizer) -> Frame:
        model = self._training.trained.model
        words = self._training.rounds[-1].readings
        entries = list(zip(model.pieces, model.scores, strict=True))
        record = {
            "kind": "end",
            "vocabulary": [{"piece": str(piece), "score": score} for piece, score in entries],
            "words": _plain_words(words),
        }

        def sections() -> tables.Sections:
            rows = [
                tables.Row([str(id), tables.symbols([piece]), None if piece == UNKNOWN else score])
                for id, (piece, score) in enumerate(entries)
            ]
            columns = [
                tables.Column(_("Id"), 0, pictured=False),
                tables.Column(_("Piece")),
                tables.Column(_("Log-probability"), 3),
            ]
            return tables.Sections(
                view=[tables.Table(_("The vocabulary"), columns, rows)],
                side=[_readings(words)],
                read=tables.read_cells(final, self._asked.text_to_encode),
            )

        return tables.section_frame(self._end_sentence(), record, sections)

    def _all_rounds(self) -> tables.Table:
        """Each round: the likelihood of the corpus, and the pieces that the round removes."""
        columns = [
            tables.Column(_("Round"), 0),
            tables.Column(_("Pieces"), 0),
            tables.Column(_("Log-likelihood"), 2),
            tables.Column(_("Removed"), 0),
            tables.Column(_("Removed pieces"), kind="wide"),
            tables.Column(_("Remaining"), 0),
        ]
        rows = []
        for place, round in enumerate(self._training.rounds):
            gone = tables.symbols(one.piece for one in round.candidates if one.removed)
            before = len(round.candidates)
            cells = (round.number, before, round.log_likelihoods[-1], len(gone), gone, before - len(gone))
            rows.append(tables.Row(cells, 2 * place + (1 if round.last else 2)))  # the last round only estimates
        return tables.Table(_("All rounds"), columns, rows, hint=self._end_sentence())

    def _read_in(self, round: training_unigram.UnigramRound) -> list[StepCell]:
        return self._read({one.piece: log(one.probability) for one in round.candidates})

    def _read(self, scores: Mapping[str, float]) -> list[StepCell]:
        """The visitor's text, tokenized with pieces and their log-probabilities; they have no ids yet."""
        model = Unigram((UNKNOWN, *scores), (0.0, *scores.values()), unknown_id=0)
        return tables.read_cells(self._recipe.tokenizer(model), self._asked.text_to_encode, with_ids=False)

    def _end_sentence(self) -> str:
        last = self._training.rounds[-1].candidates
        longer = [quotable(one.piece) for one in last if len(one.piece) > 1]
        return say("training", "unigram_end", total=len(last), size=self._training.size, longer=longer)


def _piece_table(
    columns: Sequence[tables.Column],
    rows: Sequence[tuple[Sequence[tables.Cell], training_unigram.SeedPiece | training_unigram.PieceCandidate]],
    hint: str = "",
) -> list[tables.Table]:
    """The longer pieces with their probabilities, after further figures; none without pieces."""
    most = max((one.probability for _figures, one in rows), default=1.0)
    lines = [
        tables.Row([tables.symbols([one.piece]), *figures, one.probability, tables.Bar(one.probability, most)])
        for figures, one in rows[: 2 * LINES]
    ]
    more = len(rows) - len(lines)
    notes = [ngettext("and one more piece", "and %(count)s more pieces", more, count=number(more))] if more else []
    columns = [tables.Column(_("Piece"), kind="head"), *columns, tables.Column(_("Probability"), 4), tables.BAR]
    return [tables.Table(_("The longer pieces"), columns, lines, hint, notes)] if lines else []


def _losses(round: training_unigram.UnigramRound) -> tables.Table:
    """The pieces on both sides of the cut, smallest loss first."""
    longer = sorted(_longer(round), key=lambda one: (not one.removed, one.loss))
    most = max((one.loss or 0.0 for one in longer), default=0.0) or 1.0
    removed = [_loss_row(one, most) for one in longer if one.removed]
    kept = [_loss_row(one, most) for one in longer if not one.removed]
    rows = [*removed[-LINES:], tables.Row([_("↑ removed · kept ↓")], kind="cut"), *kept[:LINES]]
    if (more := len(removed) - LINES) > 0:
        folded = ngettext(
            "one more removed, with a smaller loss",
            "%(count)s more removed, with smaller losses",
            more,
            count=number(more),
        )
        rows.insert(0, tables.Row([folded], kind="folded"))
    if (more := len(kept) - LINES) > 0:
        folded = ngettext(
            "one more kept, with a larger loss", "%(count)s more kept, with larger losses", more, count=number(more)
        )
        rows.append(tables.Row([folded], kind="folded"))
    hint = _(
        "The loss of a piece is the log-likelihood that the corpus loses if the best other segmentation replaces the "
        "piece."
    )
    columns = [
        tables.Column(_("Piece"), kind="head"),
        tables.Column(_("Used"), 0),
        tables.Column(_("Without it")),
        tables.Column(_("Loss"), 2),
        tables.BAR,
    ]
    return tables.Table(_("The loss of each longer piece"), columns, rows, hint)


def _loss_row(one: training_unigram.PieceCandidate, most: float) -> tables.Row:
    instead = " + ".join(tables.shown(piece) for piece in one.instead)
    bar = tables.Bar(max(one.loss or 0.0, 0.0), most)
    cells: list[tables.Cell] = [tables.symbols([one.piece]), one.used, instead, one.loss or 0.0, bar]
    return tables.Row(cells, kind="removed", said=_("removed")) if one.removed else tables.Row(cells)


def _single(pieces: Sequence[training_unigram.PieceCandidate]) -> tables.Pieces:
    single = [one.piece for one in pieces if len(one.piece) == 1]
    return tables.Pieces(_("Single characters, which are always kept"), tables.symbols(single))


def _longer(round: training_unigram.UnigramRound) -> list[training_unigram.PieceCandidate]:
    return [one for one in round.candidates if len(one.piece) > 1]


def _readings(words: Iterable[training_unigram.SegmentedWord]) -> tables.Words:
    title = _("Words and their most probable segmentations")
    return tables.Words(title, [(tables.symbols(word.pieces), word.count) for word in words])


def _plain_words(words: Iterable[training_unigram.SegmentedWord]) -> list[dict[str, Any]]:
    return [{"word": visible(word.word), "count": word.count, "pieces": word.pieces} for word in words]


def _plain(things: Iterable[object], *names: str) -> list[dict[str, Any]]:
    """Some fields of each thing as JSON values."""
    return [{name: getattr(thing, name) for name in names} for thing in things]
