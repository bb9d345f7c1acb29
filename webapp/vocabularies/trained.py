"""Trains vocabularies on the visitor's text during a request.

A slider requests 120, 121, 122 … merges of the same text. BPE and WordPiece are therefore trained once, up to the
slider's maximum, and every smaller vocabulary uses the first merges of that training.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from webapp.core import recipes
from webapp.core.algorithms import ALGORITHMS, MERGES, TrainingLimits
from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import HIGHEST_ORDER
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers import bpe, ngram, tagger, unigram, wordpiece
from webapp.core.trainers.ties import FIRST_SEEN
from webapp.core.trainers.word_counts import characters
from webapp.vocabularies.catalogue import CATALOGUE

# Without a minimum, pairs that occur once win every round of WordPiece; a short text has few that occur more often.
MINIMUM_PAIR_FREQUENCY = 2
# Unigram starts with this many candidates, enough for the slider's maximum of 1,000 pieces, and keeps this share of
# them in each round. It is below the trainer's default of 0.75, so that training on 200 KB of noise takes only seconds:
# measured, this halves the time and lowers the likelihood by 1 %.
SEEDS = 3_000
KEEP = 0.6
# Of a tagger, at most so many: 16 of them, which are kept, take 100 MB. 200 KB of noise has 400,000, and takes 7 s.
FEATURES = 20_000


@dataclass(frozen=True)
class TrainedVocabulary:
    """A tokenizer trained on the visitor's text, and its `merges` in training order (empty for Unigram)."""

    tokenizer: Tokenizer
    merges: Sequence[bpe.CountedMerge[bytes] | bpe.CountedMerge[str] | wordpiece.ScoredMerge]


_TO_THE_MOST: dict[str, tuple[recipes.Recipe, Callable[..., Any]]] = {
    "learned-characters": (recipes.CHARACTER_BPE, bpe.train_characters),
    "learned-bytes": (recipes.BYTE_BPE, bpe.train_bytes),
    "learned-wordpiece": (
        recipes.WORDPIECE,
        partial(wordpiece.train, minimum_pair_frequency=MINIMUM_PAIR_FREQUENCY),
    ),
}


@lru_cache(maxsize=24)
def _trained_to_the_most(name: str, corpus: str, **rule: str) -> Any:
    recipe, train = _TO_THE_MOST[name]
    return train(recipe.count(corpus), merges_at_most=MERGES.most, **rule)


def _first_merges(name: str, corpus: str, size: int, **rule: str) -> TrainedVocabulary:
    trained = _trained_to_the_most(name, corpus, **rule)
    tokenizer = _TO_THE_MOST[name][0].tokenizer(trained.first(size), trained.special_tokens)
    return TrainedVocabulary(tokenizer, trained.merges[:size])


def _unigram(corpus: str, size: int) -> TrainedVocabulary:
    counts = recipes.UNIGRAM.count(corpus)
    smallest = 1 + len(characters(counts))  # the unknown piece and every single character
    trained = unigram.train(counts, max(size, smallest), seeds=SEEDS, keep=KEEP)
    return TrainedVocabulary(recipes.UNIGRAM.tokenizer(trained.model, trained.special_tokens), ())


EXAMPLE_SENTENCES = "人生 如 梦境\n人生 如 戏\n生如夏花\n梦境 如 人生"
"""What an n-gram model or a tagger is trained on if the visitor has no sentences: those of the lesson on n-grams."""


def _sentences(corpus: str) -> Iterator[list[str]]:
    return ngram.segmented(corpus if corpus.strip() else EXAMPLE_SENTENCES)


def _ngram(corpus: str, size: int) -> TrainedVocabulary:
    return TrainedVocabulary(recipes.NGRAM.tokenizer(NGram(ngram.train(_sentences(corpus), HIGHEST_ORDER))), ())


def _tagger(corpus: str, size: int) -> TrainedVocabulary:
    training = tagger.Training(list(_sentences(corpus)))
    for _moment in training.run():
        pass
    return TrainedVocabulary(recipes.NGRAM.tokenizer(training.tagger(FEATURES)), ())


TRAINERS: dict[str, Callable[..., TrainedVocabulary]] = {
    **{name: partial(_first_merges, name) for name in _TO_THE_MOST},
    "learned-unigram": _unigram,
    "learned-ngram": _ngram,
    "learned-tagger": _tagger,
}
"""The vocabularies that are trained on the visitor's text, and the function that trains each on a corpus to a size."""


LIMITS: dict[str, TrainingLimits] = {
    name: limits for name in TRAINERS if (limits := ALGORITHMS[CATALOGUE[name].algorithms[0]].limits) is not None
}
"""The range of sizes of each of them that has one: that of its algorithm. An n-gram model or a tagger has all words."""


@lru_cache(maxsize=16)
def train_vocabulary(name: str, corpus: str, size: int, ties: str = FIRST_SEEN) -> TrainedVocabulary:
    """Train vocabulary `name` on `corpus`: `size` merges, about `size` pieces for Unigram, all words of sentences.

    `ties` is a rule of `webapp.core.trainers.ties`; only BPE has others than the default. Training is deterministic.
    Raises KeyError for a name that is not in `TRAINERS`.
    """
    limits = LIMITS.get(name)
    rule = {} if ties == FIRST_SEEN else {"ties": ties}
    return TRAINERS[name](corpus, min(max(size, limits.least), limits.most) if limits else 0, **rule)
