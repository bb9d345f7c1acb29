"""The words of a small corpus during training: sequences of symbols, recounted and rewritten for each merge.

The trainers update their counts instead (`webapp.core.trainers.pair_counts`), which is fast but cannot be traced. Tests
on random corpora verify that both give the same counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import AnyStr, Generic


@dataclass(frozen=True, slots=True)
class CorpusWord(Generic[AnyStr]):
    """A distinct word of the corpus: its current symbols, and how often it occurs.

    `made`: the indexes in `symbols` of the pieces that the last merge produced.
    """

    symbols: tuple[AnyStr, ...]
    count: int
    made: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CountedPair(Generic[AnyStr]):
    """Two adjacent symbols, and how often they occur."""

    left: AnyStr
    right: AnyStr
    count: int


def pairs(words: Iterable[CorpusWord[AnyStr]]) -> list[CountedPair[AnyStr]]:
    """Return all adjacent pairs, in order of first occurrence.

    >>> words = [CorpusWord(("a", "a", "b"), 2), CorpusWord(("a", "b"), 5)]
    >>> [(pair.left, pair.right, pair.count) for pair in pairs(words)]
    [('a', 'a', 2), ('a', 'b', 7)]
    """
    counts: dict[tuple[AnyStr, AnyStr], int] = {}
    for word in words:
        for pair in pairwise(word.symbols):
            counts[pair] = counts.get(pair, 0) + word.count
    return [CountedPair(left, right, count) for (left, right), count in counts.items()]


def frequencies(words: Iterable[CorpusWord[AnyStr]]) -> dict[AnyStr, int]:
    """Return how often each symbol occurs, in order of first occurrence.

    >>> frequencies([CorpusWord(("a", "a", "b"), 2)])
    {'a': 4, 'b': 2}
    """
    counts: dict[AnyStr, int] = {}
    for word in words:
        for symbol in word.symbols:
            counts[symbol] = counts.get(symbol, 0) + word.count
    return counts


def rewritten(
    words: Iterable[CorpusWord[AnyStr]], left: AnyStr, right: AnyStr, piece: AnyStr
) -> tuple[CorpusWord[AnyStr], ...]:
    """Return the words with `left` and `right` merged to `piece` wherever they are adjacent, from left to right.

    >>> rewritten([CorpusWord(("a", "a", "a", "b"), 2), CorpusWord(("b",), 1)], "a", "a", "aa")
    (CorpusWord(symbols=('aa', 'a', 'b'), count=2, made=(0,)), CorpusWord(symbols=('b',), count=1, made=()))
    """
    return tuple(_rewritten(word, left, right, piece) for word in words)


def _rewritten(word: CorpusWord[AnyStr], left: AnyStr, right: AnyStr, piece: AnyStr) -> CorpusWord[AnyStr]:
    symbols: list[AnyStr] = []
    made: list[int] = []
    at, last = 0, len(word.symbols) - 1
    while at <= last:
        if at < last and word.symbols[at] == left and word.symbols[at + 1] == right:
            made.append(len(symbols))
            symbols.append(piece)
            at += 2
        else:
            symbols.append(word.symbols[at])
            at += 1
    if made:
        return CorpusWord(tuple(symbols), word.count, tuple(made))
    return CorpusWord(word.symbols, word.count) if word.made else word
