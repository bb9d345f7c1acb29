"""Scores in single precision, as SentencePiece stores them."""

from __future__ import annotations

from math import ceil, frexp

from webapp.core.expansion.result import ExpansionError
from webapp.core.models.sentencepiece_unigram import single
from webapp.core.vocabulary_error import Phrase

_MANTISSA = 24  # bits


def falling_scores(lowest: float, count: int) -> list[float]:
    """`count` scores below `lowest`, each below the one before; all differ in single precision.

    The step is 1, as in Llama 2, whose scores are −0, −1, −2 …; it is larger where single precision has no steps of 1.

    >>> falling_scores(-31741.0, 3), falling_scores(-2.5, 2), falling_scores(-1e9, 2)
    ([-31742.0, -31743.0, -31744.0], [-3.0, -4.0], [-1000000064.0, -1000000128.0])
    """
    first = min(0.0, float(ceil(lowest)))
    step = 1.0
    # One bit more than the lowest new score needs, so that steps are whole multiples of the distance of its numbers.
    while frexp(abs(first) + step * (count + 1))[1] - _MANTISSA > frexp(step)[1] - 1:
        step *= 2
    scores = [single(first - step * (at + 1)) for at in range(count)]
    if any(high <= low for high, low in zip([lowest, *scores], scores, strict=False)):
        raise ExpansionError("base", Phrase("the scores of the base are too low to add pieces below them"))
    return scores
