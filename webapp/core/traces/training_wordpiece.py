"""Trace of WordPiece training on a small corpus: each round scores the pairs, merges the best, rewrites the words.

The merges are those of `webapp.core.trainers.wordpiece`; the scores are recomputed from the words of each round.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from webapp.core.traces.training_words import CorpusWord, frequencies, pairs, rewritten
from webapp.core.trainers import wordpiece
from webapp.core.trainers.word_counts import WordCounts
from webapp.core.trainers.wordpiece import PREFIX


@dataclass(frozen=True, slots=True)
class ScoredPair:
    """Two adjacent symbols: the counts of the pair and of each symbol, and the resulting score."""

    left: str
    right: str
    count: int
    left_count: int
    right_count: int

    @property
    def score(self) -> float:
        """count(pair) / (count(left) · count(right))."""
        return self.count / (self.left_count * self.right_count)


@dataclass(frozen=True, slots=True)
class WordPieceRound:
    """One merge: its number, from 1, and the words before and after it, in corpus order.

    `minimum`: how often a pair must occur to be a candidate.
    """

    number: int
    winner: ScoredPair
    piece: str
    before: tuple[CorpusWord[str], ...]
    after: tuple[CorpusWord[str], ...]
    minimum: int

    def pairs(self) -> list[ScoredPair]:
        """Return the candidate pairs, highest score first, ties by first occurrence; the first is the winner."""
        candidates = (pair for pair in scored(self.before) if pair.count >= self.minimum)
        return sorted(candidates, key=lambda pair: -pair.score)

    def too_rare(self) -> int:
        """Return the number of pairs that are too rare to be candidates."""
        return sum(1 for pair in pairs(self.before) if pair.count < self.minimum)


@dataclass(frozen=True)
class WordPieceTraining:
    """A traced training: the trained vocabulary, and the words before the first merge."""

    trained: wordpiece.TrainedWordPiece
    start: tuple[CorpusWord[str], ...]
    minimum: int

    def rounds(self) -> Iterator[WordPieceRound]:
        """Yield the rounds lazily."""
        words = self.start
        for number, merge in enumerate(self.trained.merges, start=1):
            after = rewritten(words, merge.left, merge.right, merge.piece)
            counts = frequencies(words)
            winner = ScoredPair(merge.left, merge.right, merge.count, counts[merge.left], counts[merge.right])
            yield WordPieceRound(number, winner, merge.piece, words, after, self.minimum)
            words = after


def train(counts: WordCounts, merges: int, *, minimum: int = 1, prefix: str = PREFIX) -> WordPieceTraining:
    """Train WordPiece with at most `merges` merges of pairs that occur at least `minimum` times.

    >>> training = train({"I": 2, "love": 1, "dogs": 1, "loved": 1, "you": 1}, 8)
    >>> for round in training.rounds():
    ...     winner = round.winner
    ...     print(round.piece, winner.count, winner.left_count, winner.right_count, winner.score)
    ##gs 1 1 1 1.0
    ##ve 2 2 2 0.5
    ##ved 1 2 1 0.5
    lo 2 2 4 0.25
    love 1 2 1 0.5
    loved 1 1 1 1.0
    do 1 1 2 0.5
    dogs 1 1 1 1.0
    >>> [" ".join(word.symbols) for word in round.after]
    ['I', 'love', 'dogs', 'loved', 'y ##o ##u']
    """
    trained = wordpiece.train(counts, merges_at_most=merges, minimum_pair_frequency=minimum, prefix=prefix)
    spelled = ((wordpiece.spell(word, prefix), count) for word, count in counts.items())
    return WordPieceTraining(
        trained, tuple(CorpusWord(tuple(symbols), count) for symbols, count in spelled), max(minimum, 1)
    )


def scored(words: tuple[CorpusWord[str], ...]) -> list[ScoredPair]:
    """Return all adjacent pairs with their scores, in order of first occurrence."""
    counts = frequencies(words)
    return [
        ScoredPair(pair.left, pair.right, pair.count, counts[pair.left], counts[pair.right]) for pair in pairs(words)
    ]
