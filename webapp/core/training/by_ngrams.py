"""Train the plans for n-grams of words: a model from the counts, and how well it predicts the held-out sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import exp
from typing import Any

import regex

from webapp.core.formats.ngram_counts import word_of
from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import MARKS as EDGES
from webapp.core.models.ngram_counts import NGramCounts, levels_of
from webapp.core.models.ngram_viterbi import BEGINNING
from webapp.core.recipes import NGRAM
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers.ngram import pruned
from webapp.core.training.counting import CountedCorpus, TrainingError
from webapp.core.training.ngrams import MARKS, MOST_COUNTED, Forgotten, forget_rare, is_segmented, sentences
from webapp.core.training.plan import TrainingPlan
from webapp.core.training.progress import Progress, Report

MOST_WORDS = 300_000
MOST_KEPT = 400_000  # n-grams of a model, so that its file can be read in seconds
_SPACED = regex.compile(r"[\p{L}\p{M}\p{N}--[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}]]", regex.V1)


def train_ngrams(plan: TrainingPlan, counted: CountedCorpus, report: Report) -> tuple[Tokenizer, str, dict[str, Any]]:
    """Return the tokenizer, the held-out text as the model is given it, and the figures of the training.

    Of a corpus with more n-grams than a model may have, the rarest are removed, triples before pairs. Raises
    TrainingError with the code `unsegmented`.
    """
    if plan.segmentation == "words" and not is_segmented(counted.counts):
        raise TrainingError("unsegmented")
    order = int(plan.order)
    steps = order + 2
    table = dict(counted.counts)
    forgotten = Forgotten(counted.forgotten, counted.forgotten_below)
    forget_rare(table, forgotten, MOST_COUNTED)
    report(Progress("train", 0, steps, len(table)))
    counts = counts_of(table, order)
    words = len(counts.words)
    least = minimum_counts(counts, plan)
    before = [counts.size(length) for length in range(1, order + 1)]
    if any(each > 1 for each in least):
        counts = pruned(counts, least)
    sizes = [counts.size(length) for length in range(1, order + 1)]
    report(Progress("train", 1, steps, sum(sizes)))
    model = NGram(counts, plan.smoothing, order)
    held_out = list(sentences(counted.held_out, plan))
    perplexities: dict[str, float] = {}
    unknown = 0.0
    for length in range(1, order + 1):
        if held_out:
            found = NGram(counts, plan.smoothing, length, dictionary=model.dictionary) if length < order else model
            value, unknown = predicted(found, held_out)
            perplexities[str(length)] = round(value, 2)
        report(Progress("train", 1 + length, steps, sum(sizes)))
    tokenizer = NGRAM.tokenizer(model)
    figures = {
        "words": words,
        "sentences": counts.sentences,
        "sizes": sizes,
        "minimum_counts": list(least),
        "removed": sum(before) - sum(sizes),
        "forgotten": forgotten.ngrams,
        "forgotten_below": forgotten.below,
        "perplexity": perplexities,
        "unknown": round(unknown, 4),
        "held_out_words": sum(map(len, held_out)),
    }
    return tokenizer, "\n".join(map(joined, held_out)), figures


def counts_of(table: Mapping[str, int], order: int) -> NGramCounts:
    """Return the counts of a table of n-grams, words in its order; beyond MOST_WORDS they are counted as unknown.

    >>> from webapp.core.training.ngrams import count_ngrams
    >>> counts = counts_of(count_ngrams("人生 如 戏", TrainingPlan(trainer="ngram")), 2)
    >>> counts.words, counts.count("人生", "如"), counts.sentences
    (('人生', '如', '戏'), 1, 1)
    """
    names = [ngram for ngram in table if " " not in ngram and ngram not in MARKS][:MOST_WORDS]
    words = list(map(word_of, names))
    numbers = dict(zip(names, range(len(names)), strict=True))
    numbers.update({str(mark): len(names) + at for at, mark in enumerate(EDGES)})
    unknown = len(names) + 2
    base = len(names) + len(EDGES)
    by_order: list[Counter[int]] = [Counter() for _ in range(order)]
    for ngram, count in table.items():
        parts = ngram.split(" ")
        key = 0
        for part in parts:
            key = key * base + numbers.get(part, unknown)
        by_order[len(parts) - 1][key] += count
    return NGramCounts(words, levels_of(by_order, base))


def minimum_counts(counts: NGramCounts, plan: TrainingPlan) -> Sequence[int]:
    """Return the lowest count of a pair and of a triple that is kept: the plan's, or more if there are too many."""
    least = [plan.minimum_pairs, plan.minimum_triples][: counts.order - 1]
    frequencies = [Counter(level.counts) for level in counts.levels[1:]]
    kept = [
        sum(number for count, number in found.items() if count >= lowest)
        for found, lowest in zip(frequencies, least, strict=True)
    ]
    while sum(kept) > MOST_KEPT - len(counts.words):
        at = max(range(len(kept)), key=lambda place: (kept[place], place))
        kept[at] -= frequencies[at][least[at]]
        least[at] += 1
    return least


def predicted(model: NGram, texts: Sequence[Sequence[str]]) -> tuple[float, float]:
    """Return the perplexity of sentences, and the share of their words that the model does not know.

    An unknown word counts as one word, without its spelling, so that models with and without a model of characters can
    be compared.
    """
    total, number, unknown = 0.0, 0, 0
    counts, extended = model.counts, model.tables.extended
    for words in texts:
        last = BEGINNING, counts.start
        for word in words:
            following = counts.number(word)
            unknown += following == counts.unknown
            total = extended(total, last, following, 0.0)
            last = last[1], following
        total = extended(total, last, counts.end, 0.0)
        number += len(words) + 1
    return (exp(-total / number), unknown / max(1, number - len(texts))) if number else (1.0, 0.0)


def joined(words: Sequence[str]) -> str:
    """Return a sentence as one writes it: with spaces only between words of letters that are written with spaces.

    >>> joined(["他", "用", "Python", "3", "。"]), joined(["low", "lower", "."])
    ('他用Python 3。', 'low lower.')
    """
    text = ""
    for word in words:
        if text and _SPACED.match(text[-1]) and _SPACED.match(word[:1]):
            text += " "
        text += word
    return text
