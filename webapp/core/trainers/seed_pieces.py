"""The initial pieces of Unigram training: frequent substrings.

Source: Kudo 2018, "Subword Regularization", section 3.2; ranked by frequency times length as in sentencepiece. Instead
of building a suffix array, `frequent_substrings` counts them length by length.
"""

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from webapp.core.trainers.frequent_substrings import FrequentSubstrings, frequent_substrings
from webapp.core.trainers.word_counts import WordCounts


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
