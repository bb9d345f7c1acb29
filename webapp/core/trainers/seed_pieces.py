"""The initial pieces of Unigram training: frequent substrings.

Source: Kudo 2018, "Subword Regularization", section 3.2; ranked by frequency times length as in sentencepiece. Instead
of building a suffix array, `frequent_substrings` counts them length by length.

The frequent substrings of weighted words, counted in arrays on the trie of the words.

- Exploits: the substring of n characters that ends at a node is determined by two of n - 1 characters, which end at the
  node and at its parent. So substrings are numbered length by length by sorting pairs of numbers, and a pair of which
  one is rare is dropped (the Apriori rule; Agrawal, Srikant 1994). A text has millions of distinct substrings; this way
  the rare ones are never stored.
- Invariant: nodes have the same number exactly if they end with the same substring.
- Proved by: `webapp.core.reference.unigram.substrings`, in `tests.core.trainers.test_unigram`.
- Bought: 5 to 7 times, against dictionaries of substrings (125,000 seeds of 5 MB of English, Chinese and code).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from webapp.core.trainers.word_counts import WordCounts
from webapp.core.trainers.word_trie import Integers, WordTrie, grouped


def seed_pieces(
    counts: WordCounts,
    number: int,
    *,
    longest: int = 16,
    minimum_frequency: int = 2,
    whole_words: bool = True,
) -> dict[str, int]:
    """Return at most `number` substrings of 2 to `longest` characters with their frequencies, best ranked first.

    A substring that occurs only within one longer substring ("ecaus", always in "because") is omitted: wherever it
    could be used, the longer one could too. `whole_words`: whether a whole word counts as a substring of itself. Ties
    are ranked by first occurrence, shorter substrings before longer ones.

    >>> seed_pieces({"very": 2, "ever": 1}, 10)
    {'ver': 3, 'very': 2}
    >>> seed_pieces({"very": 2, "ever": 1}, 10, whole_words=False)
    {'ver': 3, 'ery': 2}
    """
    levels: list[tuple[FrequentSubstrings, NDArray[np.bool_]]] = []
    for found in frequent_substrings(
        counts, longest=longest, minimum_frequency=minimum_frequency, whole_words=whole_words
    ):
        if levels:
            shorter, kept = levels[-1]
            for inner in (found.prefixes, found.suffixes):
                kept[inner[shorter.counts[inner] == found.counts]] = False
        levels.append((found, np.ones(found.counts.size, np.bool_)))
    if not levels:
        return {}
    frequencies, places, begins, lengths = (
        np.concatenate(parts)
        for parts in zip(
            *(
                (
                    found.counts[kept],
                    found.words[kept],
                    found.begins[kept],
                    np.full(np.count_nonzero(kept), found.length),
                )
                for found, kept in levels
            ),
            strict=True,
        )
    )
    ranked = np.lexsort((begins, places, lengths, -frequencies * lengths))[:number]
    words = list(counts)
    return {
        words[place][begin : begin + length]: frequency
        for place, begin, length, frequency in zip(
            *(values[ranked].tolist() for values in (places, begins, lengths, frequencies)), strict=True
        )
    }


def proper_substrings(
    counts: WordCounts, number: int, *, longest: int = 16, minimum_frequency: int = 2
) -> dict[str, int]:
    """Return at most `number` substrings of 2 to `longest` characters, most frequent first, without whole words.

    This is the seed of textbook examples: no substring is omitted for being part of another. Ties are ranked by first
    occurrence.

    >>> proper_substrings({"very": 2, "ever": 1}, 5)
    {'ve': 3, 'ver': 3, 'er': 3, 'ery': 2, 'ry': 2}
    """
    found: defaultdict[str, int] = defaultdict(int)
    for word, count in counts.items():
        for start in range(len(word)):
            for end in range(start + 2, min(len(word), start + longest) + 1):
                if end - start < len(word):
                    found[word[start:end]] += count
    frequent = (piece for piece, count in found.items() if count >= minimum_frequency)
    return {piece: found[piece] for piece in sorted(frequent, key=found.__getitem__, reverse=True)[:number]}


LENGTH_BITS = 8  # of a position in a word
NONE = -1  # the number of a substring that is too rare


@dataclass(frozen=True)
class FrequentSubstrings:
    """The frequent substrings of one length, numbered from 0: how often each occurs, and where first.

    `words` and `begins` give the word, by its place in the corpus, and where in it the substring begins. `prefixes` and
    `suffixes` are the numbers, among the substrings one character shorter, of those that it contains.
    """

    length: int
    counts: Integers
    words: Integers
    begins: Integers
    prefixes: Integers
    suffixes: Integers


def frequent_substrings(
    counts: WordCounts, *, longest: int, minimum_frequency: int, whole_words: bool = True
) -> Iterator[FrequentSubstrings]:
    """Yield the substrings of 2 to `longest` characters that occur `minimum_frequency` times, length by length.

    The words have fewer than 256 characters. `whole_words`: whether a whole word counts as a substring of itself.

    >>> for found in frequent_substrings({"very": 2, "ever": 1}, longest=16, minimum_frequency=2):
    ...     print(found.length, found.counts.tolist(), found.words.tolist(), found.begins.tolist())
    2 [3, 2, 3] [0, 0, 0] [1, 2, 0]
    3 [2, 3] [0, 0] [1, 0]
    4 [2] [0] [0]
    """
    corpus = list(counts)
    places = sorted(range(len(corpus)), key=corpus.__getitem__)
    trie = WordTrie.of([corpus[place] for place in places])
    own = np.fromiter(map(counts.__getitem__, trie.words), np.int64, len(corpus))
    weights = trie.sums(own)
    depths = np.repeat(np.arange(trie.depth + 1), np.diff(trie.levels))
    first = trie.minima(np.array(places, np.int64), len(corpus)) << LENGTH_BITS | depths
    if not whole_words:  # what is left of a node without the word that ends there
        longer_weights, longer_first = weights.copy(), np.full(trie.size, len(corpus) << LENGTH_BITS)
        longer_weights[trie.ends] -= own
        np.minimum.at(longer_first, trie.parents[1:], first[1:] - 1)
    numbers = np.unique(trie.characters, return_inverse=True)[1].astype(np.int64)  # of the root: never used
    kinds = int(numbers.max(initial=0)) + 1
    ends = np.arange(trie.levels[min(2, trie.depth + 1)], trie.size)  # the nodes where the substrings end
    for length in range(2, longest + 1):
        if not ends.size:
            return
        order, pairs, begins = grouped(numbers[trie.parents[ends]] * kinds + numbers[ends])
        in_order = ends[order]
        weight, place = weights[in_order], first[in_order]
        if not whole_words:
            whole = depths[in_order] == length
            weight[whole], place[whole] = longer_weights[in_order[whole]], longer_first[in_order[whole]]
        found = np.add.reduceat(weight, begins)
        frequent = found >= minimum_frequency
        place = np.minimum.reduceat(place, begins)[frequent]
        pairs = pairs[begins][frequent]
        yield FrequentSubstrings(
            length,
            found[frequent],
            place >> LENGTH_BITS,
            (place & (1 << LENGTH_BITS) - 1) - length,
            pairs // kinds,
            pairs % kinds,
        )
        renumbered = np.where(frequent, np.cumsum(frequent) - 1, NONE)
        numbers = np.full(trie.size, NONE)
        numbers[in_order] = np.repeat(renumbered, np.diff(begins, append=order.size))
        kinds = pairs.size
        ends = ends[(numbers[ends] != NONE) & (numbers[trie.parents[ends]] != NONE)]
