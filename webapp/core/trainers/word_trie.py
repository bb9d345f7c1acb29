"""The distinct words of a corpus as a trie in arrays, so that what words have in common is computed once.

- Exploits: the words of a corpus begin alike ("segment", "segments", "segmented"), and an operation on whole arrays
  costs a hundredth of a step of a Python loop.
- Invariant: a node stands for a distinct prefix. Nodes are numbered level by level (0 is the empty prefix), within a
  level in the order of their prefixes; so parents have lower numbers, and both `parents` and the pairs of parent and
  character of a level are sorted.
- Proved by: `webapp.core.reference.unigram`, which processes every word separately.

Equal numbers of an array brought together, so that a whole corpus is counted in a few steps.

- Exploits: sorting an array takes a tenth of the time of looking each number up in a dictionary.
- Invariant: in a group, the places are in ascending order.
- Proved by: `sorted(range(len(keys)), key=keys.__getitem__)`, in `tests.core.trainers.test_trainers`.

The initial pieces of Unigram training: frequent substrings.

Source: Kudo 2018, "Subword Regularization", section 3.2; ranked by frequency times length as in sentencepiece. Instead
of building a suffix array, `frequent_substrings` counts them length by length.

The frequent substrings of weighted words, counted in arrays on the trie of the words.

- Exploits: the substring of n characters that ends at a node is determined by two of n - 1 characters, which end at the
  node and at its parent. So substrings are numbered length by length by sorting pairs of numbers, and a pair of which
  one is rare is dropped (the Apriori rule; Agrawal, Srikant 1994). A text has millions of distinct substrings; this way
  the rare ones are never stored.
- Invariant: nodes have the same number exactly if they end with the same substring.
- Proved by: `webapp.core.reference.unigram.substrings`, in `tests.core.trainers.test_trainers`.
- Bought: 5 to 7 times, against dictionaries of substrings (125,000 seeds of 5 MB of English, Chinese and code).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webapp.core.trainers.word_counts import WordCounts

CHARACTER_BITS = 21  # of a code point

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class WordTrie:
    """The trie of `words`, which are sorted and distinct.

    `parents` and `characters` (code points) are by node, those of node 0 are 0. Level n, the prefixes of n characters,
    has the nodes from `levels[n]` to `levels[n + 1]`. `ends` has the node of each word.

    >>> trie = WordTrie.of(["a", "ab", "b"])
    >>> trie.levels, trie.parents.tolist(), trie.characters.tolist(), trie.ends.tolist()
    ([0, 1, 3, 4], [0, 0, 0, 1], [0, 97, 98, 98], [1, 3, 2])
    """

    words: Sequence[str]
    parents: Integers
    characters: Integers
    levels: list[int]
    ends: Integers

    @classmethod
    def of(cls, words: Sequence[str]) -> WordTrie:
        """Build the trie level by level."""
        lengths = np.fromiter(map(len, words), np.int32, len(words))
        text = code_points("".join(words))
        begins = np.cumsum(lengths, dtype=np.int64) - lengths
        nodes = np.zeros(len(words), np.int32)
        parents = [np.zeros(1, np.int32)]
        characters = [np.zeros(1, np.int32)]
        levels = [0, 1]
        depth = 0
        alive = np.flatnonzero(lengths > depth)
        while alive.size:
            before = nodes[alive]
            character = text[begins[alive] + depth]
            new = np.ones(alive.size, np.bool_)
            new[1:] = (before[1:] != before[:-1]) | (character[1:] != character[:-1])
            parents.append(before[new])
            characters.append(character[new])
            nodes[alive] = np.cumsum(new, dtype=np.int32) + np.int32(levels[-1] - 1)
            levels.append(levels[-1] + parents[-1].size)
            depth += 1
            alive = alive[lengths[alive] > depth]
        return cls(words, np.concatenate(parents), np.concatenate(characters), levels, nodes)

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self.parents)

    @property
    def depth(self) -> int:
        """The length of the longest word."""
        return len(self.levels) - 2

    def sums(self, values: Integers) -> Integers:
        """Return for each node the sum of the values of the words below it, its own included; values are by word."""
        sums = np.zeros(self.size, np.int64)
        sums[self.ends] = values
        for low, high in self.from_the_deepest():
            np.add.at(sums, self.parents[low:high], sums[low:high])
        return sums

    def minima(self, values: Integers, none: int) -> Integers:
        """Return for each node the least of the values of the words below it, as `sums`; `none` exceeds all values."""
        minima = np.full(self.size, none, np.int64)
        minima[self.ends] = values
        for low, high in self.from_the_deepest():
            np.minimum.at(minima, self.parents[low:high], minima[low:high])
        return minima

    def from_the_deepest(self) -> Iterable[tuple[int, int]]:
        """Yield the first node of each level and the one after its last, the deepest level first, without level 0."""
        return zip(self.levels[-2:0:-1], self.levels[:1:-1], strict=True)


def code_points(text: str) -> Integers:
    """Return the code points of a text.

    >>> code_points("aé").tolist()
    [97, 233]
    """
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.int32)


Integers = NDArray[np.integer[Any]]


def grouped(keys: Integers) -> tuple[Integers, Integers, Integers]:
    """Return the order that sorts the keys, the sorted keys, and where in them each distinct key begins.

    The keys are 0 or more, 64 bits wide.

    >>> [array.tolist() for array in grouped(np.array([7, 3, 7]))]
    [[1, 0, 2], [3, 7, 7], [0, 1]]
    """
    highest, bits = int(keys.max(initial=0)), int(keys.size).bit_length()
    if highest < 1 << 16:
        order: Integers = np.argsort(keys.astype(np.uint16), kind="stable")  # a radix sort
        keys = keys[order]
    elif highest >> 63 - bits:
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
    else:  # sorting numbers takes half the time of sorting indexes by them
        keys = np.sort(keys << bits | np.arange(keys.size))
        order = keys & (1 << bits) - 1
        keys = keys >> bits
    begins = np.flatnonzero(np.concatenate([np.ones(min(keys.size, 1), np.bool_), keys[1:] != keys[:-1]]))
    return order, keys, begins


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


def proper_substrings(counts: WordCounts, number: int) -> dict[str, int]:
    """Return at most `number` substrings of 2 to 16 characters that occur twice, most frequent first.

    This is the seed of textbook examples, such as chapter 6 of the Hugging Face course: no substring is omitted for
    being part of another, but a word only counts if it is part of a longer one. Ties are ranked by first occurrence.

    >>> proper_substrings({"very": 2, "ever": 1}, 5), proper_substrings({"hug": 10, "hugs": 5}, 4)
    ({'ve': 3, 'ver': 3, 'er': 3, 'ery': 2, 'ry': 2}, {'hu': 15, 'hug': 15, 'ug': 15, 'ugs': 5})
    """
    found: defaultdict[str, int] = defaultdict(int)
    inside: set[str] = set()
    for word, count in counts.items():
        for start in range(len(word)):
            for end in range(start + 2, min(len(word), start + 16) + 1):
                found[word[start:end]] += count
                if end - start < len(word):
                    inside.add(word[start:end])
    frequent = (piece for piece, count in found.items() if count > 1 and piece in inside)
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
    own = np.fromiter(counts.values(), np.int64, len(corpus))[places]
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
