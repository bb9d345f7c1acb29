"""The steps of word n-grams on a text: each position of each sentence, and the end of the sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from math import exp
from typing import Any

from flask_babel import gettext as _

from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import END
from webapp.core.traces.ngram import SentenceTrace, WordCandidate, WordColumn, best_path, sentence_traces
from webapp.pages.walkthrough.cells import StepCell, cell, format_log_probability, quotable
from webapp.pages.walkthrough.engine import Frame
from webapp.pages.walkthrough.lattice_drawing import LatticeDrawing
from webapp.pages.walkthrough.ngram_lattice import draw, legend
from webapp.pages.walkthrough.ngram_probabilities import (
    NGramRow,
    context_text,
    origin_of,
    row_of,
    short_probability,
    word_text,
)
from webapp.rendering.pictures.figure import Figure
from webapp.serializers.json import well_formed
from webapp.tokenization.messages import joined
from webapp.web.localization import number

SHOWN = 40  # rows of a table
MOST_CANDIDATES = 20_000
"""The limit for all sentences of a text: trigrams over a large dictionary can have many candidates at a position."""


class NGramPositions:
    """The tables of the sentences of a text. Steps are numbered from 0, over all sentences."""

    def __init__(self, model: NGram, text: str, at: int = 0) -> None:
        self.model = model
        self.text = text
        self.at = at  # where the text begins in that of the page
        self.sentences: Sequence[SentenceTrace] = sentence_traces(model, text)
        self._steps = [
            (sentence, index)
            for sentence in self.sentences
            for index, column in enumerate(sentence.columns)
            if column.candidates
        ]

    def __len__(self) -> int:
        return len(self._steps)

    @property
    def candidates(self) -> int:
        """How many rows the tables have."""
        return sum(len(column.candidates) for sentence in self.sentences for column in sentence.columns)

    @cached_property
    def token_ends(self) -> list[int]:
        """Where the tokens of the text end, white space included."""
        return [end for _id, _start, end in self.model.segment(self.text)]

    @cached_property
    def paths(self) -> list[list[WordCandidate]]:
        """The best path of each sentence, with its end."""
        return [best_path(sentence.columns) for sentence in self.sentences]

    def step_of(self, position: int) -> int:
        """The step of the position in the text at which a word ends."""
        found = (
            step
            for step, (sentence, index) in enumerate(self._steps)
            if sentence.columns[index].end + sentence.start >= position and index < len(sentence.columns) - 1
        )
        return next(found, max(0, len(self._steps) - 1))

    def frame(self, template: str, step: int) -> Frame:
        """A position that is being filled."""
        sentence, index = self._steps[step]
        column = sentence.columns[index]
        drawing = partial(self._draw, sentence, index + 1, best_path(sentence.columns[: index + 1]))
        record = {
            "kind": "position",
            "sentence": [sentence.start + self.at, sentence.end + self.at],
            "end": column.end + sentence.start + self.at,
            "candidates": [
                candidate_json(self.model, candidate, sentence.start + self.at, kept=at in column.best)
                for at, candidate in enumerate(column.candidates)
            ],
        }
        return Frame(
            template,
            _sentence(sentence, column),
            record,
            lambda: self._values(sentence, index, drawing()),
            lambda: drawing().figure,
        )

    def _values(self, sentence: SentenceTrace, index: int, drawing: LatticeDrawing) -> dict[str, Any]:
        """The values of `walkthrough/_ngram.html` for a position."""
        column = sentence.columns[index]
        order = sorted(range(len(column.candidates)), key=lambda at: -column.candidates[at].total)
        kept = [column.candidates[at] for at in order if at in column.best]
        end = sentence.start + column.end
        cells = [cell(self.text[:end], "word"), cell(self.text[end:], "rest")]
        path = best_path(sentence.columns[: index + 1])
        return {
            "view": "position",
            "text": [one for one in cells if one.text],  # before and after the position
            "drawing": drawing,
            "legend": legend([drawing], ended=False),
            # The words that end there, most likely first.
            "rows": [row_of(self.model, column.candidates[at], kept=at in column.best) for at in order[:SHOWN]],
            "more": len(order[SHOWN:]),
            "path": [
                StepCell(word_text(one.word), "" if one.known else "unknown") for one in path if one.word is not END
            ],
            "origin": origin_of(self.model, kept[0].word, kept[0].context),
            "others": [origin_of(self.model, one.word, one.context) for one in kept[1:SHOWN]],
            "at_end": kept[0].word is END,
        }

    def unfilled(self) -> Figure | None:
        """The words of the first sentence, before any position is filled."""
        return self._draw(self.sentences[0], 0, ()).figure if self.sentences else None

    def final_drawings(self, most: int) -> list[LatticeDrawing]:
        """The first sentences with their best paths, as long as they have at most `most` candidates together."""
        drawings: list[LatticeDrawing] = []
        candidates = 0
        for sentence, path in zip(self.sentences, self.paths, strict=True):
            candidates += sum(len(column.candidates) for column in sentence.columns)
            if drawings and candidates > most:
                break
            drawings.append(self._draw(sentence, len(sentence.columns), path, ended=True))
        return drawings

    def table(self) -> list[list[object]]:
        """All candidates of all positions as rows, the best first in each."""
        rows: list[list[object]] = []
        for number_, sentence in enumerate(self.sentences, start=1):
            for column in sentence.columns:
                for at in sorted(range(len(column.candidates)), key=lambda at: -column.candidates[at].total):
                    one = column.candidates[at]
                    row = row_of(self.model, one, kept=at in column.best)
                    rows.append(
                        [
                            number_,
                            column.end + sentence.start + self.at,
                            row.word,
                            row.context,
                            row.formula,
                            exp(one.score),
                            one.score,
                            one.before,
                            one.total,
                            int(at in column.best),
                        ]
                    )
        return rows

    def kept_rows(self, step: int) -> list[NGramRow]:
        """The candidates of a step that are kept, the best first."""
        sentence, index = self._steps[step]
        column = sentence.columns[index]
        kept = sorted((column.candidates[at] for at in column.best), key=lambda one: -one.total)
        return [row_of(self.model, one, end=sentence.start + self.at + one.end, kept=True) for one in kept]

    def _draw(
        self, sentence: SentenceTrace, filled: int, path: Sequence[WordCandidate], *, ended: bool = False
    ) -> LatticeDrawing:
        return draw(
            sentence.text,
            sentence.columns,
            filled=filled,
            path=path,
            label_of=lambda one: short_probability(self.model, one),
            title=_(
                "The words of “%(text)s” and the probabilities of each after another.", text=quotable(sentence.text)
            ),
            ended=ended,
        )


def table_head() -> list[object]:
    """The headings of `NGramPositions.table`."""
    return [
        _("Sentence"),
        _("Position"),
        _("Word"),
        _("Previous words"),
        _("Formula"),
        _("Probability"),
        _("Logarithm"),
        _("Best sum before"),
        _("Sum"),
        _("Kept"),
    ]


def candidate_json(model: NGram, candidate: WordCandidate, start: int, *, kept: bool) -> Mapping[str, Any]:
    """A candidate as JSON values, with the parts of its probability."""
    origin = origin_of(model, candidate.word, candidate.context)
    return {
        "word": well_formed(str(candidate.word)),
        "context": [well_formed(str(word)) for word in candidate.context],
        "start": candidate.start + start,
        "known": candidate.known,
        "probability": exp(candidate.score),
        "log_probability": candidate.score,
        "before": candidate.before,
        "sum": candidate.total,
        "best": kept,
        "contributions": origin.json(),
    }


def _sentence(sentence: SentenceTrace, column: WordColumn) -> str:
    """What happened at a position and why."""
    winner = max((column.candidates[at] for at in column.best), key=lambda candidate: candidate.total)
    total = format_log_probability(winner.total)
    if winner.word is END:
        return _(
            "The end of the sentence. Its best sum is %(sum)s, after “%(word)s”.",
            word=quotable(word_text(winner.context[-1])) if winner.context else "…",
            sum=total,
        )
    words = {
        "end": number(column.end + sentence.start),
        "count": number(len({candidate.start for candidate in column.candidates})),
        "word": quotable(winner.word),
        "context": quotable(context_text(winner.context)),
        "score": format_log_probability(winner.score),
        "before": format_log_probability(winner.before),
        "sum": total,
    }
    if len(column.candidates) == 1:
        first = _("Position %(end)s. Only “%(word)s” ends here.", **words)
    elif not winner.context:
        first = _("Position %(end)s. Words that end here: %(count)s. The best is “%(word)s”.", **words)
    else:
        first = _(
            "Position %(end)s. Words that end here: %(count)s. The best sum is that of “%(word)s” after “%(context)s”.",
            **words,
        )
    return joined([first, _("Sum before %(before)s, logarithm of the probability %(score)s: %(sum)s.", **words)])
