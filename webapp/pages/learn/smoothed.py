"""The counts of the four sentences and their smoothing with the parameters of the lessons.

The parameters are round, and single words are not smoothed, so that every figure can be checked by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import inf, prod

from flask_babel import gettext as _

from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import END, START
from webapp.core.models.smoothing import AbsoluteDiscounting, AddK, JelinekMercer, KneserNey
from webapp.core.trainers.ngram import train

SENTENCES = ("人生 如 梦境", "人生 如 戏", "生如夏花", "梦境 如 人生")
COUNTS = train(sentence.split() for sentence in SENTENCES)
WEIGHTS, DISCOUNTS = (1.0, 0.9), (0.0, 0.75)  # for single words, and for pairs
ADD_ONE = NGram(COUNTS, AddK())
JELINEK_MERCER = NGram(COUNTS, JelinekMercer(WEIGHTS))
ABSOLUTE_DISCOUNTING = NGram(COUNTS, AbsoluteDiscounting(DISCOUNTS))
KNESER_NEY = NGram(COUNTS, KneserNey(DISCOUNTS))

Share = Callable[[str, str], float]
"""The probability of a word after another one, which comes first."""


def counted(before: str, word: str) -> float:
    """The share of a pair without smoothing.

    >>> counted("人生", "如") == 2 / 3
    True
    """
    return COUNTS.count(before, word) / COUNTS.context_count(before)


def methods() -> list[tuple[str, Share]]:
    """The methods with their names, from none to Kneser–Ney."""
    models = (
        (_("add-one"), ADD_ONE),
        ("Jelinek–Mercer", JELINEK_MERCER),
        (_("absolute discounting"), ABSOLUTE_DISCOUNTING),
        ("Kneser–Ney", KNESER_NEY),
    )
    return [(_("counted"), counted), *((name, share_of(model)) for name, model in models)]


def share_of(model: NGram) -> Share:
    """The shares of a model.

    >>> round(share_of(KNESER_NEY)("人生", "如"), 9)
    0.5
    """
    return lambda before, word: model.probability(word, (before,))


def perplexity(words: Sequence[str], share: Share) -> float:
    """The inverse of the average factor of a sentence; infinite if one of them is zero.

    >>> round(perplexity(["戏", "如", "人生"], share_of(ADD_ONE)), 2), perplexity(["戏", "如", "人生"], counted)
    (6.14, inf)
    """
    factors = [share(before, word) for before, word in pairwise((START, *words, END))]
    product = prod(factors)
    return float(product ** (-1 / len(factors))) if product else inf
