"""Trace of BPE training on a small corpus: each round counts the pairs, merges the most frequent, rewrites the words.

The merges are those of `webapp.core.trainers.bpe`; the counts are recomputed from the words of each round.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import AnyStr, Generic

from webapp.core.traces.training_words import CorpusWord, CountedPair, pairs, rewritten
from webapp.core.trainers import bpe
from webapp.core.trainers.bpe import END_OF_WORD
from webapp.core.trainers.word_counts import WordCounts


@dataclass(frozen=True, slots=True)
class BPERound(Generic[AnyStr]):
    """One merge: its number, from 1, and the words before and after it, in corpus order."""

    number: int
    winner: CountedPair[AnyStr]
    before: tuple[CorpusWord[AnyStr], ...]
    after: tuple[CorpusWord[AnyStr], ...]

    @property
    def piece(self) -> AnyStr:
        """The piece that the merge produces."""
        return self.winner.left + self.winner.right

    def pairs(self) -> list[CountedPair[AnyStr]]:
        """Return all candidate pairs, most frequent first, ties by first occurrence; the first is the winner."""
        return sorted(pairs(self.before), key=lambda pair: -pair.count)


@dataclass(frozen=True)
class BPETraining(Generic[AnyStr]):
    """A traced training: the trained vocabulary, and the words before the first merge."""

    trained: bpe.TrainedBPE[AnyStr]
    start: tuple[CorpusWord[AnyStr], ...]

    def rounds(self) -> Iterator[BPERound[AnyStr]]:
        """Yield the rounds lazily."""
        words = self.start
        for number, merge in enumerate(self.trained.merges, start=1):
            after = rewritten(words, merge.left, merge.right, merge.left + merge.right)
            yield BPERound(number, CountedPair(*merge), words, after)
            words = after


def train_bytes(counts: WordCounts, merges: int) -> BPETraining[bytes]:
    """Train byte-level BPE with at most `merges` merges; fewer if no pair is left.

    >>> for round in train_bytes({"aaabdaaabac": 1}, 3).rounds():
    ...     print(round.winner.left, round.winner.right, round.winner.count, b" ".join(round.after[0].symbols))
    b'a' b'a' 4 b'aa a b d aa a b a c'
    b'aa' b'a' 2 b'aaa b d aaa b a c'
    b'aaa' b'b' 2 b'aaab d aaab a c'
    """
    trained = bpe.train_bytes(counts, merges_at_most=merges)
    spelled = ((tuple(bpe.BYTES[byte] for byte in word.encode()), count) for word, count in counts.items())
    return BPETraining(trained, tuple(CorpusWord(symbols, count) for symbols, count in spelled))


def train_characters(
    counts: WordCounts, merges: int, *, suffix_apart: bool = False, end_of_word_suffix: str = END_OF_WORD
) -> BPETraining[str]:
    """Train BPE over characters; the suffix is attached to a word's last character, or a symbol with `suffix_apart`.

    >>> training = train_characters({"low": 5, "lower": 2, "newest": 6, "widest": 3}, 5, suffix_apart=True)
    >>> [(round.winner.left, round.winner.right, round.winner.count) for round in training.rounds()]
    [('e', 's', 9), ('es', 't', 9), ('est', '</w>', 9), ('l', 'o', 7), ('lo', 'w', 7)]
    >>> *_, last = training.rounds()
    >>> [" ".join(word.symbols) for word in last.after]
    ['low </w>', 'low e r </w>', 'n e w est</w>', 'w i d est</w>']
    """
    trained = bpe.train_characters(
        counts, merges_at_most=merges, suffix_apart=suffix_apart, end_of_word_suffix=end_of_word_suffix
    )
    spelled = ((bpe.spell(word, end_of_word_suffix, suffix_apart), count) for word, count in counts.items())
    return BPETraining(trained, tuple(CorpusWord(tuple(symbols), count) for symbols, count in spelled))
