"""Segmentation lattices of a corpus, with the expected count of each piece over all segmentations.

A lattice over a span of text has an edge from `start` to `end` for each piece that matches there; a path from the
beginning to the end is a segmentation, and its probability is the product of its pieces' probabilities.

Probabilities are not logarithms: they have a lower bound and spans a maximum length, so no product underflows.

The segmentation lattices of many texts in one, in which texts share the edges within a common prefix.

- Exploits: the words of a corpus begin alike ("segment", "segments", "segmented"). A node stands for a distinct prefix
  and has an edge from each shorter prefix that a piece extends to it, so the sums over all segmentations of a prefix
  are computed once for all its texts; and the nodes of a level of the trie, one per character, in one step.
- Invariant: the edges are in the order of their targets, and a target is on a deeper level than its sources. So sums
  are complete when they are needed: forward level by level, backward in reverse.
- Proved by: `webapp.core.reference.unigram`, which processes every word separately, in
  `tests.core.reference.test_unigram`.
- Bought: 5 times, against loops over the same edges (8,000 pieces on 1 MB of English, Chinese and code).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy

import numpy as np

from webapp.core.trainers.word_trie import CHARACTER_BITS, Floats, Integers, WordTrie


class PrefixLattice:
    """The lattice of several texts over numbered pieces, among which are all characters of the texts.

    `texts` are sorted and distinct; `nodes` gives the node of each. `sources` and `pieces` are the edges, of one target
    the longest piece first; `degrees` gives the number of edges that lead to each node.

    >>> lattice = PrefixLattice.of(["ab", "abc"], PieceEndings(["a", "b", "c", "ab"]))
    >>> lattice.sources.tolist(), lattice.pieces.tolist(), lattice.degrees.tolist(), lattice.nodes.tolist()
    ([0, 0, 1, 2], [0, 3, 1, 2], [0, 1, 2, 1], [2, 3])
    >>> lattice.forward(np.array([0.5, 0.2, 0.1, 0.2])).tolist()
    [1.0, 0.5, 0.30000000000000004, 0.030000000000000006]
    """

    def __init__(
        self, nodes: Integers, levels: Sequence[int], degrees: Integers, sources: Integers, pieces: Integers
    ) -> None:
        self.nodes, self.levels = nodes, levels
        self.degrees, self.sources, self.pieces = degrees, sources, pieces
        self._begins = np.cumsum(degrees, dtype=np.int64) - degrees  # of the edges of each node

    @classmethod
    def of(cls, texts: Sequence[str], endings: PieceEndings) -> PrefixLattice:
        """Find the pieces in the texts."""
        trie = WordTrie.of(texts)
        found = list(endings.matches(trie))
        degrees = np.zeros(trie.size, np.int32)
        for targets, _, _ in found:
            degrees[targets] += 1
        free = np.cumsum(degrees, dtype=np.int64)  # after the place of the next edge, as the shortest come first
        sources, numbers = (np.empty(free[-1], np.int32) for _ in range(2))
        while found:
            targets, starts, matched = found.pop(0)
            free[targets] -= 1
            places = free[targets]
            sources[places], numbers[places] = starts, matched
        return cls(trie.ends, trie.levels, degrees, sources, numbers)

    def restricted(self, renumbered: Integers) -> PrefixLattice:
        """Return the same lattice with fewer pieces; `renumbered` gives the new number of each piece, -1 for none."""
        pieces = renumbered[self.pieces]
        kept = pieces >= 0
        degrees = self.degrees.copy()
        degrees[1:] = np.add.reduceat(kept, self._begins[1:], dtype=np.int32) if kept.size else 0
        return PrefixLattice(self.nodes, self.levels, degrees, self.sources[kept], pieces[kept])

    def forward(self, probabilities: Floats) -> Floats:
        """Return for each prefix the summed probability of all its segmentations."""
        sums = np.ones(self.degrees.size)
        for nodes, edges, begins in self._by_level():
            weights = probabilities[self.pieces[edges]]
            weights *= sums[self.sources[edges]]
            np.add.reduceat(weights, begins, out=sums[nodes])
        return sums

    def expected(self, probabilities: Floats, forward: Floats, counts: Integers) -> Floats:
        """Return the expected count of each piece; `counts` are those of the texts."""
        backward = np.zeros(self.degrees.size)
        backward[self.nodes] = counts / forward[self.nodes]
        flow = probabilities[self.pieces]
        for nodes, edges, _ in reversed(self._by_level()):
            flow[edges] *= np.repeat(backward[nodes], self.degrees[nodes])
            np.add.at(backward, self.sources[edges], flow[edges])
        flow *= forward[self.sources]
        return np.bincount(self.pieces, flow, probabilities.size).astype(np.float64, copy=False)

    def best_paths(self, probabilities: Floats) -> tuple[Floats, Integers]:
        """Return for each prefix the highest probability of a segmentation, and the last edge of that.

        On a tie, the longest last piece wins.
        """
        best = np.ones(self.degrees.size)
        last = np.zeros(self.degrees.size, np.int64)
        for nodes, edges, begins in self._by_level():
            found = probabilities[self.pieces[edges]]
            found *= best[self.sources[edges]]
            best[nodes], last[nodes] = _highest(found, begins, self.degrees[nodes])
            last[nodes] += edges.start
        return best, last

    def used(self, probabilities: Floats, counts: Integers) -> Integers:
        """Return how often the best segmentations of the texts use each piece; `counts` are those of the texts."""
        _, last = self.best_paths(probabilities)
        uses = np.zeros(self.degrees.size, np.int64)
        uses[self.nodes] = counts
        for nodes, _, _ in reversed(self._by_level()):
            np.add.at(uses, self.sources[last[nodes]], uses[nodes])
        used = np.zeros(probabilities.size, np.int64)
        np.add.at(used, self.pieces[last[1:]], uses[1:])
        return used

    def instead(self, texts: Integers, probabilities: Floats) -> Iterator[tuple[Integers, Integers]]:
        """Yield the best segmentations into two or more pieces of texts of two or more characters, from the end.

        `texts` are numbers of texts. Each step has the places in `texts` whose segmentation goes on, and its pieces.
        """
        best, last = self.best_paths(probabilities)
        found = probabilities[self.pieces]
        found *= best[self.sources]
        found[self.sources == 0] = 0.0
        _, second = _highest(found, self._begins[1:], self.degrees[1:])
        edges = second[self.nodes[texts] - 1]
        places = np.arange(texts.size)
        while places.size:
            yield places, self.pieces[edges]
            nodes = self.sources[edges]
            inside = nodes > 0
            places, edges = places[inside], last[nodes[inside]]

    def _by_level(self) -> list[tuple[slice, slice, Integers]]:
        """Return the nodes of each level but the first, their edges, and where among these those of each node begin."""
        if not self.pieces.size:
            return []
        bounds = [*self._begins[self.levels[1:-1]].tolist(), self.pieces.size]
        return [
            (slice(low, high), slice(first, end), self._begins[low:high] - first)
            for low, high, first, end in zip(self.levels[1:], self.levels[2:], bounds, bounds[1:], strict=False)
        ]


def _highest(values: Floats, begins: Integers, sizes: Integers) -> tuple[Floats, Integers]:
    """Return the highest value of each group, and the place of the first one that is as high."""
    highest = np.maximum.reduceat(values, begins)
    group = np.repeat(np.arange(begins.size), sizes)
    places = np.flatnonzero(values == highest[group])[::-1]
    first = np.empty(begins.size, np.int64)
    first[group[places]] = places  # of several, the last assignment stays, which is that of the first place
    return highest, first


class PieceEndings:
    """The pieces as a trie that is read from their ends.

    >>> endings = PieceEndings(["a", "b", "ab"])
    >>> [step.tolist() for found in endings.matches(WordTrie.of(["ab"])) for step in found]
    [[1, 2], [0, 1], [0, 1], [2], [0], [2]]
    """

    def __init__(self, pieces: Sequence[str]) -> None:
        backward = [piece[::-1] for piece in pieces]
        order = sorted(range(len(pieces)), key=backward.__getitem__)
        self._trie = WordTrie.of([backward[number] for number in order])
        self._number_of = np.full(self._trie.size, -1, np.int32)
        self._number_of[self._trie.ends] = order

    def matches(self, texts: WordTrie) -> Iterator[tuple[Integers, Integers, Integers]]:
        """Yield the nodes where pieces end, those where they begin, and the pieces' numbers, by the pieces' length.

        All nodes at once go back character by character, as long as what they passed is the end of a piece.
        """
        trie = self._trie
        targets = at = np.arange(1, texts.size)
        passed: Integers = np.zeros(targets.size, np.int64)
        for low, high in zip(trie.levels[1:], trie.levels[2:], strict=False):
            longer = trie.parents[low:high].astype(np.int64) << CHARACTER_BITS | trie.characters[low:high]
            wanted = passed << CHARACTER_BITS | texts.characters[at]
            places = np.searchsorted(longer, wanted)
            hit = longer.take(places, mode="clip") == wanted
            targets, at, passed = targets[hit], texts.parents[at[hit]], places[hit] + low
            numbers = self._number_of[passed]
            is_piece = numbers >= 0
            yield targets[is_piece], at[is_piece], numbers[is_piece]
            inside = at > 0
            targets, at, passed = targets[inside], at[inside], passed[inside]


LONGEST_SPAN = 32  # characters; with PROBABILITY_FLOOR, a path weighs at least 1e-9 ** 32 = 1e-288
PROBABILITY_FLOOR = 1e-9


class CorpusLattices:
    """The lattices of a corpus over `pieces`, which must contain every character of the corpus.

    `texts` maps words or parts of them, at most `LONGEST_SPAN` characters long, to their counts. Probabilities are in
    the order of the pieces.

    >>> lattices = CorpusLattices({"hug": 10, "hugs": 5}, ["h", "u", "g", "s", "hug"])
    >>> probabilities = np.array([0.1, 0.1, 0.1, 0.1, 0.6])
    >>> expected, log_likelihood = lattices.expectation(probabilities)
    >>> expected.round(3).tolist()
    [0.025, 0.025, 0.025, 5.0, 14.975]
    >>> lattices.best_path_counts(probabilities).tolist(), lattices.without("hug", probabilities)
    ([0, 0, 0, 5, 15], [0, 1, 2])
    """

    def __init__(self, texts: Mapping[str, int], pieces: Sequence[str]) -> None:
        ordered = sorted(texts)
        self._pieces = pieces
        self._counts = np.fromiter(map(texts.__getitem__, ordered), np.int64, len(ordered))
        self._endings: PieceEndings | None = PieceEndings(pieces)
        self._lattice = PrefixLattice.of(ordered, self._endings)
        self._of_pieces: PrefixLattice | None = None  # of their texts
        self._text_of: Integers = np.empty(0, np.int32)  # the number of a piece's text in it

    def restricted(self, kept: Integers) -> CorpusLattices:
        """Return the lattices over fewer of the pieces: those at these places, which are in ascending order."""
        renumbered = np.full(len(self._pieces), -1, np.int32)
        renumbered[kept] = np.arange(kept.size)
        fewer = copy(self)
        fewer._pieces = [self._pieces[number] for number in kept.tolist()]
        fewer._lattice = self._lattice.restricted(renumbered)
        fewer._endings = None
        if self._of_pieces is not None:
            fewer._of_pieces = self._of_pieces.restricted(renumbered)
            fewer._text_of = self._text_of[kept]
        return fewer

    def expectation(self, probabilities: Floats) -> tuple[Floats, float]:
        """Return the expected count of each piece over all segmentations, and the log-likelihood of the corpus.

        This is the expectation step by forward and backward sums (Baum-Welch; Kudo 2018, section 3.2).
        """
        probabilities = np.maximum(probabilities, PROBABILITY_FLOOR)
        forward = self._lattice.forward(probabilities)
        log_likelihood = (self._counts * np.log(forward[self._lattice.nodes])).sum()
        return self._lattice.expected(probabilities, forward, self._counts), float(log_likelihood)

    def best_path_counts(self, probabilities: Floats) -> Integers:
        """Return how often the best segmentations of all words use each piece."""
        return self._lattice.used(np.maximum(probabilities, PROBABILITY_FLOOR), self._counts)

    def without(self, piece: str, probabilities: Floats) -> list[int]:
        """Return the best segmentation of a piece's text without the piece, which has two or more characters."""
        number = np.array([self._pieces.index(piece)])
        return [int(step[0]) for _, step in self.without_each(number, probabilities)][::-1]

    def without_each(self, numbers: Integers, probabilities: Floats) -> Iterator[tuple[Integers, Integers]]:
        """Yield the best segmentation of each of several pieces' texts, each without the piece itself.

        The pieces have two or more characters; see `PrefixLattice.instead` for the steps, which are from the end.
        """
        if self._of_pieces is None:
            pieces = self._pieces
            longer = [number for number, piece in enumerate(pieces) if len(piece) > 1]
            longer.sort(key=pieces.__getitem__)
            self._text_of = np.full(len(pieces), -1, np.int32)
            self._text_of[longer] = np.arange(len(longer))
            endings = self._endings or PieceEndings(pieces)
            self._of_pieces = PrefixLattice.of([pieces[number] for number in longer], endings)
            self._endings = None  # no longer needed
        return self._of_pieces.instead(self._text_of[numbers], np.maximum(probabilities, PROBABILITY_FLOOR))
