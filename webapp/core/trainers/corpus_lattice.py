"""Segmentation lattices of a corpus, with the expected count of each piece over all segmentations.

A lattice over a span of text has an edge from `start` to `end` for each piece that matches there; a path from the
beginning to the end is a segmentation, and its probability is the product of its pieces' probabilities.

Words are split wherever no piece crosses from one character to the next. Every path passes through such a position, so
the parts can be processed separately with the same result, and far fewer of them are distinct. Probabilities are not
logarithms: they have a lower bound and spans a maximum length, so no product underflows.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import NamedTuple

from webapp.core.models.fast.word_lengths import lengths_by_beginning

LONGEST_SPAN = 32  # characters; with PROBABILITY_FLOOR, a path weighs at least 1e-9 ** 32 = 1e-288
PROBABILITY_FLOOR = 1e-9


class SpanLattice(NamedTuple):
    """The edges over one span of text: three parallel lists in the order of the starts."""

    length: int
    starts: list[int]
    ends: list[int]
    pieces: list[int]

    def forward(self, probabilities: Sequence[float]) -> list[float]:
        """Return for each position the summed probability of all paths from the beginning to it."""
        sums = [1.0] + [0.0] * self.length
        for start, end, piece in zip(self.starts, self.ends, self.pieces, strict=True):
            sums[end] += sums[start] * probabilities[piece]
        return sums

    def best_path(self, probabilities: Sequence[float]) -> list[int]:
        """Return the pieces of the most probable path (Viterbi 1967); on a tie, the longest last piece wins."""
        best = [1.0] + [0.0] * self.length
        came_from, came_by = [0] * (self.length + 1), [0] * (self.length + 1)
        for start, end, piece in zip(self.starts, self.ends, self.pieces, strict=True):
            probability = best[start] * probabilities[piece]
            if probability > best[end]:
                best[end], came_from[end], came_by[end] = probability, start, piece
        path = []
        position = self.length
        while position:
            path.append(came_by[position])
            position = came_from[position]
        return path[::-1]


class CorpusLattices:
    """The lattices of a corpus over `pieces`, which must contain every character of the corpus.

    `texts` maps words or parts of them, at most `LONGEST_SPAN` characters long, to their counts. `self.texts` holds
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
        self._number_of = {piece: number for number, piece in enumerate(pieces)}
        self._lengths = lengths_by_beginning(pieces)
        self.texts: dict[str, int] = {}
        lattices: dict[str, SpanLattice] = {}
        for text, count in texts.items():
            for part, lattice in self._parts(text):
                if part in self.texts:
                    self.texts[part] += count
                else:
                    self.texts[part] = count
                    lattices[part] = lattice
        # A single character between two cuts leaves nothing to decide.
        self._certain = [(self._number_of[t], count) for t, count in self.texts.items() if len(t) == 1]
        self._open = [(count, lattices[t]) for t, count in self.texts.items() if len(t) > 1]

    def expectation(self, probabilities: Sequence[float]) -> tuple[list[float], float]:
        """Return the expected count of each piece over all segmentations, and the log-likelihood of the corpus.

        This is the expectation step by forward and backward sums (Baum-Welch; Kudo 2018, section 3.2).
        """
        probabilities = [max(probability, PROBABILITY_FLOOR) for probability in probabilities]
        expected = [0.0] * len(probabilities)
        log_likelihood = 0.0
        for piece, count in self._certain:
            expected[piece] += count
            log_likelihood += count * log(probabilities[piece])
        for count, lattice in self._open:
            forward = lattice.forward(probabilities)
            total = forward[-1]
            log_likelihood += count * log(total)
            backward = [0.0] * (lattice.length + 1)
            backward[-1] = count / total
            edges = zip(reversed(lattice.starts), reversed(lattice.ends), reversed(lattice.pieces), strict=True)
            for start, end, piece in edges:
                weight = probabilities[piece] * backward[end]
                backward[start] += weight
                expected[piece] += forward[start] * weight
        return expected, log_likelihood

    def best_path_counts(self, probabilities: Sequence[float]) -> list[int]:
        """Return how often the best segmentations of all words use each piece."""
        probabilities = [max(probability, PROBABILITY_FLOOR) for probability in probabilities]
        used = [0] * len(probabilities)
        for piece, count in self._certain:
            used[piece] += count
        for count, lattice in self._open:
            for piece in lattice.best_path(probabilities):
                used[piece] += count
        return used

    def without(self, text: str, probabilities: Sequence[float]) -> list[int]:
        """Return the best segmentation of a piece's text without the piece, which has two or more characters."""
        starts, ends, pieces = self._edges(text)
        itself = self._number_of[text]
        at = pieces.index(itself)
        del starts[at], ends[at], pieces[at]
        return SpanLattice(len(text), starts, ends, pieces).best_path(probabilities)

    def _edges(self, text: str) -> tuple[list[int], list[int], list[int]]:
        starts, ends, pieces = [], [], []
        number_of, lengths, size = self._number_of, self._lengths, len(text)
        for start, character in enumerate(text):
            for length in lengths.get(text[start : start + 2], ()):
                end = start + length
                if end <= size and (piece := number_of.get(text[start:end])) is not None:
                    starts.append(start)
                    ends.append(end)
                    pieces.append(piece)
            starts.append(start)
            ends.append(start + 1)
            pieces.append(number_of[character])
        return starts, ends, pieces

    def _parts(self, text: str) -> Iterator[tuple[str, SpanLattice]]:
        """Yield the parts of a text, split wherever no piece crosses, with their lattices."""
        starts, ends, pieces = self._edges(text)
        begin = first = reach = 0
        for index, start in enumerate(starts):
            if start == reach and start > begin:
                yield text[begin:start], _lattice(begin, start, starts, ends, pieces, first, index)
                begin, first = start, index
            if ends[index] > reach:
                reach = ends[index]
        if text:
            yield text[begin:], _lattice(begin, len(text), starts, ends, pieces, first, len(starts))


def _lattice(
    begin: int, end: int, starts: list[int], ends: list[int], pieces: list[int], first: int, last: int
) -> SpanLattice:
    """Return the edges from index `first` up to `last` as a separate lattice that begins at 0."""
    if begin == 0 and last == len(starts):
        return SpanLattice(end, starts, ends, pieces)
    return SpanLattice(
        end - begin,
        [start - begin for start in starts[first:last]],
        [end - begin for end in ends[first:last]],
        pieces[first:last],
    )
