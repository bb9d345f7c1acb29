"""The frequent substrings of words as a trie in arrays, for counting again and again which of them begin where.

- Exploits: a substring is at most as frequent as its beginning, so the frequent ones are a trie, and one number for
  each position, the deepest node, stands for all of them that begin there. Counts are added at that node, and go up to
  the shorter substrings a level at a time.
- Invariant: nodes are numbered level by level, so a parent has a lower number than its children. A node is frequent
  only if its parent is.
- Proved by: `webapp.core.reference.wordpiece_top_down`, in `tests.core.reference.test_wordpiece_top_down`.
- Bought: 17 times (20,000 pieces on 1 MB of English, Chinese and code, without counting words).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from webapp.core.trainers.groups import Integers, grouped
from webapp.core.trainers.word_counts import WordCounts
from webapp.core.trainers.word_trie import code_points

Marks = NDArray[np.bool_]
BEGINNING, INSIDE = 0, 1  # the roots: substrings that begin a word, and the others


class SubstringTrie:
    """The substrings of at most `longest` characters that occur at least `rarest` times.

    By node, of which the first two are the roots: `parents`, `lengths` and `counts`. By position in the joint words:
    `deepest`, the node of the longest substring that begins there, and `weights`, the count of the word. `levels` has
    the first node of each length. A piece is a substring, with `prefix` before it if it does not begin a word.

    >>> trie = SubstringTrie({"hug": 10, "hugs": 5, "gs": 1}, "##", longest=20, rarest=6)
    >>> dict(zip(trie.pieces(np.arange(2, trie.size)), trie.counts[2:].tolist()))
    {'h': 15, '##g': 15, '##s': 6, '##u': 15, 'hu': 15, '##ug': 15, 'hug': 15}
    >>> trie.deepest.tolist(), trie.node("hug"), trie.node("hugs")
    ([8, 7, 3, 8, 7, 3, 4, 0, 4], 8, None)
    """

    def __init__(self, words: WordCounts, prefix: str, *, longest: int, rarest: int) -> None:
        self._prefix = prefix
        self._text = "".join(words)
        sizes = np.fromiter(map(len, words), np.int64, len(words))
        ends = np.cumsum(sizes)
        self.begins = (ends - sizes)[sizes > 0]
        self.weights = np.repeat(np.fromiter(words.values(), np.int64, len(words)), sizes)
        self.ends = np.zeros(len(self._text), np.bool_)  # whether a word ends with it
        self.ends[ends[sizes > 0] - 1] = True
        kinds, characters = np.unique(code_points(self._text), return_inverse=True)
        self._kinds: dict[str, int] = {chr(kind): number for number, kind in enumerate(kinds.tolist())}
        self.deepest = np.full(len(self._text), INSIDE)
        if prefix:
            self.deepest[self.begins] = BEGINNING
        parents, counts, places = [np.array([-1, -1])], [np.zeros(2, np.int64)], [np.zeros(2, np.int64)]
        self._keys: list[Integers] = []  # of each length, the parents and characters of its nodes, ascending
        self.levels = [0, 2]
        alive, after = np.arange(len(self._text)), np.arange(len(self._text))
        while alive.size and len(self._keys) < longest:
            order, keys, begins = grouped(self.deepest[alive] * kinds.size + characters[after])
            alive, after = alive[order], after[order]
            found = np.add.reduceat(self.weights[alive], begins)
            frequent = found >= rarest
            numbers = np.where(frequent, np.cumsum(frequent) + (self.levels[-1] - 1), -1)
            numbers = np.repeat(numbers, np.diff(begins, append=alive.size))
            begins = begins[frequent]
            self._keys.append(keys[begins])
            parents.append(keys[begins] // kinds.size)
            counts.append(found[frequent])
            places.append(alive[begins])
            self.levels.append(self.levels[-1] + begins.size)
            kept = numbers >= 0
            alive, after = alive[kept], after[kept]
            self.deepest[alive] = numbers[kept]
            go_on = ~self.ends[after]
            alive, after = alive[go_on], after[go_on] + 1
        self.parents, self.counts = np.concatenate(parents), np.concatenate(counts)
        self._places = np.concatenate(places)
        self.lengths = np.repeat(np.arange(len(self.levels) - 1), np.diff(self.levels))

    @property
    def size(self) -> int:
        """The number of nodes."""
        return len(self.parents)

    def by_level(self) -> list[slice]:
        """Return the nodes of each length from 1."""
        return [slice(low, high) for low, high in pairwise(self.levels[1:])]

    def with_longer(self, values: Integers) -> Integers:
        """Return for each node the sum of the values of all nodes below it, its own included."""
        sums = values.copy()
        for nodes in reversed(self.by_level()):
            np.add.at(sums, self.parents[nodes], sums[nodes])
        return sums

    def of_longest_marked(self, values: Integers, marked: Marks) -> Integers:
        """Return for each node the value of the next marked node on its path to the root, itself included."""
        found = values.copy()
        for nodes in self.by_level():
            found[nodes] = np.where(marked[nodes], values[nodes], found[self.parents[nodes]])
        return found

    def pieces(self, nodes: Integers) -> list[str]:
        """Return the pieces of nodes."""
        text, prefix = self._text, self._prefix
        begin_words = np.zeros(len(text), np.bool_)
        begin_words[self.begins] = True
        places = self._places[nodes]
        return [
            text[place:end] if begins else prefix + text[place:end]
            for place, end, begins in zip(
                places.tolist(), (places + self.lengths[nodes]).tolist(), begin_words[places].tolist(), strict=True
            )
        ]

    def node(self, piece: str) -> int | None:
        """Return the node of a piece, None if it is too rare."""
        inside = piece.startswith(self._prefix)
        node = INSIDE if inside else BEGINNING
        body = piece.removeprefix(self._prefix)
        if len(body) > len(self._keys):
            return None
        for first, level, character in zip(self.levels[1:], self._keys, body, strict=False):
            key = node * len(self._kinds) + self._kinds.get(character, -1)
            place = int(np.searchsorted(level, key))
            if character not in self._kinds or place == level.size or level[place] != key:
                return None
            node = first + place
        return node
