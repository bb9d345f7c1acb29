"""Train a plan's tokenizer from the counts of a corpus, with progress and a curve on the held-out text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from webapp.core.recipes import Recipe
from webapp.core.sentencepiece_tokenizer import sentencepiece_tokenizer
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers import bpe, sentencepiece_bpe, unigram, wordpiece, wordpiece_top_down
from webapp.core.trainers.word_counts import WordCounts
from webapp.core.training.counting import CountedCorpus, TrainingError
from webapp.core.training.plan import TrainingPlan
from webapp.core.training.progress import Progress, Report
from webapp.core.training.recipe import MARK, MARKED, check, normalizer_of, recipe_of

__all__ = ["TrainedTokenizer", "TrainingError", "check", "recipe_of", "train"]


@dataclass(frozen=True)
class TrainedTokenizer:
    """A trained tokenizer, and how it does on the held-out text.

    `pieces` is the size of the vocabulary, special tokens included. `curve` has the characters per token at several
    sizes, measured on a sample; `characters_per_token` is that of the whole held-out text, None if there is none.
    """

    tokenizer: Tokenizer
    pieces: int
    curve: tuple[tuple[int, float], ...]
    characters_per_token: float | None


def train(plan: TrainingPlan, counted: CountedCorpus, report: Report) -> TrainedTokenizer:
    """Train the plan's tokenizer.

    Raises PlanError for an impossible plan, and TrainingError with the code `too_small` or `alphabet`.
    """
    check(plan)
    recipe = recipe_of(plan)
    report(Progress("train", 0, plan.size))
    counts = dict(counted.counts)
    if plan.trainer in MARKED:
        counts[MARK] = counts.get(MARK, 0) + counted.characters // 1_000 + 1
    tokenizer = _TRAINERS[plan.trainer](plan, counts, recipe)
    pieces = len({*range(len(tokenizer.model.pieces)), *tokenizer.special_tokens.values()})
    if pieces < plan.size:
        raise TrainingError("too_small", possible=pieces)
    held_out = counted.held_out
    tokens = len(tokenizer.ids(held_out)) if held_out else 0
    characters_per_token = len(held_out) / tokens if tokens else None
    curve = ((pieces, characters_per_token),) if characters_per_token else ()
    report(Progress("train", pieces, pieces, pieces, (), curve))
    return TrainedTokenizer(tokenizer, pieces, curve, characters_per_token)


def _bpe_bytes(plan: TrainingPlan, counts: WordCounts, recipe: Recipe) -> Tokenizer:
    trained = bpe.train_bytes(counts, plan.size, plan.special_tokens)
    return recipe.tokenizer(trained.model, trained.special_tokens)


def _bpe_characters(plan: TrainingPlan, counts: WordCounts, recipe: Recipe) -> Tokenizer:
    trained = bpe.train_characters(counts, plan.size, coverage=plan.coverage, special_tokens=plan.special_tokens)
    return recipe.tokenizer(trained.model, trained.special_tokens)


def _bpe_sentencepiece(plan: TrainingPlan, counts: WordCounts, recipe: Recipe) -> Tokenizer:
    names = tuple(dict.fromkeys((sentencepiece_bpe.UNKNOWN, *plan.special_tokens)))
    trained = sentencepiece_bpe.train(counts, plan.size, special_tokens=names, coverage=plan.coverage)
    return sentencepiece_tokenizer(
        trained.pieces,
        trained.scores,
        algorithm="bpe",
        special_tokens=trained.special_tokens,
        normalizer=normalizer_of(plan),
    )


def _wordpiece(plan: TrainingPlan, counts: WordCounts, recipe: Recipe) -> Tokenizer:
    names = tuple(dict.fromkeys((wordpiece.UNKNOWN, *plan.special_tokens)))
    trained: wordpiece.TrainedWordPiece | wordpiece_top_down.TopDownWordPiece
    if plan.wordpiece == "score":
        trained = wordpiece.train(
            counts,
            plan.size,
            special_tokens=names,
            coverage=plan.coverage,
            minimum_pair_frequency=plan.minimum_count or 2,
        )
    else:
        trained = wordpiece_top_down.train(counts, plan.size, special_tokens=names, coverage=plan.coverage)
    return recipe.tokenizer(trained.model, trained.special_tokens)


def _unigram(plan: TrainingPlan, counts: WordCounts, recipe: Recipe) -> Tokenizer:
    names = tuple(dict.fromkeys((unigram.UNKNOWN, *plan.special_tokens)))
    trained = unigram.train(
        counts,
        plan.size,
        special_tokens=names,
        coverage=plan.coverage,
        longest=plan.longest_piece,
        minimum_frequency=plan.minimum_count or 2,
        keep=plan.keep,
    )
    return sentencepiece_tokenizer(
        trained.model.pieces,
        trained.model.scores,
        algorithm="unigram",
        special_tokens=trained.special_tokens,
        normalizer=normalizer_of(plan),
    )


_TRAINERS: Mapping[str, Callable[[TrainingPlan, WordCounts, Recipe], Tokenizer]] = {
    "bpe-bytes": _bpe_bytes,
    "bpe-characters": _bpe_characters,
    "bpe-sentencepiece": _bpe_sentencepiece,
    "wordpiece": _wordpiece,
    "unigram": _unigram,
}
