"""Trace of top-down WordPiece training on a small corpus: each round counts candidates and keeps the frequent ones.

The rounds are those of `webapp.core.reference.wordpiece_top_down`; the vocabulary is that of the trainer, and a test
compares both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from webapp.core.reference import wordpiece_top_down as reference
from webapp.core.traces.training_unigram import SegmentedWord
from webapp.core.trainers import wordpiece_top_down as trainer
from webapp.core.trainers.word_counts import WordCounts
from webapp.core.trainers.wordpiece import PREFIX


@dataclass(frozen=True, slots=True)
class SubstringCandidate:
    """A part of a word as a piece: how often it is counted, and how much of that longer pieces that are kept leave."""

    piece: str
    count: int
    left: int
    kept: bool


@dataclass(frozen=True, slots=True)
class TopDownRound:
    """One round: `candidates` with at least the threshold, longest first; `rarer` is the number of the others.

    Single characters are no candidates, because they are always kept. `words`: how the words are split before the
    round; in the first one, candidates begin at every character.
    """

    number: int
    candidates: tuple[SubstringCandidate, ...]
    rarer: int
    words: tuple[SegmentedWord, ...]

    @property
    def kept(self) -> dict[str, int]:
        """The pieces that are kept, with what longer ones leave of their counts."""
        return {one.piece: one.left for one in self.candidates if one.kept}


class TopDownTraining:
    """A traced training to `size` pieces, special tokens not counted.

    If `size` is None, half of the longer pieces are kept that occur at least twice. Raises ValueError if `size` is
    below the number of characters, and for a corpus without words of at most 100 characters.

    >>> training = TopDownTraining({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, 10)
    >>> training.threshold, training.tried[-3:]
    (6, ((5, 11), (7, 9), (6, 9)))
    >>> training.rounds[0].candidates[2]
    SubstringCandidate(piece='hu', count=15, left=0, kept=False)
    >>> list(training.rounds[0].kept), list(training.rounds[-1].kept), training.fill
    (['hug', 'pun', '##ug', '##un'], ['hug', 'pun'], ('hugs',))
    """

    def __init__(self, counts: WordCounts, size: int | None) -> None:
        self.counts = {word: count for word, count in counts.items() if word and len(word) <= trainer.LONGEST_WORD}
        if not self.counts:
            raise ValueError("no word is short enough")
        self.characters = characters(self.counts)
        if size is None:
            size = (len(self.characters) + len(reference.vocabulary(self.counts, trainer.RAREST)) + 1) // 2
        self.size = size
        self.trained = trainer.train(self.counts, size + 1)

    @property
    def threshold(self) -> int:
        """How often a candidate must occur to be kept: the lowest count with which the vocabulary fits."""
        return self.trained.threshold

    @cached_property
    def tried(self) -> tuple[tuple[int, int], ...]:
        """The thresholds that bisection tried, each with the number of pieces that it keeps."""
        low = trainer.RAREST
        high = low + sum(len(word) * count for word, count in self.counts.items())
        found = []
        while low < high:
            middle = (low + high) // 2
            pieces = len(reference.vocabulary(self.counts, middle))
            found.append((middle, pieces))
            low, high = (low, middle) if pieces <= self.size else (middle + 1, high)
        return tuple(found)

    @cached_property
    def rounds(self) -> tuple[TopDownRound, ...]:
        """The rounds with the final threshold."""
        return tuple(self._traced())

    @property
    def fill(self) -> tuple[str, ...]:
        """The pieces below the threshold that fill the vocabulary up to its size."""
        kept = self.rounds[-1].kept
        return tuple(piece for piece in self.trained.longer if piece not in kept)

    def words(self, pieces: Collection[str]) -> tuple[SegmentedWord, ...]:
        """Return the words, split by the longest match into pieces and single characters."""
        known = {*self.characters, *pieces}
        found = []
        for word, count in self.counts.items():
            starts = [*reference.starts(word, known), len(word)]
            parts = (reference.written(word, start, end) for start, end in pairwise(starts))
            found.append(SegmentedWord(word, count, tuple(parts)))
        return tuple(found)

    def _traced(self) -> Iterator[TopDownRound]:
        pieces: Mapping[str, int] = {}
        for number in range(1, trainer.ROUNDS + 1):
            counts = reference.count(self.counts, {*self.characters, *pieces} if pieces else ())
            kept = reference.keep(counts, self.threshold)
            longer = sorted((piece for piece in counts if _length(piece) > 1), key=lambda piece: -_length(piece))
            frequent = []
            for piece in longer:
                if counts[piece] >= self.threshold:
                    taken = sum(kept[one] for one in kept if one != piece and one.startswith(piece))
                    frequent.append(SubstringCandidate(piece, counts[piece], counts[piece] - taken, piece in kept))
            yield TopDownRound(number, tuple(frequent), len(longer) - len(frequent), self.words(pieces))
            pieces = kept


def characters(counts: WordCounts) -> tuple[str, ...]:
    """Return the characters of the words as pieces: those that begin a word first.

    >>> characters({"hug": 10, "gs": 5})
    ('g', 'h', '##g', '##s', '##u')
    """
    short = {word: count for word, count in counts.items() if len(word) <= trainer.LONGEST_WORD}
    return tuple(sorted(reference.symbols(short), key=lambda one: (len(one), one)))


def _length(piece: str) -> int:
    return len(piece.removeprefix(PREFIX))
