"""Cutting a text into words by how words follow each other: bigrams with add-one smoothing, and Viterbi.

Jurafsky and Martin, "Speech and Language Processing", third edition, chapter 3.1 (bigrams) and 3.6 (Laplace
smoothing); the dynamic programming is that of `viterbi`, but what is best behind a place depends on the word that ends
there, so each of these keeps a best way of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log

START, END = "<s>", "</s>"


class Bigrams:
    """What was counted in sentences that are cut into words. `words` are in the order in which they were first seen.

    >>> bigrams = Bigrams([["人生", "如", "梦境"], ["人生", "如", "戏"]])
    >>> bigrams.count("人生", "如"), bigrams.beginnings("人生"), bigrams.kinds
    (2, 2, 5)
    >>> bigrams.probability("如", "戏") == (1 + 1) / (2 + 5)
    True
    """

    def __init__(self, sentences: Iterable[Sequence[str]]) -> None:
        self.pairs: Counter[tuple[str, str]] = Counter()
        self._beginnings: Counter[str] = Counter()
        ids: dict[str, int] = {}
        for sentence in sentences:
            for word in sentence:
                ids.setdefault(word, len(ids))
            for before, word in zip((START, *sentence), (*sentence, END), strict=True):
                self.pairs[before, word] += 1
                self._beginnings[before] += 1
        self.words: Sequence[str] = tuple(ids)
        self.ids = ids
        self.longest = max(map(len, ids), default=1)

    @property
    def kinds(self) -> int:
        """How many different things can follow: every word, and the end of a sentence."""
        return len(self.words) + 1

    def count(self, before: str, word: str) -> int:
        """How often `word` follows `before`."""
        return self.pairs[before, word]

    def beginnings(self, before: str) -> int:
        """How often anything follows `before`."""
        return self._beginnings[before]

    def probability(self, before: str, word: str) -> float:
        """That `word` follows `before`, each count raised by one: from 0 to 1, and never 0."""
        return (self.pairs[before, word] + 1) / (self._beginnings[before] + self.kinds)


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

    >>> bigrams = Bigrams([["a", "b"], ["ab"], ["ab"]])
    >>> [[candidate.word for candidate in column.candidates] for column in columns(bigrams, "ab")]
    [['a'], ['ab', 'b'], ['</s>', '</s>']]
    """
    table = [BigramColumn(0, (), ())]
    endings: list[list[tuple[str, float]]] = [[(START, 0.0)]]  # the words that end at a place, and the best sum of each
    for end in range(1, len(text) + 1):
        found = [
            WordCandidate(start, previous, text[start:end], before, log(bigrams.probability(previous, text[start:end])))
            for start in range(max(0, end - bigrams.longest), end)
            if text[start:end] in bigrams.ids or end - start == 1
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

    >>> sentences = ["人生 如 梦境", "人生 如 戏", "生如夏花", "梦境 如 人生"]
    >>> segmentation(columns(Bigrams(sentence.split() for sentence in sentences), "人生如梦境"))
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
