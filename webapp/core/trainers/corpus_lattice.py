"""Segmentation lattices of a corpus, with the expected count of each piece over all segmentations.

A lattice over a span of text has an edge from `start` to `end` for each piece that matches there; a path from the
beginning to the end is a segmentation, and its probability is the product of its pieces' probabilities.

Probabilities are not logarithms: they have a lower bound and spans a maximum length, so no product underflows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy

import numpy as np

from webapp.core.trainers.groups import Integers
from webapp.core.trainers.prefix_lattice import PieceEndings, PrefixLattice
from webapp.core.trainers.word_trie import Floats

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
