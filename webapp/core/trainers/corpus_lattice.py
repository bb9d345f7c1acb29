"""Segmentation lattices of a corpus, with the expected count of each piece over all segmentations.

A lattice over a span of text has an edge from `start` to `end` for each piece that matches there; a path from the
beginning to the end is a segmentation, and its probability is the product of its pieces' probabilities.

Words are split wherever no piece crosses from one character to the next. Every path passes through such a position, so
the parts can be processed separately with the same result, and far fewer of them are distinct. Probabilities are not
logarithms: they have a lower bound and spans a maximum length, so no product underflows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from math import log

from webapp.core.trainers.prefix_lattice import PrefixLattice

LONGEST_SPAN = 32  # characters; with PROBABILITY_FLOOR, a path weighs at least 1e-9 ** 32 = 1e-288
PROBABILITY_FLOOR = 1e-9


class CorpusLattices:
    """The lattices of a corpus over `pieces`, which must contain every character of the corpus.

    `texts` maps words or parts of them, at most `LONGEST_SPAN` characters long, to their counts. `texts` has
    the parts after splitting; it is equivalent to `texts` for these pieces and any subset of them.

    >>> lattices = CorpusLattices({"hug": 10, "hugs": 5}, ["h", "u", "g", "s", "hug"])
    >>> lattices.texts
    {'hug': 15, 's': 5}
    >>> probabilities = [0.1, 0.1, 0.1, 0.1, 0.6]
    >>> expected, log_likelihood = lattices.expectation(probabilities)
    >>> [round(count, 3) for count in expected]
    [0.025, 0.025, 0.025, 5.0, 14.975]
    >>> lattices.best_path_counts(probabilities), lattices.without("hug", probabilities)
    ([0, 0, 0, 5, 15], [0, 1, 2])
    """

    def __init__(self, texts: Mapping[str, int], pieces: Sequence[str]) -> None:
        self._texts = texts
        self._pieces = pieces
        self._number_of = {piece: number for number, piece in enumerate(pieces)}
        self._built_for = len(pieces)
        self._of_pieces: PrefixLattice | None = None  # of their texts
        self._lattice = PrefixLattice.of(texts, self._number_of)
        self._counts = {self._lattice.nodes[text]: count for text, count in texts.items()}

    def restricted(self, pieces: Sequence[str]) -> CorpusLattices:
        """Return the lattices over fewer of the pieces, in the same order.

        The lattices are built anew, with shorter parts, only when half of the pieces are gone.
        """
        if 2 * len(pieces) <= self._built_for:
            return CorpusLattices(self.texts, pieces)
        fewer = copy(self)
        fewer.__dict__.pop("texts", None)
        fewer._pieces = pieces
        fewer._number_of = {piece: number for number, piece in enumerate(pieces)}
        renumbered = [fewer._number_of.get(piece, -1) for piece in self._pieces]
        fewer._lattice = self._lattice.restricted(renumbered)
        if self._of_pieces is not None:
            fewer._of_pieces = self._of_pieces.restricted(renumbered)
        return fewer

    @cached_property
    def texts(self) -> dict[str, int]:
        """The parts of the texts with their counts."""
        parts: dict[str, int] = {}
        for text, part in self._lattice.parts():
            parts[part] = parts.get(part, 0) + self._texts[text]
        return parts

    def expectation(self, probabilities: Sequence[float]) -> tuple[list[float], float]:
        """Return the expected count of each piece over all segmentations, and the log-likelihood of the corpus.

        This is the expectation step by forward and backward sums (Baum-Welch; Kudo 2018, section 3.2).
        """
        probabilities = [max(probability, PROBABILITY_FLOOR) for probability in probabilities]
        forward = self._lattice.forward(probabilities)
        log_likelihood = sum(count * log(forward[node]) for node, count in self._counts.items())
        return self._lattice.expected(probabilities, forward, self._counts), log_likelihood

    def best_path_counts(self, probabilities: Sequence[float]) -> list[int]:
        """Return how often the best segmentations of all words use each piece."""
        probabilities = [max(probability, PROBABILITY_FLOOR) for probability in probabilities]
        return self._lattice.used(probabilities, self._counts)

    def without(self, text: str, probabilities: Sequence[float]) -> list[int]:
        """Return the best segmentation of a piece's text without the piece, which has two or more characters."""
        [(_, path)] = PrefixLattice.of([text], self._number_of).instead([text], probabilities)
        return path

    def without_each(self, texts: Sequence[str], probabilities: Sequence[float]) -> Iterator[tuple[str, list[int]]]:
        """Yield the best segmentation of each of several pieces' texts, each without the piece itself."""
        if self._of_pieces is None or not self._of_pieces.nodes.keys() >= set(texts):
            self._of_pieces = PrefixLattice.of(texts, self._number_of)
        return self._of_pieces.instead(texts, probabilities)
