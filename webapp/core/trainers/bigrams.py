"""Train word bigrams: count how often each word follows another in segmented sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from webapp.core.models.bigrams import END, START, Bigrams


def train(sentences: Iterable[Sequence[str]]) -> Bigrams:
    """Return the bigrams of sentences, each a sequence of words.

    >>> bigrams = train([["人生", "如", "梦境"], ["人生", "如", "戏"]])
    >>> bigrams.words, bigrams.count("人生", "如"), bigrams.count("戏", END)
    (('人生', '如', '梦境', '戏'), 2, 1)
    """
    pairs: Counter[tuple[str, str]] = Counter()
    words: dict[str, None] = {}
    for sentence in sentences:
        words |= dict.fromkeys(sentence)
        pairs.update(pairwise((START, *sentence, END)))
    return Bigrams(pairs, tuple(words))
