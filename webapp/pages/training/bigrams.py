"""Word bigrams: pairs of words counted in sentences, then the best segmentation of a text, position by position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.models.bigrams import END, START
from webapp.core.traces.bigrams import BigramColumn, WordCandidate, columns, segmentation
from webapp.core.trainers.bigrams import train
from webapp.pages.training.request import TrainingRequest
from webapp.pages.training.rounds_table import RoundColumn, RoundRow, RoundsTable
from webapp.pages.walkthrough.cells import StepCell, cell, quotable
from webapp.rendering.markup import shown_piece
from webapp.tokenization.messages import joined
from webapp.web.localization import number

SHOWN = 40  # rows of a table


@dataclass(frozen=True, kw_only=True)
class BigramRow:
    """A word that ends at a position, after one of the words before it."""

    best: bool  # whether this is the best predecessor of the word
    word: str
    previous: str
    count: int  # of the pair
    beginnings: int  # how often `previous` is followed by anything
    kinds: int  # different words
    score: str  # log-probability of the word after `previous`
    before: str  # the sum before this word
    total: str  # both


@dataclass(frozen=True, kw_only=True)
class BigramPart:
    """The data of `training/_bigrams.html`: the counted pairs, a position of the text, or the final words."""

    counted: Sequence[tuple[str, str, int]] | None = None  # first step: a word, the next word, their count
    cells: Sequence[StepCell] | None = None  # last step: the words
    text: Sequence[StepCell] = ()  # before and after the position
    rows: Sequence[BigramRow] = ()  # the words that end there, most likely first; last step: those of the best path
    more: int = 0  # rows that are not shown
    path: Sequence[str] = ()  # the best segmentation up to the position
    words: Sequence[str] = ()  # first step: the different words
    more_words: int = 0


class BigramWalkthrough:
    """Step 0 shows the counts; then comes a step for each position, the end of the sentence, and the words."""

    template = "training/_bigrams.html"

    def __init__(self, asked: TrainingRequest) -> None:
        self._text = asked.text_to_encode
        self._bigrams = train(line.split() for line in asked.corpus.splitlines() if line.strip())

    def __len__(self) -> int:
        return len(self._columns) + 2 if self._text else 1

    @cached_property
    def ids(self) -> Sequence[int]:
        """The numbers of the words, in the order of their first occurrence; unknown words share the next number."""
        return [self._id(word) for word in self._words]

    def step_of(self, token: int) -> int:
        """The step of the position where a word ends."""
        return len("".join(self._words[: token + 1]))

    def sentence(self, step: int) -> str:
        """What happened and why."""
        if step == 0:
            return self._counted()
        if step == len(self) - 1:
            return joined(
                [
                    ngettext("The text is one word.", "The text is split into %(num)s words.", len(self._words)),
                    _(
                        "The words are found backwards from the end: each winner names the word before it. The natural "
                        "logarithm of the probability of the segmentation is %(sum)s.",
                        sum=_figure(self._winner(self._columns[-1]).total),
                    ),
                ]
            )
        return self._place(self._columns[step - 1])

    def part(self, step: int) -> BigramPart:
        """The data for the template."""
        if step == 0:
            pairs = self._bigrams.pairs.most_common()
            counted = [(_word(a), _word(b), count) for (a, b), count in pairs[:SHOWN]]
            words = self._bigrams.words
            return BigramPart(
                counted=counted,
                more=len(pairs[SHOWN:]),
                words=[shown_piece(word) for word in words[:SHOWN]],
                more_words=len(words[SHOWN:]),
            )
        column = self._columns[min(step, len(self._columns)) - 1]
        path = self._path(column)
        path_words = [found.word for place, at in path if (found := place.candidates[at]).word != END]
        if step == len(self) - 1:
            cells = [self._cell(word) for word in self._words]
            return BigramPart(
                cells=cells, rows=[self._row(*place) for place in path], path=[shown_piece(word) for word in path_words]
            )
        rows = sorted(range(len(column.candidates)), key=lambda at: -column.candidates[at].total)
        return BigramPart(
            text=self._text_cells(column.end),
            rows=[self._row(column, at) for at in rows[:SHOWN]],
            more=len(rows[SHOWN:]),
            path=[shown_piece(word) for word in path_words],
        )

    def record(self, step: int) -> dict[str, Any]:
        """The step as plain values."""
        if step == 0:
            return {"pairs": [[*pair, count] for pair, count in self._bigrams.pairs.most_common()]}
        if step == len(self) - 1:
            return {"words": self._words, "sum": self._winner(self._columns[-1]).total}
        column = self._columns[step - 1]
        return {
            "end": column.end,
            "candidates": [
                {
                    "word": candidate.word,
                    "previous": candidate.previous,
                    "start": candidate.start,
                    "log_probability": candidate.score,
                    "sum": candidate.total,
                    "best": at in column.best,
                }
                for at, candidate in enumerate(column.candidates)
            ],
        }

    def rounds_table(self) -> RoundsTable:
        """Each position: the words that end there, with their best predecessors."""
        columns = [
            RoundColumn(_("Position"), 0),
            RoundColumn(_("Word")),
            RoundColumn(_("Previous word")),
            RoundColumn(_("Probability")),
            RoundColumn(_("Logarithm"), 4),
            RoundColumn(_("Best sum before"), 4),
            RoundColumn(_("Sum"), 4),
        ]
        rows = []
        for step, column in enumerate(self._columns if self._text else (), start=1):
            for at in sorted(column.best, key=lambda at: -column.candidates[at].total):
                found, row = column.candidates[at], self._row(column, at)
                probability = f"({row.count} + 1) / ({row.beginnings} + {row.kinds})"
                cells = (column.end, row.word, row.previous, probability, found.score, found.before, found.total)
                rows.append(RoundRow(step, cells))
        sentence = self.sentence(len(self) - 1) if rows else self._counted()
        return RoundsTable(_("All positions"), sentence, columns, rows)

    @cached_property
    def _columns(self) -> list[BigramColumn]:
        return columns(self._bigrams, self._text)

    def _path(self, column: BigramColumn) -> list[tuple[BigramColumn, int]]:
        """The best path to a column: for each of its words the column and the index of the candidate."""
        at = max(column.best, key=lambda at: column.candidates[at].total)
        path = [(column, at)]
        while (found := column.candidates[at]).previous != START:
            column = self._columns[found.start - 1]
            at = next(at for at in column.best if column.candidates[at].word == found.previous)
            path.append((column, at))
        return path[::-1]

    @cached_property
    def _words(self) -> list[str]:
        return segmentation(self._columns) if self._text else []

    def _id(self, word: str) -> int:
        return self._bigrams.ids.get(word, len(self._bigrams.words))

    def _cell(self, word: str) -> StepCell:
        return cell(word, "done", "" if word in self._bigrams.ids else "unknown", id=self._id(word))

    def _text_cells(self, end: int) -> list[StepCell]:
        cells = [cell(self._text[:end], "word"), cell(self._text[end:], "rest")]
        return [one for one in cells if one.text]

    def _winner(self, column: BigramColumn) -> WordCandidate:
        return max((column.candidates[at] for at in column.best), key=lambda candidate: candidate.total)

    def _counted(self) -> str:
        return _(
            "The sentences contain %(words)s different words in %(pairs)s different pairs, including the beginning "
            "and the end of a sentence.",
            words=number(len(self._bigrams.words)),
            pairs=number(len(self._bigrams.pairs)),
        )

    def _place(self, column: BigramColumn) -> str:
        winner = self._winner(column)
        if winner.word == END:
            return _(
                "The end of the sentence. It is most likely after “%(word)s”: %(sum)s in total.",
                word=quotable(_word(winner.previous)),
                sum=_figure(winner.total),
            )
        return _(
            "Position %(end)s. Words that end here: %(words)s. For each, only the best predecessor is kept; the best "
            "of all is “%(word)s” after “%(previous)s”, with %(sum)s.",
            end=number(column.end),
            words=number(len(column.best)),
            word=quotable(winner.word),
            previous=quotable(_word(winner.previous)),
            sum=_figure(winner.total),
        )

    def _row(self, column: BigramColumn, at: int) -> BigramRow:
        candidate = column.candidates[at]
        return BigramRow(
            best=at in column.best,
            word=_word(candidate.word),
            previous=_word(candidate.previous),
            count=self._bigrams.count(candidate.previous, candidate.word),
            beginnings=self._bigrams.context_count(candidate.previous),
            kinds=self._bigrams.vocabulary_size,
            score=_figure(candidate.score),
            before=_figure(candidate.before),
            total=_figure(candidate.total),
        )


def _word(word: str) -> str:
    """A word, or a name for the beginning or the end of a sentence."""
    return {START: _("the beginning"), END: _("the end")}.get(word, word)


def _figure(value: float) -> str:
    """A logarithm, with a typographic minus sign."""
    return number(value, 2).replace("-", "−")
