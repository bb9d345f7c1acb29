"""The sentences of a corpus, and how often each n-gram of words occurs in them.

Counts of n-grams have the form of those of pre-tokens, so that one process, several or a cluster count both alike: an
n-gram is its words with single spaces between them, spelled as in a file of counts (see
`webapp.core.formats.ngram_counts`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

from webapp.core.formats.dictionary import jieba_dictionary
from webapp.core.formats.ngram_counts import spelled
from webapp.core.models.matching import Matching
from webapp.core.models.maximum_probability import MaximumProbability
from webapp.core.models.ngram_counts import END, LONGEST_WORD, START, UNKNOWN
from webapp.core.text.sentences import sentence_spans
from webapp.core.trainers.ngram import segmented
from webapp.core.training.plan import TrainingPlan

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
    model = Matching(jieba_dictionary(), "forward")
    return lambda text: [text[start:end] for _, start, end in model.segment(text)]


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


def is_segmented(counts: dict[str, int]) -> bool:
    """Whether the words of n-gram counts are words, and not whole lines of a text without spaces and slashes.

    >>> is_segmented(count_ngrams("他来到了网易杭研大厦\\n" * 9, TrainingPlan(trainer="ngram")))
    False
    """
    words = characters = 0
    for ngram, count in counts.items():
        if " " not in ngram and ngram not in MARKS:
            words += count
            characters += count * len(ngram)
    return (words - counts.get(_START, 0)) * 20 >= characters
