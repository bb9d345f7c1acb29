"""Measures of a tokenization: how long, how fragmented and how even the tokens of a text are.

None of them says how good a language model with the tokenizer will be: Schmidt et al. 2024, "Tokenization Is More Than
Compression" (arXiv 2402.18376), train models with the fewest tokens possible, and they are no better than others.

Each function is its formula. Except for `measures_of`, they take plain numbers, so that the same measure can be taken
of the output of any other tokenizer.

Agreement of several segmentations of one text: the boundaries of each, of all, and of every pair.

How well the boundaries of tokens agree with those of a gold segmentation, into words or into morphemes.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import fsum, log2
from operator import eq
from typing import Literal, get_args

from webapp.core.analysis.words import TextWords
from webapp.core.encoding import Encoding
from webapp.core.evaluation.gold import GoldText
from webapp.core.tokenizer import Tokenizer

MeasureId = Literal[
    "tokens",
    "characters-per-token",
    "bytes-per-token",
    "fertility",
    "whole-words",
    "unknown",
    "renyi-efficiency",
    "vocabulary-used",
    "premium",
    "gini",
    "boundary-precision",
    "boundary-recall",
    "boundary-f1",
]
MEASURES: tuple[MeasureId, ...] = get_args(MeasureId)
ALPHA = 2.5
"""The order of Rényi entropy that Zouhar et al. 2023 found to correlate best with the quality of translations."""


@dataclass(frozen=True)
class TextMeasures:
    """The measures of a tokenizer on one text; None where there is nothing to divide by."""

    tokens: int
    different_tokens: int
    vocabulary_size: int
    characters_per_token: float | None
    bytes_per_token: float | None
    fertility: float | None
    whole_words: float | None
    unknown: float | None
    renyi_efficiency: float | None
    vocabulary_used: float | None

    def value(self, measure: MeasureId) -> float | None:
        """The value of a measure; None also for those that are not of a single text."""
        found: float | None = getattr(self, measure.replace("-", "_"), None)
        return found


def measures_of(encoding: Encoding, words: TextWords, vocabulary_size: int) -> TextMeasures:
    """Measure the tokens of a text whose words are `words`, with a vocabulary of `vocabulary_size` ids.

    >>> from webapp.core.analysis.words import words_of
    >>> from webapp.core.models.wordpiece import WordPiece
    >>> from webapp.core.recipes import WORDPIECE
    >>> tokenizer = WORDPIECE.tokenizer(WordPiece(["[UNK]", "low", "##er", "##est", "a", "b", "c", "d", "e", "f"]))
    >>> text = "low lower lowest"  # low low ##er low ##est
    >>> found = measures_of(tokenizer.encode(text), words_of(text), 10)
    >>> found.tokens, found.characters_per_token, found.bytes_per_token, found.different_tokens, found.vocabulary_used
    (5, 3.2, 3.2, 3, 0.3)
    >>> round(found.fertility, 4), round(found.whole_words, 4), found.unknown, round(found.renyi_efficiency, 4)
    (1.6667, 0.3333, 0.0, 0.7017)

    The time is nearly linear in the number of tokens.
    """
    text, tokens = encoding.text, len(encoding)
    counts = Counter(encoding.ids)
    fertility, whole = word_measures(words, encoding.starts, encoding.ends, encoding.unknown)
    return TextMeasures(
        tokens=tokens,
        different_tokens=len(counts),
        vocabulary_size=vocabulary_size,
        characters_per_token=per(len(text), tokens),
        bytes_per_token=per(len(text.encode("utf-8", "replace")), tokens),
        fertility=fertility,
        whole_words=whole,
        unknown=per(len(encoding.unknown), tokens),
        renyi_efficiency=renyi_efficiency(counts.values()),
        vocabulary_used=per(min(len(counts), vocabulary_size), vocabulary_size) if tokens else None,
    )


def per(amount: float, of: float) -> float | None:
    """The quotient, or None if there is nothing to divide by.

    >>> per(16, 5), per(0, 0)
    (3.2, None)
    """
    return amount / of if of else None


def word_measures(
    words: TextWords, starts: Sequence[int], ends: Sequence[int], unknown: Collection[int] = ()
) -> tuple[float | None, float | None]:
    """Fertility and the share of words kept whole, given the starts and ends of the tokens and the unknown ones.

    Fertility is the mean number of tokens that cover at least one character of a word (Rust et al. 2021, "How Good is
    Your Tokenizer?", section 3.2, there with words tokenized one by one). A word is kept whole if only one token covers
    any of it and that token is not unknown: 1 minus Rust's proportion of continued words, unknown words aside. Tokens
    of white space and punctuation alone count in neither.

    >>> words = TextWords(starts=[0, 4, 10], ends=[3, 9, 16])  # low lower lowest
    >>> word_measures(words, [0, 4, 7, 10, 13], [3, 7, 9, 13, 16])
    (1.6666666666666667, 0.3333333333333333)
    >>> word_measures(words, [0, 4, 10], [3, 9, 16], unknown=[2])
    (1.0, 0.6666666666666666)
    """
    if not words:
        return None, None
    covering = _covering(words, starts, ends)
    if unknown:
        unknown_starts, unknown_ends = [starts[at] for at in unknown], [ends[at] for at in unknown]
        unknown_covering = _covering(words, unknown_starts, unknown_ends)
        whole = sum(1 for one, other in zip(covering, unknown_covering, strict=True) if one == 1 and not other)
    else:
        whole = covering.count(1)
    return sum(covering) / len(words), whole / len(words)


def _covering(words: TextWords, starts: Sequence[int], ends: Sequence[int]) -> list[int]:
    """For each word, the number of tokens that cover any of it: all that begin before its end, less those before it."""
    if any(map(eq, starts, ends)):  # tokens without text
        texts = [(start, end) for start, end in zip(starts, ends, strict=True) if start < end]
        starts, ends = [start for start, _end in texts], [end for _start, end in texts]
    all_starts, all_ends = sorted(starts), sorted(ends)
    found = []
    before = after = 0
    for start, end in zip(words.starts, words.ends, strict=True):
        before = bisect_right(all_ends, start, before)
        after = bisect_left(all_starts, end, after)
        found.append(after - before)
    return found


def renyi_efficiency(counts: Iterable[int], alpha: float = ALPHA, vocabulary: int | None = None) -> float | None:
    """The Rényi efficiency of a distribution of tokens: its Rényi entropy divided by the highest one possible.

    From 0, if nearly all tokens are the same, to 1, if all are equally frequent (Zouhar et al. 2023, "Tokenization and
    the Noiseless Channel", arXiv 2306.16842, section 4). `counts` has the occurrences of each different token. As in
    the authors' `tokenization-scorer`, the highest entropy is that of the tokens that occur, or of `vocabulary`
    different ones if that is given. None with fewer than two different tokens. With `alpha` 1 it is Shannon's.

    Three, one and one of five tokens: the sum of p^2.5 is 0.6^2.5 + 2 · 0.2^2.5 = 0.3146, the entropy
    log2(0.3146) / (1 - 2.5) = 1.1122 bits, the highest one log2(3) = 1.585.

    >>> round(renyi_efficiency([3, 1, 1]), 4), renyi_efficiency([2, 2, 2, 2]), renyi_efficiency([5])
    (0.7017, 1.0, None)
    """
    numbers = Counter(count for count in counts if count > 0)  # many tokens occur equally often
    different = numbers.total() if vocabulary is None else vocabulary
    total = sum(count * times for count, times in numbers.items())
    if different < 2 or not total:
        return None
    shares = [(count / total, times) for count, times in numbers.items()]
    if alpha == 1:
        entropy = -fsum(times * share * log2(share) for share, times in shares)
    else:
        entropy = log2(fsum(times * share**alpha for share, times in shares)) / (1 - alpha)
    return entropy / log2(different)


def premium(tokens: int, english: int) -> float | None:
    """How many times as many tokens a text has as its English translation; 1 is parity.

    The tokenization premium of Petrov et al. 2023, "Language Model Tokenizers Introduce Unfairness Between Languages"
    (arXiv 2305.15425), with English as the reference; None if the English text has no tokens.

    >>> premium(54, 36), premium(36, 36)
    (1.5, 1.0)
    """
    return per(tokens, english)


def gini(costs: Iterable[float]) -> float | None:
    """The Gini coefficient of the tokens that each language needs for the same text, all languages weighing the same.

    The mean difference of two languages divided by twice the mean: 0 if all need as many, near 1 if one of many
    languages needs nearly all. Foroutan et al. 2025, "Parity-Aware Byte-Pair Encoding" (arXiv 2508.04796), measure
    tokenizers by it; this is the formula of their evaluation code. None without a cost above 0.

    Of 1, 1, 2 and 4 the 16 differences add up to 2 · (0 + 1 + 3 + 1 + 3 + 2) = 20, and twice the mean is 4:

    >>> gini([1, 2, 1, 4]), 20 / (2 * 4**2 * 2), gini([7, 7, 7]), gini([])
    (0.3125, 0.3125, 0.0, None)
    """
    ordered = sorted(costs)
    count, total = len(ordered), fsum(ordered)
    if not total:
        return None
    # In order, each cost is the greater one of `at` pairs and the lesser one of `count - 1 - at`.
    return fsum((2 * at + 1 - count) * cost for at, cost in enumerate(ordered)) / (count * total)


@dataclass(frozen=True, slots=True)
class Agreement:
    """The boundaries inside one text, as character offsets in ascending order.

    `each` holds those of every segmentation, in the given order; `agreed` those in all of them, `disputed` those in
    only some. `shared[i][j]` is the number that the i-th and the j-th have in common, `shared[i][i]` the number of the
    i-th.
    """

    each: tuple[tuple[int, ...], ...]
    agreed: tuple[int, ...]
    disputed: tuple[int, ...]
    shared: tuple[tuple[int, ...], ...]

    def similarity(self, one: int, other: int) -> float:
        """The Jaccard index of two segmentations: the share of their boundaries that both have, from 0 to 1."""
        both = self.shared[one][other]
        either = self.shared[one][one] + self.shared[other][other] - both
        return both / either if either else 1.0


def agreement_of(each: Iterable[Sequence[int]]) -> Agreement:
    """Compare segmentations by their boundaries, as `token_boundaries` returns them.

    Apart from sorting, the time is linear in the number of boundaries.

    >>> found = agreement_of([[3, 4, 6], [4, 6], [2, 4]])
    >>> found.agreed, found.disputed
    ((4,), (2, 3, 6))
    >>> found.shared
    ((3, 2, 1), (2, 2, 1), (1, 1, 2))
    >>> found.similarity(0, 1)
    0.6666666666666666
    """
    cuts = tuple(map(tuple, each))
    sets = [frozenset(one) for one in cuts]
    agreed = frozenset.intersection(*sets) if sets else frozenset()
    return Agreement(
        each=cuts,
        agreed=tuple(sorted(agreed)),
        disputed=tuple(sorted(frozenset().union(*sets) - agreed)),
        shared=tuple(tuple(len(one & other) for other in sets) for one in sets),
    )


def token_boundaries(starts: Sequence[int], ends: Sequence[int], length: int) -> list[int]:
    """The boundaries inside a text of `length` characters, given the starts and ends of its tokens.

    A boundary is where one token ends and the next begins. Text without a token, such as the spaces that BERT drops,
    counts as part of the token after it, like the space that begins a token of GPT or SentencePiece: whether a
    tokenizer drops spaces does not change where it splits. There is no boundary between tokens that share a character,
    and none at tokens without any text.

    >>> token_boundaries([0, 3, 7], [3, 6, 9], 9)  # "low" and "est", then after a space "ly"
    [3, 6]
    >>> token_boundaries([0, 1, 1, 1], [1, 2, 2, 2], 2)  # three bytes of the second character
    [1]
    """
    found = []
    reach = 0
    for start, end in zip(starts, ends, strict=True):
        if start == end:
            continue
        if start >= reach > 0:
            found.append(reach)
        if end > reach:
            reach = end
    return [offset for offset in found if offset < length]


@dataclass(frozen=True)
class BoundaryAgreement:
    """The boundaries inside the lines of a gold text: `gold` ones, `found` ones, and those that are both."""

    gold: int
    found: int
    both: int

    @property
    def precision(self) -> float | None:
        """The share of the tokenizer's boundaries that are gold; None without any."""
        return per(self.both, self.found)

    @property
    def recall(self) -> float | None:
        """The share of the gold boundaries that the tokenizer has; None without any."""
        return per(self.both, self.gold)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall; None if neither has boundaries."""
        return per(2 * self.both, self.gold + self.found)


def boundary_agreement(tokenizer: Tokenizer, gold: GoldText) -> BoundaryAgreement:
    """Compare the boundaries of a tokenizer with the gold ones; each line is a text of its own.

    Spaces between words are left out, so that it does not matter on which side of a space a token ends. The beginning
    and the end of a line do not count; nor do boundaries inside of a character.

    >>> from webapp.core.evaluation.gold import read_gold
    >>> from webapp.core.models.wordpiece import WordPiece
    >>> from webapp.core.recipes import WORDPIECE
    >>> tokenizer = WORDPIECE.tokenizer(WordPiece(["[UNK]", "un", "##break", "##able", "##s", "##ab", "##le"]))
    >>> boundary_agreement(tokenizer, read_gold("un break able"))  # un|break|able
    BoundaryAgreement(gold=2, found=2, both=2)
    >>> found = boundary_agreement(tokenizer, read_gold("un break ables"))  # un|break|able|s
    >>> found, found.recall, round(found.precision, 3), found.f1
    (BoundaryAgreement(gold=2, found=3, both=2), 1.0, 0.667, 0.8)
    """
    gold_count = found_count = both = 0
    for line in gold.lines:
        expected = set(list(accumulate(map(len, line.words)))[:-1])
        expected.discard(0)
        encoding = tokenizer.encode(line.text)
        found = _without_spaces(line.text, token_boundaries(encoding.starts, encoding.ends, len(line.text)))
        gold_count += len(expected)
        found_count += len(found)
        both += len(expected & found)
    return BoundaryAgreement(gold_count, found_count, both)


def _without_spaces(text: str, offsets: Iterable[int]) -> set[int]:
    """The offsets in the text without the spaces between its words, except the beginning and the end."""
    if " " not in text:
        return set(offsets)
    kept: Sequence[int] = list(accumulate((character != " " for character in text), initial=0))
    return {kept[offset] for offset in offsets} - {0, kept[-1]}
