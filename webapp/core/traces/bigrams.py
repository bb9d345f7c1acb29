"""Segmentation by word bigrams, place by place: the words that may end there, and the best way up to each.

The dynamic programming is that of `viterbi`, but what is best after a place depends on the word that ends there, so
each of these keeps a best way of its own. The words are those of `Bigrams.segment`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from webapp.core.models.bigrams import END, START, Bigrams


@dataclass(frozen=True, slots=True)
class WordCandidate:
    """A word that ends at a place, behind one that ends where it begins.

    `before` is the best sum up to there, `score` the natural logarithm of the probability that the one word follows the
    other.
    """

    start: int
    previous: str
    word: str
    before: float
    score: float

    @property
    def total(self) -> float:
        """The sum behind the word."""
        return self.before + self.score


@dataclass(frozen=True, slots=True)
class BigramColumn:
    """All candidates that end at a place; `best` holds the place in `candidates` of the best one of each word."""

    end: int
    candidates: tuple[WordCandidate, ...]
    best: tuple[int, ...]


def columns(bigrams: Bigrams, text: str) -> list[BigramColumn]:
    """The table from left to right, a column for each place from 1 to the end of the text, and one for `</s>`.

    A character that is no word may stand by itself, as a word that was never counted. Of equal sums the one that was
    found first wins: that with the longer word, then with the best word before it.

    >>> from webapp.core.trainers.bigrams import train
    >>> bigrams = train([["a", "b"], ["ab"], ["ab"]])
    >>> [[candidate.word for candidate in column.candidates] for column in columns(bigrams, "ab")]
    [['a'], ['ab', 'b'], ['</s>', '</s>']]
    """
    table = [BigramColumn(0, (), ())]
    endings: list[list[tuple[str, float]]] = [[(START, 0.0)]]  # the words that end at a place, and the best sum of each
    for end in range(1, len(text) + 1):
        found = [
            WordCandidate(start, previous, word, before, log(bigrams.probability(previous, word)))
            for start, word in bigrams.words_ending(text, end)
            for previous, before in endings[start]
        ]
        table.append(_column(end, found))
        endings.append(_endings(table[-1]))
    last = [
        WordCandidate(len(text), previous, END, before, log(bigrams.probability(previous, END)))
        for previous, before in endings[-1]
    ]
    winner = max(range(len(last)), key=lambda at: last[at].total)
    return [*table[1:], BigramColumn(len(text), tuple(last), (winner,))]


def segmentation(table: Sequence[BigramColumn]) -> list[str]:
    """The words of the best way, read back from the last column.

    >>> from webapp.core.trainers.bigrams import train
    >>> sentences = ["人生 如 梦境", "人生 如 戏", "生如夏花", "梦境 如 人生"]
    >>> segmentation(columns(train(sentence.split() for sentence in sentences), "人生如梦境"))
    ['人生', '如', '梦境']
    """
    words: list[str] = []
    candidate = table[-1].candidates[table[-1].best[0]]
    while candidate.previous != START:
        word, end = candidate.previous, candidate.start
        words.append(word)
        column = table[end - 1]
        candidate = next(column.candidates[at] for at in column.best if column.candidates[at].word == word)
    return words[::-1]


def _column(end: int, found: Sequence[WordCandidate]) -> BigramColumn:
    best: dict[str, int] = {}
    for at, candidate in enumerate(found):
        held = best.get(candidate.word)
        if held is None or candidate.total > found[held].total:
            best[candidate.word] = at
    return BigramColumn(end, tuple(found), tuple(best.values()))


def _endings(column: BigramColumn) -> list[tuple[str, float]]:
    return [(column.candidates[at].word, column.candidates[at].total) for at in column.best]
