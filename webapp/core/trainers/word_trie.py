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
- Proved by: `sorted(range(len(keys)), key=keys.__getitem__)`, in `tests.core.trainers.test_groups`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
