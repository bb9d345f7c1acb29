"""The counts of n-grams as the page shows them: sentence by sentence, and as probabilities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import END, START
from webapp.pages.training.rows import WordSymbol
from webapp.pages.walkthrough.ngram_probabilities import (
    Parameter,
    context_text,
    origin_of,
    parameters_of,
    smoothing_name,
    smoothing_sentence,
    word_text,
)

MOST_STEPS = 12  # of counting; with more sentences, each step counts several
SHOWN = 40  # rows of a table
MOST_IN_MATRIX = 9  # words; more do not fit next to each other

Sentence = tuple[str, ...]
Window = tuple[str, ...]


@dataclass(frozen=True)
class MatrixCell:
    """A count; `now` if the step raised it."""

    count: int
    now: bool


@dataclass(frozen=True)
class CountMatrix:
    """How often each word follows each other word, as in textbooks: a row for each word before."""

    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[MatrixCell], int]]  # the word before, the counts, their sum


@dataclass(frozen=True)
class CountLine:
    """An n-gram and its count so far; `added` of them come from the sentences of the step."""

    context: str
    word: str
    count: int
    added: int


@dataclass(frozen=True, kw_only=True)
class CountingPart:
    """The values for `training/_ngrams.html`: some sentences that are counted."""

    view: ClassVar = "count"
    order: int
    sentences: Sequence[Sequence[WordSymbol]]  # with the marks of their beginning and end
    lines: Sequence[CountLine]  # those of the step first, then the most frequent
    more: int
    matrix: CountMatrix | None  # if it is small enough, and for pairs
    words: Sequence[WordSymbol]  # the different words so far
    more_words: int


@dataclass(frozen=True)
class EstimateLine:
    """An n-gram with its probability."""

    context: str
    word: str
    count: int
    formula: str
    probability: str


@dataclass(frozen=True, kw_only=True)
class NGramEstimatePart:
    """The values for `training/_ngrams.html`: the probabilities of the n-grams."""

    view: ClassVar = "estimate"
    order: int
    lines: Sequence[EstimateLine]
    more: int
    matrix: CountMatrix | None
    method: str  # the name of the smoothing
    about: str  # what it does
    parameters: Sequence[Parameter]  # of the smoothing: discounts or weights, with the counts that they come from


def batches(sentences: Sequence[Sentence]) -> list[Sequence[Sentence]]:
    """The sentences in at most `MOST_STEPS` batches of nearly equal length.

    >>> [len(batch) for batch in batches([("a",)] * 30)]
    [2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3]
    """
    count = min(len(sentences), MOST_STEPS)
    ends = [len(sentences) * at // count for at in range(count + 1)] if count else [0]
    return [sentences[start:end] for start, end in pairwise(ends)]


def windows(sentence: Sentence, order: int) -> list[Window]:
    """The n-grams of a sentence, its end and its beginning included; the first of three has only two words.

    >>> [tuple(map(str, window)) for window in windows(("a", "b"), 3)]
    [('<s>', 'a'), ('<s>', 'a', 'b'), ('a', 'b', '</s>')]
    """
    marked = (START, *sentence, END)
    return [marked[max(0, at - order + 1) : at + 1] for at in range(1, len(marked))]


def counting_part(found: Sequence[Sequence[Sentence]], step: int, order: int) -> CountingPart:
    """The counts after a step."""
    added = Counter(window for sentence in found[step] for window in windows(sentence, order))
    counts = Counter(window for batch in found[: step + 1] for sentence in batch for window in windows(sentence, order))
    ranked = sorted(counts, key=lambda window: (window not in added, -counts[window]))
    words = dict.fromkeys(word for batch in found[: step + 1] for sentence in batch for word in sentence)
    earlier = {word for batch in found[:step] for sentence in batch for word in sentence}
    return CountingPart(
        order=order,
        sentences=[
            [WordSymbol(word_text(word)) for word in ((START, *sentence, END) if order > 1 else (*sentence, END))]
            for sentence in found[step]
        ],
        lines=[
            CountLine(context_text(window[:-1]), word_text(window[-1]), counts[window], added[window])
            for window in ranked[:SHOWN]
        ],
        more=len(ranked[SHOWN:]),
        matrix=_matrix(counts, list(words), added) if order == 2 else None,
        words=[WordSymbol(word_text(word), word not in earlier) for word in list(words)[:SHOWN]],
        more_words=len(words) - len(list(words)[:SHOWN]),
    )


def estimate_part(model: NGram) -> NGramEstimatePart:
    """The probabilities of the n-grams of the highest order, most frequent first."""
    counts = Counter({ngram: count for ngram, count in model.counts.ngrams(model.order) if ngram[-1] is not START})
    if model.order > 2:  # the first word of a sentence follows its beginning alone
        counts |= {ngram: count for ngram, count in model.counts.ngrams(2) if ngram[0] is START}
    lines = []
    for window, count in counts.most_common(SHOWN):
        origin = origin_of(model, window[-1], window[:-1])
        lines.append(
            EstimateLine(context_text(window[:-1]), word_text(window[-1]), count, origin.formula, origin.probability)
        )
    return NGramEstimatePart(
        order=model.order,
        lines=lines,
        more=len(counts) - len(lines),
        matrix=_matrix(counts, list(model.counts.words), Counter()) if model.order == 2 else None,
        parameters=parameters_of(model),
        method=smoothing_name(model.smoothing),
        about=smoothing_sentence(model),
    )


def _matrix(counts: Counter[Window], words: Sequence[str], added: Counter[Window]) -> CountMatrix | None:
    if len(words) > MOST_IN_MATRIX:
        return None
    rows = []
    for before in (START, *words):
        cells = [MatrixCell(counts[before, word], (before, word) in added) for word in (*words, END)]
        rows.append((word_text(before), cells, sum(one.count for one in cells)))
    return CountMatrix([word_text(word) for word in (*words, END)], rows)
