"""The segmentation lattices of many texts in one, in which texts share the edges within a common prefix.

- Exploits: the words of a corpus begin alike ("segment", "segments", "segmented"). A node stands for a distinct prefix
  and has an edge from each shorter prefix that a piece extends to it, so the sums over all segmentations of a prefix
  are computed once for all its texts, in one loop over flat arrays.
- Invariant: the edges are in the order of their targets, and a target has a higher number than its sources. So sums
  are complete when they are needed: forward in this order, backward in reverse.
- Proved by: `webapp.core.reference.unigram`, which processes every word separately, in
  `tests.core.reference.test_unigram`.
- Bought: 1.8 times with the edges kept from round to round (8,000 pieces on 2.8 MB of English, against a lattice for
  each word, built anew in every round).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress, islice

from webapp.core.models.fast.word_lengths import lengths_by_ending


class PrefixLattice:
    """The lattice of several texts over numbered pieces, among which are all characters of the texts.

    `nodes` gives the node of each text; `sources`, `targets` and `pieces` are the edges, of one target the longest
    piece first.

    >>> lattice = PrefixLattice.of(["ab", "abc"], {"a": 0, "b": 1, "c": 2, "ab": 3})
    >>> list(zip(lattice.sources, lattice.targets, lattice.pieces))
    [(0, 1, 0), (0, 2, 3), (1, 2, 1), (2, 3, 2)]
    >>> lattice.nodes, list(lattice.parts())
    ({'ab': 2, 'abc': 3}, [('ab', 'ab'), ('abc', 'ab'), ('abc', 'c')])
    >>> lattice.forward([0.5, 0.2, 0.1, 0.2])
    [1.0, 0.5, 0.30000000000000004, 0.030000000000000006]
    """

    def __init__(
        self,
        nodes: dict[str, int],
        parents: array[int],
        sources: array[int],
        targets: array[int],
        pieces: array[int],
    ) -> None:
        self.nodes = nodes
        self.parents = parents
        self.sources, self.targets, self.pieces = sources, targets, pieces
        self.size = len(parents)

    @classmethod
    def of(cls, texts: Iterable[str], number_of: Mapping[str, int]) -> PrefixLattice:
        """Find the pieces in the texts."""
        lengths_of = lengths_by_ending(number_of).get
        number = number_of.get
        parents, sources, targets, pieces = array("i", [0]), array("i"), array("i"), array("i")
        add_parent, add_source, add_target, add_piece = parents.append, sources.append, targets.append, pieces.append
        nodes: dict[str, int] = {}
        path = [0]  # the nodes of the current text by length
        node = 0
        previous = ""
        for text in sorted(texts):
            shared = 0
            for character, other in zip(text, previous, strict=False):
                if character != other:
                    break
                shared += 1
            previous = text
            del path[shared + 1 :]
            for end in range(shared + 1, len(text) + 1):
                node += 1
                for length in lengths_of(text[end - 2 : end], ()):
                    start = end - length
                    if start >= 0 and (piece := number(text[start:end])) is not None:
                        add_source(path[start])
                        add_target(node)
                        add_piece(piece)
                before = path[-1]
                add_parent(before)
                add_source(before)
                add_target(node)
                add_piece(number_of[text[end - 1]])
                path.append(node)
            nodes[text] = path[-1]
        return cls(nodes, parents, sources, targets, pieces)

    def restricted(self, renumbered: Sequence[int]) -> PrefixLattice:
        """Return the same lattice with fewer pieces; `renumbered` gives the new number of each piece, -1 for none."""
        numbers = array("i", map(renumbered.__getitem__, self.pieces))
        kept = bytes(map((-1).__lt__, numbers))
        sources, targets, pieces = (
            array("i", compress(edges, kept)) for edges in (self.sources, self.targets, numbers)
        )
        return PrefixLattice(self.nodes, self.parents, sources, targets, pieces)

    def parts(self) -> Iterator[tuple[str, str]]:
        """Yield each text with each of its parts, split wherever no piece crosses from one character to the next."""
        parents = self.parents
        lengths = array("i", [0])
        for parent in islice(parents, 1, None):
            lengths.append(lengths[parent] + 1)
        begins = array("i", [0]) * self.size  # where the longest piece begins that ends at a node
        for source, target in zip(reversed(self.sources), reversed(self.targets), strict=True):
            begins[target] = lengths[source]
        for text, node in self.nodes.items():
            cuts = [len(text)]
            reach = len(text)
            for end in range(len(text), 0, -1):
                if end == reach < cuts[-1]:
                    cuts.append(end)
                if begins[node] < reach:
                    reach = begins[node]
                node = parents[node]
            begin = 0
            for cut in reversed(cuts):
                yield text, text[begin:cut]
                begin = cut

    def forward(self, probabilities: Sequence[float]) -> list[float]:
        """Return for each prefix the summed probability of all its segmentations."""
        sums = [1.0] + [0.0] * (self.size - 1)
        weights = map(probabilities.__getitem__, self.pieces)
        for source, target, weight in zip(self.sources, self.targets, weights, strict=True):
            sums[target] += sums[source] * weight
        return sums

    def expected(
        self, probabilities: Sequence[float], forward: Sequence[float], counts: Mapping[int, int]
    ) -> list[float]:
        """Return the expected count of each piece; `counts` are those of the texts by node."""
        expected = [0.0] * len(probabilities)
        backward = [0.0] * self.size
        for node, count in counts.items():
            backward[node] = count / forward[node]
        for source, target, piece in zip(
            reversed(self.sources), reversed(self.targets), reversed(self.pieces), strict=True
        ):
            weight = probabilities[piece] * backward[target]
            backward[source] += weight
            expected[piece] += forward[source] * weight
        return expected

    def best_paths(self, probabilities: Sequence[float]) -> tuple[list[float], list[int], list[int]]:
        """Return for each prefix the highest probability of a segmentation, and the source and piece of its last edge.

        On a tie, the longest last piece wins.
        """
        best = [1.0] + [0.0] * (self.size - 1)
        came_from, came_by = [0] * self.size, [0] * self.size
        for source, target, piece in zip(self.sources, self.targets, self.pieces, strict=True):
            probability = best[source] * probabilities[piece]
            if probability > best[target]:
                best[target] = probability
                came_from[target] = source
                came_by[target] = piece
        return best, came_from, came_by

    def used(self, probabilities: Sequence[float], counts: Mapping[int, int]) -> list[int]:
        """Return how often the best segmentations of the texts use each piece."""
        _, came_from, came_by = self.best_paths(probabilities)
        used = [0] * len(probabilities)
        uses = [0] * self.size
        for node, count in counts.items():
            uses[node] = count
        for node in range(self.size - 1, 0, -1):
            count = uses[node]
            if count:
                uses[came_from[node]] += count
                used[came_by[node]] += count
        return used

    def instead(self, texts: Iterable[str], probabilities: Sequence[float]) -> Iterator[tuple[str, list[int]]]:
        """Yield texts of two or more characters with their best segmentations into two or more pieces."""
        best, came_from, came_by = self.best_paths(probabilities)
        second = [0.0] * self.size
        from_second, by_second = [0] * self.size, [0] * self.size
        edges = zip(self.sources, self.targets, self.pieces, strict=True)
        for source, target, piece in compress(edges, self.sources):  # without the edges from the beginning
            probability = best[source] * probabilities[piece]
            if probability > second[target]:
                second[target] = probability
                from_second[target] = source
                by_second[target] = piece
        for text in texts:
            node = self.nodes[text]
            path = [by_second[node]]
            node = from_second[node]
            while node:
                path.append(came_by[node])
                node = came_from[node]
            yield text, path[::-1]
