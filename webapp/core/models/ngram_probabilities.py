"""The probabilities of an n-gram model: counts and a smoothing, for words as numbers."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import exp, inf, log

from webapp.core.models.ngram_counts import MARKS, NGramCounts
from webapp.core.models.smoothing import AddK, JelinekMercer, KneserNey, Smoothing

Scores = tuple[float, Mapping[int, float] | None]
"""The logarithm of what a context leaves to the shorter one, and the scores of the words that were counted after it."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one order adds to the probability of a word after a context.

    `count` is how often the word follows the context, `total` how often any word does; with `continuation`, in the
    lower orders of Kneser-Ney, after how many different words instead. `share` is what the smoothing makes of them, for
    example (count - D) / total, and `weight` what the higher orders leave to this one: it adds `probability`, their
    product, and leaves `left` of its weight to the next. Order 0 counts nothing: its share is the same for each word,
    1 / V, or the word's part of a dictionary's frequencies.
    """

    order: int
    context: tuple[str, ...]
    count: int
    total: int
    share: float
    weight: float
    left: float = 0.0
    continuation: bool = False

    @property
    def probability(self) -> float:
        """What the order adds to the sum."""
        return self.weight * self.share


class Probabilities:
    """P(word | context) for words and contexts as numbers of `NGramCounts`; contexts have at most order - 1 words.

    `size` is V: the words, the end of a sentence, and unknown words where they form a class. `base` has the frequencies
    of a dictionary, by word: with it order 0 is (frequency + 1) / (all frequencies + V), else 1 / V.
    """

    def __init__(
        self, counts: NGramCounts, smoothing: Smoothing, order: int, size: int, base: Sequence[int] | None = None
    ) -> None:
        self.counts = counts
        self.smoothing = smoothing
        self.order = order
        self.size = size + int(isinstance(smoothing, AddK) and smoothing.counts_start)
        self.base = base
        self.interpolates = not isinstance(smoothing, AddK)
        self._base_total = sum(base) + size if base is not None else size
        self._first = self._shares(())

    def lowest(self, word: int) -> float:
        """The probability of order 0."""
        if self.base is None:
            return 1 / self.size
        return ((self.base[word] if word < len(self.base) else 0) + 1) / self._base_total

    def shares(self, context: tuple[int, ...]) -> tuple[dict[int, float], float]:
        """The share of each word that was counted after a context, and what is left for the order below."""
        return self._shares(context) if context else self._first

    def adjusted(self, context: tuple[int, ...]) -> bool:
        """Whether the words after a context are counted by the different words before both (Kneser-Ney)."""
        return (
            isinstance(self.smoothing, KneserNey)
            and len(context) < self.order - 1
            and not (context and context[0] == self.counts.start)
        )

    def counted(self, context: tuple[int, ...]) -> tuple[dict[int, int], int]:
        """The counts of the words after a context, and the total."""
        return self._count(context) if context else self._counted_first

    @cached_property
    def _counted_first(self) -> tuple[dict[int, int], int]:
        return self._count(())

    def _count(self, context: tuple[int, ...]) -> tuple[dict[int, int], int]:
        counts, length = self.counts, len(context)
        level = counts.levels[length]
        node = counts.find(context) if context else None
        if context and node is None:
            return {}, 0
        nodes = range(len(level.words)) if node is None else level.children(node)
        adjusted = self.adjusted(context)
        values = level.continuations if adjusted else level.counts
        following, times = level.words[nodes.start : nodes.stop], values[nodes.start : nodes.stop]
        found = dict(zip(following, times, strict=True))
        if 0 in times:
            found = {word: count for word, count in found.items() if count}
        if node is None:
            found.pop(counts.start, None)
        kept = sum(found.values())
        if node is None or adjusted or isinstance(self.smoothing, AddK):
            return found, kept
        return found, counts.total(length, node)

    def probability(self, word: int, context: tuple[int, ...]) -> float:
        """The probability of a word after a context."""
        if isinstance(self.smoothing, AddK):
            return self.add_k(word, context)
        shares, left = self.shares(context)
        below = self.probability(word, context[1:]) if context else self.lowest(word)
        return shares.get(word, 0.0) + left * below

    def add_k(self, word: int, context: tuple[int, ...]) -> float:
        """(count + k) / (total + k · V)."""
        assert isinstance(self.smoothing, AddK)
        k = self.smoothing.k
        found, total = self.counted(context)
        return (found.get(word, 0) + k) / (total + k * self.size or 1)

    def contributions(self, word: int, context: tuple[int, ...]) -> list[Contribution]:
        """What each order adds to the probability of a word, from the longest context down to order 0."""
        found: list[Contribution] = []
        weight = 1.0
        while True:
            counts, total = self.counted(context)
            shares, left = self.shares(context)
            names = tuple(map(self.counts.word, context))
            count, share = counts.get(word, 0), shares.get(word, 0.0)
            adjusted = self.adjusted(context)
            found.append(Contribution(len(names) + 1, names, count, total, share, weight, left, adjusted))
            weight *= left
            if not context or isinstance(self.smoothing, AddK):
                break
            context = context[1:]
        lowest = 1 / self.size if isinstance(self.smoothing, AddK) else self.lowest(word)
        return [*found, Contribution(0, (), 0, 0, lowest, weight)]

    @cached_property
    def lowest_scores(self) -> Sequence[float]:
        """The natural logarithm of each word's probability without a context, by number; computed on first use.

        With add-k and a context nothing is left but the context's part, so it is 0.
        """
        numbers = len(self.counts.words) + len(MARKS)
        shares, left = self._first
        if not self.interpolates and self.order > 1:
            return [0.0] * numbers
        if self.interpolates and self.base is not None:
            # Many words have the same frequency and share one number.
            rest = left / self._base_total
            known = {frequency: log(rest * (frequency + 1)) for frequency in {0, *self.base}}
            scores = list(map(known.__getitem__, self.base))
            scores += [known[0]] * (numbers - len(scores))
        else:
            # Most words of a large dictionary were never counted and share one number.
            scores = [logarithm(self.probability(self.counts.start, ()))] * numbers
        for number in shares:
            scores[number] = log(self.probability(number, ()))
        return scores

    def contexts(self) -> Iterator[tuple[int, int]]:
        """The contexts of two words that others were counted after."""
        _, pairs, triples = self.counts.levels[:3]
        for node, (begin, end) in enumerate(pairwise(triples.begins)):
            if begin < end:
                yield bisect_right(pairs.begins, node) - 1, pairs.words[node]

    def scores(self, context: tuple[int, ...], shorter: Scores | None = None) -> Scores:
        """The logarithm of what a context leaves to the shorter one, and of the probability of each word after it.

        `shorter` are those of the context without its first word, computed if they are not given.
        """
        if isinstance(self.smoothing, AddK):
            found, total = self.counted(context)
            k = self.smoothing.k
            whole = total + k * self.size or 1
            # As the textbook divides, (c + k) / (N + k · V), whose rounding may decide a tie.
            return logarithm(k / whole), {word: log((count + k) / whole) for word, count in found.items()} or None
        first = self.lowest_scores
        shares, left = self._shares(context)
        if len(context) == 1:
            scores = {word: log(share + left * exp(first[word])) for word, share in shares.items() if share > 0}
        else:
            left_below, below = self.scores(context[1:]) if shorter is None and shares else shorter or (0.0, None)
            known = below or {}
            scores = {
                word: log(share + left * exp(known[word] if word in known else left_below + first[word]))
                for word, share in shares.items()
                if share > 0
            }
        return log(left) if left > 0 else -inf, scores or None

    def _shares(self, context: tuple[int, ...]) -> tuple[dict[int, float], float]:
        found, total = self.counted(context)
        smoothing = self.smoothing
        if not total:
            return {}, float(smoothing != AddK(0.0))
        if isinstance(smoothing, AddK):
            whole = total + smoothing.k * self.size
            return {word: count / whole for word, count in found.items()}, smoothing.k * self.size / whole
        kept = sum(found.values())
        if isinstance(smoothing, JelinekMercer):
            weight = smoothing.weights[len(context)]
            return {word: weight * count / total for word, count in found.items()}, 1 - weight * kept / total
        discount = smoothing.discounts[len(context)]
        shares = {word: (count - discount) / total for word, count in found.items() if count > discount}
        return shares, (total - kept + discount * len(shares)) / total + _lost(found, discount, total)


def logarithm(probability: float) -> float:
    """The natural logarithm; −∞ for 0, which only counts without smoothing give."""
    return log(probability) if probability else -inf


def _lost(found: dict[int, int], discount: float, total: int) -> float:
    """The part of counts that are no higher than the discount, which leave all they have."""
    return sum(count for count in found.values() if count <= discount) / total if discount >= 1 else 0.0
