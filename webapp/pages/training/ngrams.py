"""Word n-grams: counted sentence by sentence, then as probabilities, then the best segmentation of a text."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from typing import Any

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.models.ngram import NGram
from webapp.core.trainers.ngram import segmented, train
from webapp.core.vocabulary_error import VocabularyError
from webapp.pages.training.ngram_counting import (
    Sentence,
    batches,
    counting_sections,
    estimate_sections,
    windows,
)
from webapp.pages.training.request import TrainingRequest
from webapp.pages.training.tables import Column, Row, Table, TrainingWalkthrough, section_frame
from webapp.pages.walkthrough.cells import StepCell, cell, quotable
from webapp.pages.walkthrough.engine import Frame, NoStepsError
from webapp.pages.walkthrough.ngram_end import end_json, end_picture, end_sentence, end_values
from webapp.pages.walkthrough.ngram_positions import NGramPositions
from webapp.pages.walkthrough.ngram_probabilities import smoothing_name
from webapp.rendering.pictures.figure import Figure
from webapp.serializers.json import well_formed
from webapp.tokenization.messages import joined, translated
from webapp.web.localization import number

TEMPLATE = "training/_ngrams.html"


class NGramTraining:
    """The counting of the sentences comes first, then the probabilities, each position of the text, and its words."""

    def __init__(self, asked: TrainingRequest) -> None:
        self._text = asked.text_to_encode
        self._order = asked.order
        self._sentences = sentences_of(asked)
        if not self._sentences:
            raise NoStepsError(_("The corpus has no words. Write sentences with spaces between the words."))
        self._batches = batches(self._sentences)
        try:
            counts = train(self._sentences, order=asked.order)
        except VocabularyError as error:
            raise NoStepsError(_("The corpus cannot be counted: %(problem)s.", problem=translated(error))) from None
        self._model = NGram(counts, asked.smoothing, keep_runs=False)

    def walkthrough(self) -> TrainingWalkthrough:
        """The steps, each made when it is shown."""
        return TrainingWalkthrough(
            frames=[partial(self._frame, step) for step in range(len(self))],
            ids=[self._id(word) for word in self._words],
            all_rounds=self._all_positions,
        )

    def _frame(self, step: int) -> Frame:
        if step < len(self._batches):
            record: dict[str, Any] = {
                "kind": "count",
                "sentences": [[well_formed(word) for word in sentence] for sentence in self._batches[step]],
                "ngrams": [
                    [well_formed(str(word)) for word in window]
                    for sentence in self._batches[step]
                    for window in windows(sentence, self._order)
                ],
            }
            sections = partial(counting_sections, self._batches, step, self._order)
            return section_frame(self._counted(step), record, sections)
        if step == len(self._batches):
            counts = self._model.counts
            record = {
                "kind": "estimate",
                "order": self._order,
                "words": [well_formed(word) for word in counts.words],
                "counts": [
                    [[well_formed(str(word)) for word in ngram], count] for ngram, count in counts.ngrams(self._order)
                ],
            }
            return section_frame(self._estimated(), record, partial(estimate_sections, self._model))
        found = [self._positions]
        if step < len(self) - 1:
            return self._positions.frame(TEMPLATE, step - self._first_position)
        record = {"kind": "words", "words": [well_formed(word) for word in self._words], **end_json(found)}
        cells = [self._cell(word) for word in self._words]
        values = partial(end_values, found, cells)
        return Frame(TEMPLATE, end_sentence(found), record, values, partial(end_picture, found))

    def __len__(self) -> int:
        return self._first_position + len(self._positions) + 1 if self._text else self._first_position

    @property
    def _first_position(self) -> int:
        return len(self._batches) + 1

    @cached_property
    def _positions(self) -> NGramPositions:
        return NGramPositions(self._model, self._text)

    def words_picture(self) -> Figure | None:
        """The words of the first sentence of the text, before any position is filled."""
        return self._positions.unfilled()

    def _all_positions(self) -> Table:
        """Each position: the words that end there, with their best predecessors."""
        columns = [
            Column(_("Position"), 0),
            Column(_("Word")),
            Column(_("Previous words") if self._order > 2 else _("Previous word")),
            Column(_("Probability")),
            Column(_("Logarithm"), 4),
            Column(_("Best sum before"), 4),
            Column(_("Sum"), 4),
        ]
        rows = []
        if self._text:
            for step in range(len(self._positions)):
                for row in self._positions.kept_rows(step):
                    cells = (row.end, row.word, row.context, row.formula, row.logarithm, row.before_sum, row.sum)
                    rows.append(Row(cells, step + self._first_position))
        sentence = end_sentence([self._positions]) if rows else self._estimated()
        return Table(_("All positions"), columns, rows, hint=sentence)

    @cached_property
    def _words(self) -> list[str]:
        return self._model.words(self._text) if self._text else []

    def _id(self, word: str) -> int:
        found = self._model.id_of(word)
        return self._model.unknown_id if found is None else found

    def _cell(self, word: str) -> StepCell:
        return cell(word, "done", "" if self._model.id_of(word) is not None else "unknown", id=self._id(word))

    def _counted(self, step: int) -> str:
        batch = self._batches[step]
        first = 1 + sum(map(len, self._batches[:step]))
        grams = sum(len(windows(sentence, self._order)) for sentence in batch)
        if len(batch) > 1:
            opening = _(
                "Sentences %(first)s to %(last)s are counted.", first=number(first), last=number(first + len(batch) - 1)
            )
        else:
            opening = _(
                "Sentence %(number)s is counted: “%(words)s”.", number=number(first), words=quotable("/".join(batch[0]))
            )
        kinds: Mapping[int, str] = {
            1: ngettext("It has one word, the end included.", "It has %(num)s words, the end included.", grams),
            2: ngettext(
                "It has one pair of words, its beginning and its end included.",
                "It has %(num)s pairs of words, its beginning and its end included.",
                grams,
            ),
            3: ngettext(
                "It has one sequence of three words, its beginning and its end included.",
                "It has %(num)s sequences of three words, its beginning and its end included.",
                grams,
            ),
        }
        return joined([opening, kinds[self._order] if len(batch) == 1 else ""])

    def _estimated(self) -> str:
        counts = self._model.counts
        return joined(
            [
                _("All sentences are counted."),
                _(
                    "They contain %(words)s different words in %(ngrams)s different n-grams of order %(order)s. "
                    "%(smoothing)s turns the counts into probabilities.",
                    words=number(len(counts.words)),
                    ngrams=number(sum(1 for _ngram in counts.ngrams(self._order))),
                    order=number(self._order),
                    smoothing=smoothing_name(self._model.smoothing),
                ),
            ]
        )


def sentences_of(asked: TrainingRequest) -> list[Sentence]:
    """The sentences of the corpus."""
    return [tuple(sentence) for sentence in segmented(asked.corpus)]


def first_steps(asked: TrainingRequest) -> int:
    """How many steps come before the first position: the counting, and the probabilities."""
    return len(batches(sentences_of(asked))) + 1
