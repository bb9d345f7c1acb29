"""What the page of an n-gram vocabulary shows: its orders, the most frequent n-grams, the neighbours of a word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from flask_babel import gettext as _

from webapp.core.analysis.ngram_portrait import NGramPortrait, following, portrait_of, preceding
from webapp.core.models import Model
from webapp.core.models.ngram import NGram
from webapp.pages.walkthrough.ngram_probabilities import (
    Parameter,
    context_text,
    parameters_of,
    probability_text,
    smoothing_name,
    smoothing_sentence,
    word_text,
)

SHOWN = 20  # n-grams of each order
NEIGHBOURS = 50  # words before and after a word
LONGEST_WORD = 64  # characters of a search

_portraits: WeakKeyDictionary[NGram, NGramPortrait] = WeakKeyDictionary()


@dataclass(frozen=True)
class FrequentNGram:
    """An n-gram with its count, and the length of its bar in percent of the most frequent one."""

    words: str
    count: int
    percent: float


@dataclass(frozen=True)
class NGramOrder:
    """The n-grams of an order."""

    order: int
    title: str
    size: int
    frequent: Sequence[FrequentNGram]


@dataclass(frozen=True)
class Neighbour:
    """A word before or after another, how often, and with which probability the second follows the first."""

    word: str
    count: int
    probability: str
    query: str  # the word to search next; empty for the beginning and the end of a sentence
    percent: float


@dataclass(frozen=True)
class Neighbours:
    """The words after and before a word; `after` and `before` are at most `NEIGHBOURS` of all."""

    word: str
    known: bool
    count: int
    after: Sequence[Neighbour]
    after_total: int
    before: Sequence[Neighbour]
    before_total: int


@dataclass(frozen=True)
class NGramPage:
    """The values for `vocabularies/_ngrams.html`."""

    orders: Sequence[NGramOrder]
    sentences: int
    tokens: int
    size: int  # V
    order: int
    smoothing: str
    about: str
    parameters: Sequence[Parameter]


def ngram_page(model: Model) -> NGramPage | None:
    """The values for the page of an n-gram model; None for another model."""
    if not isinstance(model, NGram):
        return None
    portrait = _portrait(model)
    titles = {1: _("Words"), 2: _("Pairs"), 3: _("Triples")}
    return NGramPage(
        orders=[
            NGramOrder(order, titles[order], size, _lines(portrait, order))
            for order, size in enumerate(portrait.sizes, start=1)
        ],
        sentences=portrait.sentences,
        tokens=portrait.tokens,
        size=model.vocabulary_size,
        order=model.order,
        smoothing=smoothing_name(model.smoothing),
        about=smoothing_sentence(model),
        parameters=parameters_of(model),
    )


def neighbours_of(model: NGram, word: str) -> Neighbours:
    """The words after and before a word."""
    counts = model.counts
    known = word in counts.ids
    after, after_total = following(counts, word, NEIGHBOURS) if known else ([], 0)
    before, before_total = preceding(counts, word, NEIGHBOURS)
    return Neighbours(
        word=word,
        known=known,
        count=counts.count(word) if known else 0,
        after=[
            _neighbour(model, other, count, after[0][1], model.probability(other, [word])) for other, count in after
        ],
        after_total=after_total,
        before=[
            _neighbour(model, other, count, before[0][1], model.probability(word, [other])) for other, count in before
        ],
        before_total=before_total,
    )


def _portrait(model: NGram) -> NGramPortrait:
    """The portrait of a model, cached as long as the model exists."""
    found = _portraits.get(model)
    if found is None:
        found = _portraits[model] = portrait_of(model, SHOWN)
    return found


def _lines(portrait: NGramPortrait, order: int) -> list[FrequentNGram]:
    found = portrait.frequent[order - 1]
    greatest = found[0][1] if found else 1
    return [FrequentNGram(context_text(words), count, round(100 * count / greatest, 2)) for words, count in found]


def _neighbour(model: NGram, word: str, count: int, greatest: int, probability: float) -> Neighbour:
    query = word if word in model.counts.ids else ""
    return Neighbour(word_text(word), count, probability_text(probability), query, round(100 * count / greatest, 2))
