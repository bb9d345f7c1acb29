"""Word n-grams: counted sentence by sentence, then as probabilities, then the best segmentation of a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from webapp.pages.walkthrough.ngram_end import NGramEndPart, end_json, end_part, end_sentence
from webapp.pages.walkthrough.ngram_positions import NGramPositionPart, NGramPositions
from webapp.pages.walkthrough.ngram_probabilities import smoothing_name
from webapp.rendering.pictures.figure import Figure, side_by_side
from webapp.serializers.json import well_formed
from webapp.tokenization.messages import joined, translated
from webapp.web.localization import number


class NGramTraining:
    """The counting of the sentences comes first, then the probabilities, each position of the text, and its words."""

    template = "training/_ngrams.html"

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
        sentence, record = self.sentence(step), self.record(step)
        if step < len(self._batches):
            return section_frame(sentence, record, lambda: counting_sections(self._batches, step, self._order))
        if step == len(self._batches):
            return section_frame(sentence, record, lambda: estimate_sections(self._model))
        part = self.part(step)
        return Frame(
            self.template, sentence, record, lambda: {**vars(part), "view": part.view}, lambda: self.picture(step)
        )

    def __len__(self) -> int:
        return self._first_position + len(self._positions) + 1 if self._text else self._first_position

    @property
    def _first_position(self) -> int:
        return len(self._batches) + 1

    @cached_property
    def _positions(self) -> NGramPositions:
        return NGramPositions(self._model, self._text)

    @cached_property
    def ids(self) -> Sequence[int]:
        """The numbers of the words, in the order of their first occurrence; unknown words share one number."""
        return [self._id(word) for word in self._words]

    def step_of(self, token: int) -> int:
        """The step of the position where a word ends."""
        return self._first_position + self._positions.step_of(len("".join(self._words[: token + 1])))

    def sentence(self, step: int) -> str:
        """What happened and why."""
        if step < len(self._batches):
            return self._counted(step)
        if step == len(self._batches):
            return self._estimated()
        if step == len(self) - 1:
            return end_sentence([self._positions])
        return self._positions.sentence(step - self._first_position)

    def part(self, step: int) -> NGramPositionPart | NGramEndPart:
        """The data for the template of a position, and of the end."""
        if step == len(self) - 1:
            return end_part([self._positions], [self._cell(word) for word in self._words])
        return self._positions.part(step - self._first_position)

    def picture(self, step: int) -> Figure | None:
        """The lattice of a position; at the end of all sentences. The counts are exported as tables."""
        if step < self._first_position:
            return None
        if step == len(self) - 1:
            return side_by_side([one.figure for one in self._positions.final_drawings(2_000)], width=1600)
        return self._positions.drawing(step - self._first_position).figure

    def words_picture(self) -> Figure | None:
        """The words of the first sentence of the text, before any position is filled."""
        return self._positions.unfilled()

    def record(self, step: int) -> dict[str, Any]:
        """The step as plain values."""
        if step < len(self._batches):
            return {
                "kind": "count",
                "sentences": [[well_formed(word) for word in sentence] for sentence in self._batches[step]],
                "ngrams": [
                    [well_formed(str(word)) for word in window]
                    for sentence in self._batches[step]
                    for window in windows(sentence, self._order)
                ],
            }
        if step == len(self._batches):
            counts = self._model.counts
            return {
                "kind": "estimate",
                "order": self._order,
                "words": [well_formed(word) for word in counts.words],
                "counts": [
                    [[well_formed(str(word)) for word in ngram], count] for ngram, count in counts.ngrams(self._order)
                ],
            }
        if step == len(self) - 1:
            return {
                "kind": "words",
                "words": [well_formed(word) for word in self._words],
                **end_json([self._positions]),
            }
        return self._positions.record(step - self._first_position)

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
        sentence = self.sentence(len(self) - 1) if rows else self._estimated()
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
