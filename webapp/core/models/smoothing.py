"""Smoothing: probabilities of n-grams from their counts, none of them 0.

Every method here gives a word after a context a share of its own, if the two were counted together, and hands what is
left to the shorter context, down to order 0, which knows nothing but the vocabulary; only `BY_HAND` has others:

    P(w | h) = share(w | h) + left(h) · P(w | h without its first word),   left(h) = 1 - Σ share(w | h)

so that the probabilities of all words and the end of a sentence sum to 1. A context that was never counted leaves
everything to the shorter one. Sources: Jurafsky and Martin, "Speech and Language Processing", third edition, chapter 3
(sections on Laplace smoothing, interpolation, and Kneser-Ney smoothing); Chen and Goodman 1998, "An Empirical Study of
Smoothing Techniques for Language Modeling".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from webapp.core.models.ngram_counts import Estimates, Level, NGramCounts

SmoothingName = Literal["add-one", "jelinek-mercer", "absolute-discounting", "kneser-ney"]
SMOOTHINGS: tuple[SmoothingName, ...] = get_args(SmoothingName)


@dataclass(frozen=True)
class AddK:
    """Add `k` to every count (k = 1: Laplace): (c + k) / (N + k · V). Chen and Goodman 1998, section 2.1.

    The share of order n is c / (N + k · V), and the rest goes to order 0 at once: k / (N + k · V) for each word. With
    k = 0, what was never counted has the probability 0. `counts_start` has the beginning of a sentence in V, as an
    exercise of Jurafsky and Martin does.
    """

    k: float = 1.0
    counts_start: bool = False

    @property
    def name(self) -> str:
        """The name by which `estimate` makes it; "add-one" for another k."""
        return next((name for name, one in BY_HAND.items() if one == self), "add-one")


BY_HAND = {"unsmoothed": AddK(0.0), "add-one-marks": AddK(counts_start=True)}
"""Ways of textbooks to count by hand, for exercises alone: no vocabulary has them."""


@dataclass(frozen=True)
class JelinekMercer:
    """Mix each order with the one below: λ · c / N + (1 - λ) · P(shorter). Chen and Goodman 1998, section 2.3.

    `weights` are the λ of the orders from 1 on, the same for all contexts of an order.
    """

    name: ClassVar[SmoothingName] = "jelinek-mercer"
    weights: tuple[float, ...]


@dataclass(frozen=True)
class AbsoluteDiscounting:
    """Take D from every count: max(c - D, 0) / N, and the rest to the order below. Chen and Goodman 1998, section 2.6.

    `discounts` are the D of the orders from 1 on.
    """

    name: ClassVar[SmoothingName] = "absolute-discounting"
    discounts: tuple[float, ...]


@dataclass(frozen=True)
class KneserNey(AbsoluteDiscounting):
    """Interpolated Kneser-Ney: absolute discounting, whose lower orders count different contexts instead of words.

    A word's probability in a lower order follows from how many different words it occurs after, N1+(• w): 山西 may be
    frequent, but 西 alone after 山 only. Chen and Goodman 1998, section 2.7 and equation 24, with one discount an
    order. N-grams that begin a sentence keep their counts, because nothing stands before them; the discounts count
    these, too, as KenLM does (Heafield et al. 2013, section 3.3).
    """

    name: ClassVar[SmoothingName] = "kneser-ney"


Smoothing = AddK | JelinekMercer | AbsoluteDiscounting


def estimate(name: str, counts: NGramCounts, order: int | None = None) -> Smoothing:
    """Return a smoothing for n-grams up to an order, with parameters from the counts: `add-one` has k = 1.

    Discounts are n1 / (n1 + 2 · n2), where n1 and n2 say how many n-grams occur once and twice (Ney, Essen and Kneser
    1994; Chen and Goodman 1998, equation 12); 0.5 where none occurs once or none twice. Weights are those of deleted
    interpolation, see `Estimates`. Raises KeyError for any other name.

    >>> from webapp.core.models.ngram_counts import END, START
    >>> counts = NGramCounts.of(["a", "b"], {("a",): 2, ("b",): 1, (END,): 2, (START,): 2,
    ...                                      (START, "a"): 2, ("a", "b"): 1, ("a", END): 1, ("b", END): 1})
    >>> estimate("absolute-discounting", counts)  # one word occurs once and two twice; three bigrams once and one twice
    AbsoluteDiscounting(discounts=(0.2, 0.6))
    """
    if name not in SMOOTHINGS:
        return BY_HAND[name]
    if name == "add-one":
        return AddK()
    order = order or counts.order
    estimates = estimates_of(counts)
    if name == "jelinek-mercer":
        return JelinekMercer(estimates.weights[:order])
    plain = estimates.once_and_twice[:order]
    if name == "absolute-discounting":
        return AbsoluteDiscounting(tuple(_discount(*each) for each in plain))
    return KneserNey(tuple(_discount(*each) for each in (*estimates.continuations[: order - 1], plain[-1])))


def _discount(once: int, twice: int) -> float:
    return once / (once + 2 * twice) if once and twice else 0.5


def estimates_of(counts: NGramCounts) -> Estimates:
    """Return what all counts say: those that were taken before pruning, or those of these counts."""
    if counts.given_estimates is not None:
        return counts.given_estimates
    plain = [_once_and_twice(_predicted(counts, level, level.counts)) for level in counts.levels]
    adjusted = [_once_and_twice(_predicted(counts, level, _adjusted(counts, level))) for level in counts.levels[:-1]]
    weights = tuple(_deleted_interpolation(counts, length) for length in range(1, counts.order + 1))
    return Estimates(tuple(plain), tuple(adjusted), weights)


def _predicted(counts: NGramCounts, level: Level, values: Sequence[int]) -> Sequence[int]:
    """The values of a level's n-grams, without START, which is no prediction."""
    if level is counts.levels[0]:
        return [value for at, value in enumerate(values) if at != counts.start]
    return values


