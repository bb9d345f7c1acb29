"""The portrait of an n-gram model: how many n-grams it has, the most frequent ones, and the neighbours of a word."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest

from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import NGramCounts

CountedNGram = tuple[tuple[str, ...], int]


@dataclass(frozen=True)
class NGramPortrait:
    """`sizes` has the number of different n-grams of each order from 1, `frequent` the most frequent of each.

    `tokens` is the number of words that were counted, the ends of the `sentences` included.
    """

    sizes: tuple[int, ...]
    frequent: tuple[Sequence[CountedNGram], ...]
    sentences: int
    tokens: int


def portrait_of(model: NGram, most: int = 20) -> NGramPortrait:
    """Compute the portrait of a model, with the `most` frequent n-grams of each order.

    >>> from webapp.core.trainers.ngram import train
    >>> portrait = portrait_of(NGram(train([["a", "b"], ["a", "b"], ["a"]])), 1)
    >>> portrait.sizes, portrait.tokens, portrait.frequent[1][0][1]
    ((3, 4), 8, 3)
    """
    counts = model.counts
    return NGramPortrait(
        tuple(_size(counts, length) for length in range(1, counts.order + 1)),
        tuple(most_frequent(counts, length, most) for length in range(1, counts.order + 1)),
        counts.sentences,
        counts.context_count(),
    )


def most_frequent(counts: NGramCounts, length: int, most: int) -> list[CountedNGram]:
    """The most frequent n-grams of a length with their counts; the beginning of a sentence is no word.

    >>> from webapp.core.trainers.ngram import train
    >>> counts = train([["a", "b"], ["a"]])
    >>> [(tuple(map(str, words)), count) for words, count in most_frequent(counts, 2, 2)]
    [(('<s>', 'a'), 2), (('a', 'b'), 1)]
    """
    level = counts.levels[length - 1]
    places = (at for at in range(len(level.words)) if length > 1 or at != counts.start)
    best = nlargest(most, places, key=lambda at: (level.counts[at], -at))
    return [(_words_at(counts, length, at), level.counts[at]) for at in best if level.counts[at]]


def following(counts: NGramCounts, word: str, most: int) -> tuple[list[tuple[str, int]], int]:
    """The words that most often follow a word, with their counts, and how many different ones there are.

    >>> from webapp.core.trainers.ngram import train
    >>> following(train([["a", "b"], ["a", "b"], ["a", "c"]]), "a", 1)
    ([('b', 2)], 2)
    """
    found = counts.followers(word) if counts.order > 1 else []
    return nlargest(most, found, key=lambda one: one[1]), len(found)


def preceding(counts: NGramCounts, word: str, most: int) -> tuple[list[tuple[str, int]], int]:
    """The words that most often precede a word, with their counts, and how many different ones there are.

    >>> from webapp.core.trainers.ngram import train
    >>> preceding(train([["a", "b"], ["a", "b"], ["c", "b"]]), "b", 1)
    ([('a', 2)], 2)
    """
    if counts.order < 2:
        return [], 0
    level, number = counts.levels[1], counts.number(word)
    if word not in counts.ids:
        return [], 0
    places = [at for at, last in enumerate(level.words) if last == number]
    best = nlargest(most, places, key=lambda at: (level.counts[at], -at))
    return [(_words_at(counts, 2, at)[0], level.counts[at]) for at in best], len(places)


def _size(counts: NGramCounts, length: int) -> int:
    return counts.types_after() if length == 1 else len(counts.levels[length - 1].words)


def _words_at(counts: NGramCounts, length: int, at: int) -> tuple[str, ...]:
    """The words of the n-gram at a place of its level: its context is where its place falls among the beginnings."""
    words: list[str] = []
    for order in range(length, 0, -1):
        level = counts.levels[order - 1]
        words.append(counts.word(level.words[at]))
        at = bisect_right(level.begins, at) - 1
    return tuple(reversed(words))
