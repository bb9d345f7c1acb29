"""Trains vocabularies on the visitor's text during a request.

A slider requests 120, 121, 122 … merges of the same text. BPE and WordPiece are therefore trained once, up to the
slider's maximum, and every smaller vocabulary uses the first merges of that training.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from webapp.core import recipes
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers import bpe, unigram, wordpiece
from webapp.core.trainers.word_counts import characters

# Without a minimum, pairs that occur once win every round of WordPiece; a short text has few that occur more often.
MINIMUM_PAIR_FREQUENCY = 2
# Unigram starts with this many candidates, enough for the slider's maximum of 1,000 pieces, and keeps this share of
# them in each round. It is below the trainer's default of 0.75, so that training on 200 KB of noise takes only seconds:
# measured, this halves the time and lowers the likelihood by 1 %.
SEEDS = 3_000
KEEP = 0.6


@dataclass(frozen=True)
class TrainingLimits:
    """The range of the slider, `least` to `most`, its initial value `start`, and the `unit` that it counts."""

    least: int
    most: int
    start: int
    unit: str


LIMITS = {
    "learned-characters": TrainingLimits(0, 500, 100, "merges"),
    "learned-bytes": TrainingLimits(0, 500, 100, "merges"),
    "learned-wordpiece": TrainingLimits(0, 500, 100, "merges"),
    "learned-unigram": TrainingLimits(20, 1_000, 200, "pieces"),
}


@dataclass(frozen=True)
class TrainedVocabulary:
    """A tokenizer trained on the visitor's text, and its `merges` in training order (empty for Unigram)."""

    tokenizer: Tokenizer
    merges: Sequence[bpe.CountedMerge[bytes] | bpe.CountedMerge[str] | wordpiece.ScoredMerge]


@lru_cache(maxsize=16)
def train_vocabulary(name: str, corpus: str, size: int) -> TrainedVocabulary:
    """Train vocabulary `name` on `corpus`: `size` merges, or about `size` pieces for Unigram.

    Training is deterministic. Raises KeyError for a name that is not in `LIMITS`.
    """
    limits = LIMITS[name]
    size = min(max(size, limits.least), limits.most)
    if name == "learned-unigram":
        return _unigram(corpus, size)
    if name == "learned-wordpiece":
        return _wordpiece(corpus, size)
    return _bpe("bytes" if name == "learned-bytes" else "characters", corpus, size)


def _bpe(form: str, corpus: str, size: int) -> TrainedVocabulary:
    if form == "bytes":
        trained = _most_bytes(corpus)
        return TrainedVocabulary(recipes.BYTE_BPE.tokenizer(trained.first(size)), trained.merges[:size])
    letters = _most_characters(corpus)
    return TrainedVocabulary(recipes.CHARACTER_BPE.tokenizer(letters.first(size)), letters.merges[:size])


def _wordpiece(corpus: str, size: int) -> TrainedVocabulary:
    trained = _most_wordpiece(corpus)
    model = trained.first(size)
    return TrainedVocabulary(recipes.WORDPIECE.tokenizer(model, trained.special_tokens), trained.merges[:size])


def _unigram(corpus: str, size: int) -> TrainedVocabulary:
    counts = recipes.UNIGRAM.count(corpus)
    smallest = 1 + len(characters(counts))  # the unknown piece and every single character
    trained = unigram.train(counts, max(size, smallest), seeds=SEEDS, keep=KEEP)
    return TrainedVocabulary(recipes.UNIGRAM.tokenizer(trained.model, trained.special_tokens), ())


@lru_cache(maxsize=8)
def _most_bytes(corpus: str) -> bpe.TrainedBPE[bytes]:
    counts = recipes.BYTE_BPE.count(corpus)
    return bpe.train_bytes(counts, merges_at_most=LIMITS["learned-bytes"].most)


@lru_cache(maxsize=8)
def _most_characters(corpus: str) -> bpe.TrainedBPE[str]:
    counts = recipes.CHARACTER_BPE.count(corpus)
    return bpe.train_characters(counts, merges_at_most=LIMITS["learned-characters"].most)


@lru_cache(maxsize=8)
def _most_wordpiece(corpus: str) -> wordpiece.TrainedWordPiece:
    counts = recipes.WORDPIECE.count(corpus)
    return wordpiece.train(
        counts,
        merges_at_most=LIMITS["learned-wordpiece"].most,
        minimum_pair_frequency=MINIMUM_PAIR_FREQUENCY,
    )
