"""The last step of word n-grams: the words, the product of their probabilities, and the next best segmentations."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Any

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.models.ngram import NGram
from webapp.core.models.smoothing import AddK
from webapp.core.traces.ngram import SentenceTrace, WordCandidate, n_best
from webapp.pages.walkthrough.cells import StepCell, format_log_probability, percentage, power
from webapp.pages.walkthrough.lattice_drawing import LatticeDrawing
from webapp.pages.walkthrough.ngram_lattice import legend
from webapp.pages.walkthrough.ngram_positions import NGramPositions
from webapp.pages.walkthrough.ngram_probabilities import (
    origin_of,
    probability_text,
    row_of,
    short_probability,
    word_text,
)
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.figure import Figure, side_by_side
from webapp.serializers.json import well_formed
from webapp.tokenization.messages import joined
from webapp.web.localization import number

MAX_BEST = 20
USUAL_BEST = 5
MOST_DRAWN = 2_000  # candidates of the sentences that the last step draws
MOST_FACTORS = 12  # of a product that is written out
MOST_SENTENCES = 10  # whose next best segmentations are listed


def end_values(found: Sequence[NGramPositions], cells: Sequence[StepCell], n: int = USUAL_BEST) -> dict[str, Any]:
    """The values of `walkthrough/_ngram.html` for the result."""
    drawings = final_drawings(found)
    sentences = [(one, sentence) for one in found for sentence in one.sentences]
    paths = [(one, candidate) for one in found for path in one.paths for candidate in path]
    return {
        "view": "end",
        "cells": cells,
        "drawings": drawings,
        "more_drawings": len(sentences) - len(drawings),
        "legend": legend(drawings, ended=True),
        # The words of the best path, with the ends of the sentences.
        "rows": [row_of(one.model, candidate, kept=True) for one, candidate in paths],
        "origins": [origin_of(one.model, candidate.word, candidate.context) for one, candidate in paths],
        "sentences": [_ranked(one, sentence, n) for one, sentence in sentences[:MOST_SENTENCES]],
        "more_sentences": len(sentences[MOST_SENTENCES:]),
        "n": n,
    }


def final_drawings(found: Sequence[NGramPositions]) -> list[LatticeDrawing]:
    """The lattices of the first sentences."""
    return [drawing for positions in found for drawing in positions.final_drawings(MOST_DRAWN)]


def end_picture(found: Sequence[NGramPositions]) -> Figure | None:
    """The lattices of the first sentences as one picture."""
    drawings = final_drawings(found)
    return side_by_side([drawing.figure for drawing in drawings], width=1600) if drawings else None


def end_sentence(found: Sequence[NGramPositions]) -> str:
    """The sentence of the last step."""
    paths = [path for positions in found for path in positions.paths]
    count = sum(len(path) - 1 for path in paths)
    total = sum(candidate.score for path in paths for candidate in path)
    return joined(
        [
            ngettext("The text is one word.", "The text is split into %(num)s words.", count),
            _(
                "The words are found backwards from the end: each winner names the word before it. The natural "
                "logarithm of the probability of the segmentation is %(sum)s.",
                sum=format_log_probability(total),
            ),
        ]
    )


def end_json(found: Sequence[NGramPositions], n: int = USUAL_BEST) -> dict[str, Any]:
    """The result as JSON values."""
    return {
        "sum": sum(candidate.score for one in found for path in one.paths for candidate in path),
        "sentences": [
            {
                "words": [well_formed(word) for word in sentence.words],
                "n_best": [
                    {
                        "words": [well_formed(word) for word in one.words],
                        "log_probability": one.score,
                        "share": one.probability,
                    }
                    for one in n_best(positions.model, sentence.text, n)
                ],
            }
            for positions in found
            for sentence in positions.sentences
        ],
    }


def _ranked(positions: NGramPositions, sentence: SentenceTrace, n: int) -> dict[str, Any]:
    """The best segmentations of a sentence, and the product of the best one written out."""
    found = n_best(positions.model, sentence.text, n)
    greatest = found[0].probability if found else 1.0
    counts = positions.model.counts
    return {
        "text": shown_piece(sentence.text),
        "product": _product(positions, positions.paths[list(positions.sentences).index(sentence)]),
        "best": [
            {
                "words": [
                    StepCell(word_text(word), "" if counts.number(word) != counts.unknown else "unknown")
                    for word in one.words
                ],
                "sum": format_log_probability(one.score),
                "product": _probability(positions, one.score, add_one=False),
                "share": percentage(one.probability),
                "bar": round(100 * one.probability / (greatest or 1.0), 2),
                "best": place == 0,
            }
            for place, one in enumerate(found)
        ],
    }


def _product(positions: NGramPositions, path: Sequence[WordCandidate]) -> str:
    """The probability of a path as a product; empty for a long path."""
    if len(path) > MOST_FACTORS:
        return ""
    factors = " · ".join(_factor(positions.model, candidate) for candidate in path)
    total = sum(candidate.score for candidate in path)
    return f"{factors} = {_probability(positions, total, add_one=isinstance(positions.model.smoothing, AddK))}"


def _factor(model: NGram, candidate: WordCandidate) -> str:
    """The probability of a word: a fraction, if the picture shows one, or else as in the tables."""
    short = short_probability(model, candidate)
    return short if "/" in short else probability_text(exp(candidate.score))


def _probability(positions: NGramPositions, score: float, *, add_one: bool) -> str:
    """A probability, with add-one smoothing as 1/180 if it is such a fraction."""
    value = exp(score)
    if add_one and value and 1 / value < 1e7 and abs(1 / value - round(1 / value)) < 1e-6:
        return f"1/{number(round(1 / value))}"
    return probability_text(value) if score > -650 else power(score / 2.302585092994046)
