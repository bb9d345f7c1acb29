"""The sentences of a corpus, and how often each n-gram of words occurs in them.

Counts of n-grams have the form of those of pre-tokens, so that one process, several or a cluster count both alike: an
n-gram is its words with single spaces between them, spelled as in a file of counts (see
`webapp.core.formats.ngram_counts`).

Train the plans for n-grams of words: a model from the counts, and how well it predicts the held-out sentences.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from math import exp
from typing import Any

import regex

from webapp.core.formats.dictionary import jieba_dictionary
from webapp.core.formats.ngram_counts import spelled, word_of
from webapp.core.models.matching import Matching
from webapp.core.models.maximum_probability import MaximumProbability
from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import END, LONGEST_WORD, START, UNKNOWN, NGramCounts, levels_of
from webapp.core.models.ngram_counts import MARKS as EDGES
from webapp.core.models.ngram_viterbi import BEGINNING
from webapp.core.recipes import NGRAM
from webapp.core.text.sentences import sentence_spans
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers.ngram import pruned, segmented
from webapp.core.training.counted_corpus import CountedCorpus
from webapp.core.training.plan import Progress, Report, TrainingError, TrainingPlan

MOST_COUNTED = 3_000_000  # different n-grams in memory: about 600 MB
_START, _END, _UNKNOWN = map(str, (START, END, UNKNOWN))
MARKS = frozenset((_START, _END, _UNKNOWN))


def sentences(text: str, plan: TrainingPlan) -> Iterator[list[str]]:
    """Yield the words of each sentence, longer ones than a model can have in parts.

    >>> list(sentences("人生 如 梦境\\n", TrainingPlan(trainer="ngram")))
    [['人生', '如', '梦境']]
    >>> list(sentences("他来到了北京。", TrainingPlan(trainer="ngram", segmentation="fmm")))
    [['他', '来到', '了', '北京', '。']]
    """
    if plan.segmentation == "words":
        for words in segmented(text):
            yield _within(words)
        return
    segment = _segmenter(plan.segmentation)
    for start, end in sentence_spans(text):
        words = [word for word in segment(text[start:end]) if not word.isspace()]
        if words:
            yield _within("".join(word.split()) for word in words)


def _within(words: Sequence[str] | Iterator[str]) -> list[str]:
    return [word[start : start + LONGEST_WORD] for word in words for start in range(0, max(len(word), 1), LONGEST_WORD)]


@cache
def _segmenter(name: str) -> Callable[[str], Sequence[str]]:
    if name == "max-probability":
        return MaximumProbability(jieba_dictionary()).words
    return Matching(jieba_dictionary(), "forward").words


def count_ngrams(text: str, plan: TrainingPlan) -> dict[str, int]:
    """Return how often each n-gram up to the plan's order occurs in a text.

    >>> count_ngrams("人生 如 戏", TrainingPlan(trainer="ngram"))  # doctest: +NORMALIZE_WHITESPACE
    {'<s>': 1, '人生': 1, '如': 1, '戏': 1, '</s>': 1, '<s> 人生': 1, '人生 如': 1, '如 戏': 1, '戏 </s>': 1}
    """
    row: list[str] = []
    for words in sentences(text, plan):
        row += (_START, *map(spelled, words), _END)
    counts: Counter[str] = Counter(row)
    for length in range(2, int(plan.order) + 1):
        found = Counter(map(" ".join, zip(*(row[at:] for at in range(length)), strict=False)))
        # All sentences are in one row: what reaches from one END into the next sentence is no n-gram.
        crossing = f" {_END} "
        counts.update({ngram: n for ngram, n in found.items() if crossing not in f" {ngram}"})
    return dict(counts)


@dataclass
class Forgotten:
    """What was removed from a table of counts that had grown too large."""

    ngrams: int = 0
    below: int = 0  # the count below which n-grams were removed


def forget_rare(counts: dict[str, int], forgotten: Forgotten, most: int = MOST_COUNTED) -> None:
    """If there are more than `most` n-grams, remove the rarest until at most half of them are left.

    An n-gram is never more frequent than its parts, so that no part of one that stays is removed. Words are counted as
    unknown from then on.

    >>> counts, forgotten = {"<s>": 2, "a": 9, "b": 1, "a b": 1, "b a": 1, "a a": 2, "<s> a": 1}, Forgotten()
    >>> forget_rare(counts, forgotten, 6)
    >>> counts, forgotten
    ({'<s>': 2, 'a': 9, '<unk>': 1}, Forgotten(ngrams=5, below=3))
    """
    if len(counts) <= most:
        return
    least = 1
    while len(counts) > most // 2 and least < 1 << 40:
        least += 1
        rare = [ngram for ngram, count in counts.items() if count < least and ngram not in MARKS]
        for ngram in rare:
            count = counts.pop(ngram)
            if " " not in ngram:
                counts[_UNKNOWN] = counts.get(_UNKNOWN, 0) + count
        forgotten.ngrams += len(rare)
        forgotten.below = max(forgotten.below, least)
        if len(counts) <= len(MARKS):
            break


def latest(counts: dict[str, int], plan: TrainingPlan, most: int) -> tuple[str, ...]:
    """The n-grams of the highest order that were first seen last, newest first.

    >>> latest({"a": 1, "a b": 1, "b c": 1}, TrainingPlan(trainer="ngram"), 5)
    ('b c', 'a b')
    """
    spaces = int(plan.order) - 1
    newest = islice(reversed(counts), 20 * most)
    found = (ngram for ngram in newest if ngram.count(" ") == spaces and MARKS.isdisjoint(ngram.split(" ")))
    return tuple(islice(found, most))


def check_ngrams(plan: TrainingPlan, counts: Mapping[str, int]) -> None:
    """`check_words` of n-gram counts."""
    words = characters = 0
    for ngram, count in counts.items():
        if " " not in ngram and ngram not in MARKS:
            words += count
            characters += count * len(ngram)
    check_words(plan, counts.get(_START, 0), words, characters)


def check_words(plan: TrainingPlan, sentences: int, words: int, characters: int) -> None:
    """Raise TrainingError if a corpus with so many of them shows no words in sentences.

    Its code is `listed` if its lines are single words, as in a dictionary, and `unsegmented` if its words are whole
    lines of a text without spaces and slashes.

    >>> check_words(TrainingPlan(trainer="tagger"), sentences=2, words=9, characters=14)
    >>> check_words(TrainingPlan(trainer="tagger"), sentences=100, words=100, characters=270)
    Traceback (most recent call last):
    webapp.core.training.plan.TrainingError: listed
    """
    separated = plan.segmentation == "words"
    whole = (words - sentences) * 20 < characters
    if characters < LISTED * sentences and (whole or not separated):
        raise TrainingError("listed")
    if separated and whole:
        raise TrainingError("unsegmented")


LISTED = 4  # characters; lines of a list of words have fewer, those of texts more
MOST_WORDS = 300_000
MOST_KEPT = 400_000  # n-grams of a model, so that its file can be read in seconds
_SPACED = regex.compile(r"[\p{L}\p{M}\p{N}--[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}]]", regex.V1)


def train_ngrams(plan: TrainingPlan, counted: CountedCorpus, report: Report) -> tuple[Tokenizer, str, dict[str, Any]]:
    """Return the tokenizer, the held-out text as the model is given it, and the figures of the training.

    Of a corpus with more n-grams than a model may have, the rarest are removed, triples before pairs. Raises
    TrainingError as `check_words` does.
    """
    table = dict(counted.counts.items())
    check_ngrams(plan, table)
    order = int(plan.order)
    steps = order + 2
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
