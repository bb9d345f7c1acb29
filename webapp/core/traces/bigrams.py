"""Trace of word-bigram segmentation: for each position, the words that may end there and the best path to each.

The dynamic programming is that of `viterbi`, but the best continuation depends on the word that ends at a position, so
each of these words has its own best path. The result equals that of `Bigrams.segment`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from webapp.core.models.bigrams import END, START, Bigrams


@dataclass(frozen=True, slots=True)
class WordCandidate:
    """A word that ends at a position, after a previous word that ends where it begins.

    `before` is the best sum up to the previous word, `score` the natural logarithm of the probability that `word`
    follows it.
    """

    start: int
    previous: str
    word: str
    before: float
    score: float

    @property
    def total(self) -> float:
        """The sum after the word."""
        return self.before + self.score


@dataclass(frozen=True, slots=True)
class BigramColumn:
    """All candidates that end at a position; `best` holds, for each word, the index of its best candidate."""

    end: int
    candidates: tuple[WordCandidate, ...]
    best: tuple[int, ...]


def columns(bigrams: Bigrams, text: str) -> list[BigramColumn]:
    """Return the table: a column for each position from 1 to the end of the text, and one for `</s>`.

    A character that is not a word may form a word of its own, with count 0. On a tie the first candidate wins: the one
    with the longer word, then the one with the best previous word.

    >>> from webapp.core.trainers.bigrams import train
    >>> bigrams = train([["a", "b"], ["ab"], ["ab"]])
    >>> [[candidate.word for candidate in column.candidates] for column in columns(bigrams, "ab")]
    [['a'], ['ab', 'b'], ['</s>', '</s>']]
    """
    table = [BigramColumn(0, (), ())]
    endings: list[list[tuple[str, float]]] = [
        [(START, 0.0)]
    ]  # for each position, the words ending there and their sums
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
    """Return the words of the best path, read back from the last column.

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
