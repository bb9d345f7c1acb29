"""One vocabulary, several ways to apply it: longest match, fewest pieces, BPE-dropout, samples of Unigram.

A vocabulary is trained for one rule, but its pieces can cover a text in other ways too.

Longest match: Uzan, Schmidt, Tanner and Pinter 2024, "Greed is All You Need" (arXiv 2403.01289).
Fewest pieces: Schmidt et al. 2024, "Tokenization Is More Than Compression" (arXiv 2402.18376),
where training for it is called PathPiece. BPE-dropout: Provilkov, Emelianenko and Voita 2020
(arXiv 1910.13267), algorithm 1. Samples: Kudo 2018, "Subword Regularization"
(arXiv 1804.10959), section 3.3.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import exp
from random import Random
from typing import AnyStr


def longest(word: AnyStr, pieces: Mapping[AnyStr, int]) -> list[AnyStr]:
    """Take the longest piece at each position, from the left; a character without one stays alone.

    >>> longest("abcde", {"a": 0, "ab": 1, "abc": 2, "bcd": 3, "de": 4})
    ['abc', 'de']
    """
    found = []
    while word:
        ends = [end for end in range(1, len(word) + 1) if word[:end] in pieces]
        end = max(ends, default=1)
        found.append(word[:end])
        word = word[end:]
    return found


def fewest(word: AnyStr, pieces: Mapping[AnyStr, int]) -> list[AnyStr]:
    """Cover the word with the fewest pieces; among equals, the longest piece first, from the left.

    A character without a piece stays alone, where no way covers it.

    >>> fewest("abcde", {"a": 0, "abc": 1, "bcd": 2, "bcde": 3, "d": 4, "e": 5})
    ['a', 'bcde']
    """
    best: list[tuple[int, int, list[AnyStr]]] = [(0, 0, [])]  # of each rest: uncovered, parts, the parts
    for at in range(len(word) - 1, -1, -1):
        ways: list[tuple[int, int, list[AnyStr]]] = []
        for end in range(len(word), at, -1):
            if word[at:end] in pieces:
                after = best[len(word) - end]
                ways.append((after[0], after[1] + 1, [word[at:end]] + after[2]))
        after = best[-1]
        ways.append((after[0] + 1, after[1] + 1, [word[at : at + 1]] + after[2]))
        best.append(min(ways, key=lambda way: way[:2]))  # the first of equals, which is the longest
    return best[-1][2]


def dropout(
    symbols: Sequence[AnyStr], merges: Sequence[tuple[AnyStr, AnyStr]], probability: float, random: Random
) -> list[AnyStr]:
    """Merge as BPE does, but at each step drop every possible merge with a probability.

    >>> merges = [("l", "o"), ("lo", "w")]
    >>> dropout("low", merges, 0.0, Random(1)), dropout("low", merges, 1.0, Random(1))
    (['low'], ['l', 'o', 'w'])
    """
    ranks = {merge: rank for rank, merge in enumerate(merges)}
    symbols = list(symbols)
    while True:
        pairs = [(ranks[pair], at) for at, pair in enumerate(pairwise(symbols)) if pair in ranks]
        left = [pair for pair in pairs if random.random() >= probability]
        if not left:
            return symbols
        _, at = min(left)
        symbols[at : at + 2] = [symbols[at] + symbols[at + 1]]


def sample(text: str, scores: Mapping[str, float], alpha: float, random: Random) -> list[str]:
    """Draw a segmentation with the probability P ** alpha / sum of P ** alpha over all.

    `scores` are the logarithms of the pieces' probabilities; every character is a piece.

    >>> scores = {"a": -1.0, "b": -1.0, "ab": -2.0}
    >>> [sample("ab", scores, 1.0, Random(seed)) for seed in (1, 2)]
    [['ab'], ['a', 'b']]
    """
    sums = [1.0]  # of the weights of all ways to each position
    for end in range(1, len(text) + 1):
        sums.append(sum(sums[at] * weight for at, weight in arcs(text, end, scores, alpha)))
    found: list[str] = []
    while text:
        ways = arcs(text, len(text), scores, alpha)
        weights = [sums[at] * weight for at, weight in ways]
        at = random.choices([at for at, _ in ways], weights)[0]
        found.insert(0, text[at:])
        text = text[:at]
    return found


def arcs(text: str, end: int, scores: Mapping[str, float], alpha: float) -> list[tuple[int, float]]:
    """List where the pieces that end at a position start, each with its probability ** alpha.

    >>> arcs("ab", 2, {"a": -1.0, "b": 0.0, "ab": 0.0}, 1.0)
    [(0, 1.0), (1, 1.0)]
    """
    starts = [at for at in range(end) if text[at:end] in scores]
    return [(at, exp(alpha * scores[text[at:end]])) for at in starts]
