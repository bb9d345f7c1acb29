"""Train a plan's tokenizer from the counts of a corpus, with progress and a curve on the held-out text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers.word_counts import WordCounts
from webapp.core.training.by_merges import (
    train_byte_bpe,
    train_character_bpe,
    train_sentencepiece_bpe,
    train_wordpiece_by_score,
)
from webapp.core.training.by_ngrams import train_ngrams
from webapp.core.training.by_pieces import train_unigram, train_wordpiece_top_down
from webapp.core.training.counting import CountedCorpus, TrainingError
from webapp.core.training.curve import Watch
from webapp.core.training.plan import TrainingPlan
from webapp.core.training.progress import Progress, Report
from webapp.core.training.recipe import MARK, MARKED, check


@dataclass(frozen=True)
class TrainedTokenizer:
    """A trained tokenizer, and how it does on the held-out text.

    `pieces` is the size of the vocabulary, special tokens included. `curve` has the characters per token at several
    sizes, measured on a sample; `characters_per_token` is that of the whole held-out text, None if there is none.
    `held_out` is that text as it was measured, for n-grams without the spaces between words; `ngrams` has their
    figures.
    """

    tokenizer: Tokenizer
    pieces: int
    curve: tuple[tuple[int, float], ...]
    characters_per_token: float | None
    held_out: str = ""
    ngrams: Mapping[str, Any] = field(default_factory=dict)


def train(plan: TrainingPlan, counted: CountedCorpus, report: Report) -> TrainedTokenizer:
    """Train the plan's tokenizer.

    With a minimum count of the plan's own above 1, training may end before the size is reached. Raises PlanError for an
    impossible plan, and TrainingError with the code `too_small` or `alphabet`.
    """
    check(plan)
    report(Progress("train", 0, 0))
    if plan.trainer == "ngram":
        return _trained_ngrams(plan, counted, report)
    counts = counted.counts
    if plan.trainer in MARKED:
        # Every text begins with a mark, also one of a corpus without spaces: it must not fall out of the alphabet.
        counts = {**counts, MARK: counts.get(MARK, 0) + counted.characters // 1_000 + 1}
    watch = Watch(report, plan, counted)
    tokenizer = _trainer(plan)(plan, counts, watch)
    pieces = len({*range(len(tokenizer.model.pieces)), *tokenizer.special_tokens.values()})
    if pieces < plan.size and (plan.minimum_count or 1) == 1:
        raise TrainingError("too_small", possible=pieces, size=plan.size)
    held_out = counted.held_out
    tokens = len(tokenizer.ids(held_out)) if held_out else 0
    curve = tuple(sorted(watch.curve.points))
    report(Progress("train", pieces, pieces, pieces, (), curve))
    return TrainedTokenizer(tokenizer, pieces, curve, len(held_out) / tokens if tokens else None, held_out)


def _trained_ngrams(plan: TrainingPlan, counted: CountedCorpus, report: Report) -> TrainedTokenizer:
    tokenizer, held_out, figures = train_ngrams(plan, counted, report)
    tokens = len(tokenizer.ids(held_out)) if held_out else 0
    steps = int(plan.order) + 2
    report(Progress("train", steps, steps, sum(figures["sizes"])))
    share = len(held_out) / tokens if tokens else None
    return TrainedTokenizer(tokenizer, figures["words"], (), share, held_out, figures)


def _trainer(plan: TrainingPlan) -> Callable[[TrainingPlan, WordCounts, Watch], Tokenizer]:
    match plan.trainer:
        case "bpe-bytes":
            return train_byte_bpe
        case "bpe-characters":
            return train_character_bpe
        case "bpe-sentencepiece":
            return train_sentencepiece_bpe
        case "wordpiece":
            return train_wordpiece_by_score if plan.wordpiece == "score" else train_wordpiece_top_down
        case "unigram":
            return train_unigram
        case _:
            raise KeyError(plan.trainer)
