"""Trace of Unigram training on a small corpus: each round estimates the pieces' probabilities and prunes some pieces.

The rounds are those of `webapp.core.trainers.unigram`; the trace collects the figures of each piece.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from webapp.core.models.unigram import Unigram
from webapp.core.trainers import unigram
from webapp.core.trainers.unigram import UNKNOWN
from webapp.core.trainers.word_counts import WordCounts
from webapp.core.trainers.word_trie import proper_substrings

KEEP = 0.75  # the share of the longer pieces that a round keeps


@dataclass(frozen=True, slots=True)
class SeedPiece:
    """An initial piece: how often its text occurs, its rank and its initial probability."""

    piece: str
    frequency: int
    rank: int
    probability: float


@dataclass(frozen=True, slots=True)
class PieceCandidate:
    """A piece in one round.

    `expected`: its expected count over all segmentations of all words; `before` and `probability`: its probability at
    the beginning and at the end of the round; `used`: its count on the words' best paths; `instead`: the best
    segmentation of its text without it; `loss`: how much the log-likelihood of the corpus falls without it. Single
    characters, which always stay, and the pieces of the last round have no `instead` and no `loss`.
    """

    piece: str
    expected: float
    before: float
    probability: float
    used: int
    instead: tuple[str, ...]
    loss: float | None
    removed: bool


@dataclass(frozen=True, slots=True)
class SegmentedWord:
    """A distinct word, how often it occurs, and the pieces into which a round splits it."""

    word: str
    count: int
    pieces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnigramRound:
    """One round: `candidates` in the order of the seeds, single characters first.

    `log_likelihoods`: that of the corpus before each iteration of expectation maximization. Of the longer pieces,
    `share` is the number that a round prunes by its share; `lossless` the number with a loss of 0 or less, which are
    all pruned; `surplus` the number above the target size, the upper limit. In the last round all three are 0.
    """

    number: int
    last: bool
    candidates: tuple[PieceCandidate, ...]
    log_likelihoods: tuple[float, ...]
    share: int
    lossless: int
    surplus: int
    readings: tuple[SegmentedWord, ...]


class UnigramTraining:
    """A traced training down to `size` pieces, without special tokens.

    If `size` is None, training keeps a quarter of the longer pieces. `seeds`: the maximum number of longer pieces to
    start with: those that `seed_pieces` ranks first, or with `every_substring` the most frequent `proper_substrings`,
    whose first probabilities are their shares of all frequencies.
    Raises ValueError if `size` is below the number of distinct characters, or if the corpus is empty.

    >>> training = UnigramTraining({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, 9)
    >>> [seed.piece for seed in training.seeds]
    ['u', 'g', 'p', 'n', 'h', 's', 'b', 'hug', 'ug', 'pun', 'pu', 'un', 'hugs', 'pug', 'bun']
    >>> for round in training.rounds:
    ...     print(round.number, [candidate.piece for candidate in round.candidates if candidate.removed])
    1 ['ug', 'pu', 'un']
    2 ['hugs']
    3 ['bun']
    4 ['pug']
    5 []
    >>> [" ".join(reading.pieces) for reading in training.rounds[-1].readings]
    ['hug', 'p u g', 'pun', 'b u n', 'hug s']
    """

    def __init__(
        self, counts: WordCounts, size: int | None, *, seeds: int = 1_000_000, every_substring: bool = False
    ) -> None:
        self.counts = {word: count for word, count in counts.items() if word and count}
        if not self.counts:
            raise ValueError("the corpus is empty")
        self._choice: dict[str, Any] = {
            "seeds": seeds,
            "candidates": proper_substrings(self.counts, seeds) if every_substring else None,
            "by_length": not every_substring,
            "reserved": (UNKNOWN,),
        }
        self._seeded = unigram.seed(self.counts, **self._choice)
        single = self._seeded.characters
        self.size = single + (len(self._seeded.ranks) - single) // 4 if size is None else size
        self._rounds = list(unigram.rounds(self.counts, self.size, keep=KEEP, **self._choice))

    @cached_property
    def seeds(self) -> tuple[SeedPiece, ...]:
        """The initial pieces: single characters, then the longer pieces in the order of the seed."""
        ranks, probabilities = self._seeded.ranks, self._seeded.probabilities()
        return tuple(
            SeedPiece(piece, rank // len(piece) if self._choice["by_length"] else rank, rank, probability)
            for (piece, rank), probability in zip(ranks.items(), probabilities, strict=True)
        )

    @property
    def trained(self) -> unigram.TrainedUnigram:
        """The trained vocabulary."""
        return unigram.finished(self._rounds[-1])

    @cached_property
    def rounds(self) -> tuple[UnigramRound, ...]:
        """All rounds; the last one prunes nothing."""
        return tuple(self._traced())

    def _traced(self) -> Iterator[UnigramRound]:
        before: Mapping[str, float] = {seed.piece: seed.probability for seed in self.seeds}
        for done in self._rounds:
            after = dict(zip(done.scores, done.probabilities, strict=True))
            last = done is self._rounds[-1]
            yield UnigramRound(
                done.number,
                last,
                tuple(_candidates(done, before, after)),
                done.log_likelihoods,
                share=0 if last else max(round(len(done.losses) * (1 - KEEP)), 1),
                lossless=sum(1 for loss in done.losses.values() if loss <= 0),
                surplus=len(done.scores) - self.size if not last else 0,
                readings=tuple(readings(done.scores, self.counts)),
            )
            before = after


def _candidates(
    done: unigram.PruningRound, before: Mapping[str, float], after: Mapping[str, float]
) -> Iterator[PieceCandidate]:
    used = done.used()
    removed = frozenset(done.removed)
    for piece, expected in zip(done.scores, done.expected, strict=True):
        loss = done.losses.get(piece)
        instead = () if loss is None else done.instead(piece)
        yield PieceCandidate(piece, expected, before[piece], after[piece], used[piece], instead, loss, piece in removed)


def readings(scores: Mapping[str, float], counts: WordCounts) -> Iterator[SegmentedWord]:
    """Yield the best segmentation of each word with these pieces and log-probabilities.

    >>> scores = {"h": -3.0, "u": -2.0, "g": -2.5, "hug": -1.0}
    >>> [reading.pieces for reading in readings(scores, {"hug": 3, "hugg": 1, "ugh": 1})]
    [('hug',), ('hug', 'g'), ('u', 'g', 'h')]
    """
    model = Unigram((UNKNOWN, *scores), (0.0, *scores.values()), unknown_id=0)
    for word, count in counts.items():
        yield SegmentedWord(word, count, tuple(word[start:end] for _, start, end in model.segment(word)))