def _adjusted(counts: NGramCounts, level: Level) -> Sequence[int]:
    """The continuation counts of a level; n-grams that begin a sentence keep their counts, as in KenLM."""
    if level is counts.levels[0]:
        return level.continuations
    begun = level.children(counts.start)  # below the highest order, of three, the only longer ones are bigrams
    values = list(level.continuations)
    values[begun.start : begun.stop] = level.counts[begun.start : begun.stop]
    return values


def _once_and_twice(values: Sequence[int]) -> tuple[int, int]:
    return sum(value == 1 for value in values), sum(value == 2 for value in values)


def _deleted_interpolation(counts: NGramCounts, length: int) -> float:
    """Return λ of an order: the part of all words that it predicts at least as well as every lower order.

    Each word is left out of the counts in turn (Jelinek and Mercer 1980; Brants 2000, "TnT", figure 1). Never 0 or 1:
    every order is heard, and none alone.
    """
    level, first = counts.levels[length - 1], counts.levels[0].counts
    tokens = counts.context_count()
    lowest = 1 / counts.vocabulary_size
    shares = [max(lowest, (count - 1) / (tokens - 1)) if tokens > 1 else lowest for count in first]
    if length == 1:
        predicted = [count for number, count in enumerate(first) if count and number != counts.start]
        won = sum(count for count in predicted if tokens > 1 and (count - 1) / (tokens - 1) >= lowest)
        return _between(won, sum(predicted))
    known: dict[int, dict[int, float]] = {}
    won = all_words = 0
    for context in range(len(level.begins) - 1):
        begin, end = level.begins[context], level.begins[context + 1]
        if begin == end:
            continue
        pairs: dict[int, float] = {}
        if length > 2:
            last = counts.levels[1].words[context]
            if last not in known:
                known[last] = _best_shares(counts, last, shares)
            pairs = known[last]
        total = counts.total(length - 1, context)
        for count, word in zip(level.counts[begin:end], level.words[begin:end], strict=True):
            all_words += count
            if ((count - 1) / (total - 1) if total > 1 else 0.0) >= pairs.get(word, shares[word]):
                won += count
    return _between(won, all_words)


def _best_shares(counts: NGramCounts, word: int, shares: Sequence[float]) -> dict[int, float]:
    """The higher of the relative frequencies of orders 1 and 2 of each word after another, each without one of it."""
    level, total = counts.levels[1], counts.total(1, word)
    return {
        level.words[at]: max(shares[level.words[at]], (level.counts[at] - 1) / (total - 1) if total > 1 else 0.0)
        for at in level.children(word)
    }


def _between(part: int, whole: int) -> float:
    return min(max(part / whole, 0.01), 0.99) if whole else 0.5
