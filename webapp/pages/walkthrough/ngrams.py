"""The steps of word n-grams on a text: each position of each sentence, and the words with the product at the end.

The lattice has an arc for each word, with the probability after the best words before it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import exp, inf
from typing import Any

from flask_babel import gettext as _

from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import END
from webapp.core.models.smoothing import AddK
from webapp.core.traces import ngram as traces
from webapp.core.traces.pretokens import AddedFound
from webapp.pages.walkthrough import ngram_probabilities
from webapp.pages.walkthrough.cells import StepCell, WordSteps, cell, final_cells, power, pretokens, quotable
from webapp.pages.walkthrough.engine import Frame, Walkthrough, say
from webapp.pages.walkthrough.lattice_drawing import LatticeArc, LatticeDrawing, draw, first_drawings
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.figure import Figure, side_by_side
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.result import Result
from webapp.web.json_responses import well_formed
from webapp.web.localization import number

SHOWN = 40  # rows of a table
MOST_CANDIDATES = 20_000
"""The limit for all sentences of a text: trigrams over a large dictionary can have many candidates at a position."""
MOST_DRAWN = 2_000  # candidates of the sentences that the last step draws
MOST_FACTORS = 12  # of a product that is written out
MOST_SENTENCES = 10  # whose next best segmentations are listed
LN_10 = 2.302585092994046


@dataclass(frozen=True)
class NGramRow:
    """A word that ends at position `end` of the text, and where its probability comes from; `kept` as the best."""

    end: int
    candidate: traces.WordCandidate
    origin: ngram_probabilities.Origin
    kept: bool


class NGramPositions:
    """The tables of the sentences of a text. Steps are numbered from 0, over all sentences."""

    def __init__(self, model: NGram, text: str, at: int = 0) -> None:
        self.model = model
        self.text = text
        self.at = at  # where the text begins in that of the page
        self.sentences: Sequence[traces.SentenceTrace] = traces.sentence_traces(model, text)
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
    def paths(self) -> list[list[traces.WordCandidate]]:
        """The best path of each sentence, with its end."""
        return [traces.best_path(sentence.columns) for sentence in self.sentences]

    def made(self) -> list[int]:
        """The step of each token: where it ends, white space included."""
        ends = [
            sentence.start + sentence.columns[index].end if index < len(sentence.columns) - 1 else -1
            for sentence, index in self._steps
        ]
        last = max(0, len(ends) - 1)
        return [
            next((step for step, end in enumerate(ends) if end >= position), last)
            for _id, _start, position in self.model.segment(self.text)
        ]

    def frame(self, template: str, step: int) -> Frame:
        """A position that is being filled."""
        sentence, index = self._steps[step]
        column = sentence.columns[index]
        drawing = partial(self.draw, sentence, index + 1)
        begin = sentence.start + self.at
        record = {
            "kind": "position",
            "sentence": [begin, sentence.end + self.at],
            "end": column.end + begin,
            "candidates": [
                _candidate_json(self.model, one, begin, kept=at in column.best)
                for at, one in enumerate(column.candidates)
            ],
        }

        def values() -> dict[str, Any]:
            rows = self.rows(step)
            kept = [row for row in rows if row.kept]
            end = sentence.start + column.end
            cells = [cell(self.text[:end], "word"), cell(self.text[end:], "rest")]
            return {
                "text": [one for one in cells if one.text],  # before and after the position
                "drawing": drawing(),
                # The words that end there, most likely first.
                "rows": rows[:SHOWN],
                "more": len(rows[SHOWN:]),
                "path": [one for one in traces.best_path(sentence.columns[: index + 1]) if one.word is not END],
                "origin": kept[0].origin,
                "others": [row.origin for row in kept[1:SHOWN]],
                "at_end": kept[0].candidate.word is END,
            }

        return Frame(template, _sentence(sentence, column), record, values, lambda: drawing().figure)

    def rows(self, step: int) -> list[NGramRow]:
        """The candidates of a step, the best first."""
        sentence, index = self._steps[step]
        column = sentence.columns[index]
        begin, origin_of = sentence.start + self.at, partial(ngram_probabilities.origin_of, self.model)
        found = [(one, at in column.best) for at, one in enumerate(column.candidates)]
        found.sort(key=lambda each: -each[0].total)
        return [NGramRow(begin + one.end, one, origin_of(one.word, one.context), kept) for one, kept in found]

    def draw(self, sentence: traces.SentenceTrace, filled: int, *, ended: bool = False) -> LatticeDrawing:
        """Draw a sentence whose table is filled up to column `filled`, counted from 1; 0 draws the words alone."""
        path = [one for one in traces.best_path(sentence.columns[:filled]) if one.word is not END]
        words: dict[tuple[int, int], traces.WordCandidate] = {}
        for column in sentence.columns[:-1]:
            for one in sorted(column.candidates, key=lambda one: one.total):
                words[one.start, one.end] = one
        words |= {(one.start, one.end): one for one in path}
        arcs = {span: self._arc(one) for span, one in words.items()}
        best = {}
        for column in sentence.columns[:-1][:filled]:
            if column.best:
                winner = _winner(column)
                best[column.end] = arcs[winner.start, winner.end], winner.total
        return draw(
            sentence.text,
            list(arcs.values()),
            best,
            path=[arcs[one.start, one.end] for one in path],
            here=sentence.columns[filled - 1].end if filled and not ended else None,
            whole=ended,
            title=_(
                "The words of “%(text)s” and the probabilities of each after another.", text=quotable(sentence.text)
            ),
            formula=_product(self.model, traces.best_path(sentence.columns)) if ended else "",
        )

    def _arc(self, one: traces.WordCandidate) -> LatticeArc:
        probability = ngram_probabilities.short_probability(self.model, one)
        title = f"P({one.word} | {' '.join(one.context)}) = {probability}"
        return LatticeArc(one.start, one.end, one.word, one.known, (probability,), shown_piece(title))


def walkthrough(result: Result, model: NGram, n: int) -> Walkthrough:
    """The steps of an n-gram model on the sentences of a result, with the `n` best segmentations of each.

    Raises InputProblem for a text whose table is too large.
    """
    steps = WordSteps("steps/_ngram.html")
    every: list[NGramPositions] = []
    for found in pretokens(result):
        if isinstance(found, AddedFound):
            steps.add_token(found)
            continue
        positions = NGramPositions(model, found.text, sum(len(one.text) for one in every))
        every.append(positions)
        frames = [partial(positions.frame, "steps/_ngram.html", step) for step in range(len(positions))]
        steps.add(found.text, (), frames, positions.made())
    if sum(one.candidates for one in every) > MOST_CANDIDATES:
        message = _(
            "The table of this text has more than %(most)s rows with this vocabulary. Shorten the text.",
            most=number(MOST_CANDIDATES),
        )
        raise InputProblem(message, 413)
    shown = steps.walkthrough(result.encoding.ids, lambda: ended("steps/_ngram.html", every, final_cells(result), n))
    shown.rows = partial(table_of, every)
    return shown


def table_of(found: Sequence[NGramPositions]) -> list[list[object]]:
    """All candidates of all positions as rows, the best first in each, after a row of headings."""
    head: list[object] = [_("Sentence"), _("Position"), _("Word"), _("Previous words"), _("Formula")]
    head += [_("Probability"), _("Logarithm"), _("Best sum before"), _("Sum"), _("Kept")]
    rows = [head]
    for positions in found:
        numbers = {id(sentence): place for place, sentence in enumerate(positions.sentences, 1)}
        for step, (sentence, _index) in enumerate(positions._steps):
            for row in positions.rows(step):
                one, origin = row.candidate, row.origin
                words = [numbers[id(sentence)], row.end, origin.word, origin.context, origin.formula]
                rows.append([*words, exp(one.score), one.score, one.before, one.total, int(row.kept)])
    return rows


def ended(template: str, found: Sequence[NGramPositions], cells: Sequence[StepCell], n: int = 5) -> Frame:
    """The last step: the words, the product of their probabilities, and the next best segmentations."""
    sentences = [
        (one, sentence, path) for one in found for sentence, path in zip(one.sentences, one.paths, strict=True)
    ]
    words = [(one.model, candidate) for one, _sentence, path in sentences for candidate in path]

    def drawings() -> list[LatticeDrawing]:
        """The lattices of the first sentences, as long as they have at most `MOST_DRAWN` candidates together."""
        sizes = [sum(len(column.candidates) for column in sentence.columns) for _one, sentence, _path in sentences]

        def drawn(at: int) -> LatticeDrawing:
            one, sentence, _path = sentences[at]
            return one.draw(sentence, len(sentence.columns), ended=True)

        return first_drawings(sizes, MOST_DRAWN, drawn)

    def values() -> dict[str, Any]:
        drawn = drawings()
        return {
            "ended": True,
            "cells": cells,
            "drawings": drawn,
            "more_drawings": len(sentences) - len(drawn),
            # The words of the best path, with the ends of the sentences.
            "rows": [
                NGramRow(one.end, one, ngram_probabilities.origin_of(model, one.word, one.context), True)
                for model, one in words
            ],
            "sentences": [
                {"text": sentence.text, "product": _product(one.model, path), "best": _ranked(one.model, sentence, n)}
                for one, sentence, path in sentences[:MOST_SENTENCES]
            ],
            "more_sentences": len(sentences[MOST_SENTENCES:]),
        }

    def picture() -> Figure | None:
        return side_by_side([drawing.figure for drawing in drawings()], width=1600) if sentences else None

    record = {
        "kind": "tokens",
        "sum": sum(candidate.score for _model, candidate in words),
        "sentences": [
            {
                "words": [well_formed(word) for word in sentence.words],
                "n_best": list(map(_best_json, traces.n_best(one.model, sentence.text, n))),
            }
            for one, sentence, _path in sentences
        ],
    }
    return Frame(template, end_sentence(found), record, values, picture)


def end_sentence(found: Sequence[NGramPositions]) -> str:
    """The sentence of the last step."""
    paths = [path for positions in found for path in positions.paths]
    count = sum(len(path) - 1 for path in paths)
    total = sum(candidate.score for path in paths for candidate in path)
    return say("ngram", "ended", count=count, total=total)


def _best_json(best: traces.WordSegmentation) -> dict[str, Any]:
    return {"words": list(map(well_formed, best.words)), "log_probability": best.score, "share": best.probability}


def _winner(column: traces.WordColumn) -> traces.WordCandidate:
    return max((column.candidates[at] for at in column.best), key=lambda candidate: candidate.total)


def _candidate_json(model: NGram, candidate: traces.WordCandidate, start: int, *, kept: bool) -> dict[str, Any]:
    """A candidate as JSON values, with the parts of its probability."""
    parts = ("order", "count", "total", "weight", "share", "probability")
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
        "contributions": [
            {name: getattr(part, name) for name in parts}
            for part in model.contributions(candidate.word, candidate.context)
        ],
    }


def _sentence(sentence: traces.SentenceTrace, column: traces.WordColumn) -> str:
    """What happened at a position and why."""
    winner = _winner(column)
    last = winner.word is END
    context = winner.context[-1:] if last else winner.context
    return say(
        "ngram",
        "position",
        end=column.end + sentence.start,
        winner=winner,
        words=len({candidate.start for candidate in column.candidates}),
        candidates=len(column.candidates),
        last=last,
        context=ngram_probabilities.context_text(context) if context else "",
    )


def _ranked(model: NGram, sentence: traces.SentenceTrace, n: int) -> list[dict[str, Any]]:
    """The best segmentations of a sentence, each with the length of its bar in percent."""
    found: Sequence[traces.WordSegmentation] = traces.n_best(model, sentence.text, n)
    greatest = found[0].probability if found else 1.0
    counts = model.counts

    def piece(word: str) -> StepCell:
        return StepCell(ngram_probabilities.word_text(word), "unknown" * (counts.number(word) == counts.unknown))

    return [
        {
            "pieces": list(map(piece, one.words)),
            "found": one,
            "product": _probability(one.score),
            "bar": round(100 * one.probability / (greatest or 1.0), 2),
            "best": place == 0,
        }
        for place, one in enumerate(found)
    ]


def _product(model: NGram, path: Sequence[traces.WordCandidate]) -> str:
    """The probability of a path as a product; empty for a long path."""
    if len(path) > MOST_FACTORS:
        return ""
    shorts = [(ngram_probabilities.short_probability(model, one), one) for one in path]
    factors = " · ".join(
        short if "/" in short else ngram_probabilities.probability_text(exp(one.score)) for short, one in shorts
    )
    total = sum(one.score for one in path)
    inverse = exp(-total) if total > -16 else 0.5
    if isinstance(model.smoothing, AddK) and abs(inverse - round(inverse)) < 1e-6:
        return f"{factors} = 1/{number(round(inverse))}"
    return f"{factors} = {_probability(total)}"


def _probability(score: float) -> str:
    return ngram_probabilities.probability_text(exp(score)) if score > -650 or score == -inf else power(score / LN_10)
