"""All ways to read a corpus with a given set of pieces, and what is expected of each piece over all of them.

A lattice over a stretch of text has an edge from `start` to `end` for each piece that stands there; a path
from the beginning to the end is a segmentation, its probability the product of its pieces' probabilities.

Words are cut wherever no piece crosses from one character to the next: every path passes there, so the
stretches can be read apart, which changes nothing in the result and leaves far fewer distinct ones. Nothing
here is done in logarithms: the probabilities have a floor and the stretches a limit, so that no product comes
to nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import NamedTuple

from webapp.core.models.fast.word_lengths import lengths_by_beginning

LONGEST_STRETCH = 32  # characters; with PROBABILITY_FLOOR, a path weighs at least 1e-9 ** 32 = 1e-288
PROBABILITY_FLOOR = 1e-9


class SpanLattice(NamedTuple):
    """The edges over one stretch of text: three parallel lists in the order of the starts."""

    length: int
    starts: list[int]
    ends: list[int]
    pieces: list[int]

    def forward(self, probabilities: Sequence[float]) -> list[float]:
        """For each position the summed probability of all paths from the beginning to it."""
        sums = [1.0] + [0.0] * self.length
        for start, end, piece in zip(self.starts, self.ends, self.pieces, strict=True):
            sums[end] += sums[start] * probabilities[piece]
        return sums

    def best_path(self, probabilities: Sequence[float]) -> list[int]:
        """The most probable path's pieces (Viterbi 1967); of equals, the longest last piece wins."""
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
    """The lattices of a whole corpus over `pieces`, which must hold every single character of it.

    `texts` are words or stretches of them, at most `LONGEST_STRETCH` characters long, with their counts. What
    `self.texts` holds after the cuts says the same of the corpus to whoever has these pieces or fewer.

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
        """How often each piece is expected to be used over all segmentations, and the corpus' log-likelihood.

        The expectation step by forward and backward sums (Baum-Welch; Kudo 2018, section 3.2).
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
        """How often each piece is used when every word is read in its most probable way."""
        probabilities = [max(probability, PROBABILITY_FLOOR) for probability in probabilities]
        used = [0] * len(probabilities)
        for piece, count in self._certain:
            used[piece] += count
        for count, lattice in self._open:
            for piece in lattice.best_path(probabilities):
                used[piece] += count
        return used

    def without(self, text: str, probabilities: Sequence[float]) -> list[int]:
        """The most probable way to read the text of a piece of two or more characters without it."""
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
        """The text cut wherever no piece crosses."""
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
    """The edges from index `first` up to `last` as a lattice of their own that begins at 0."""
    if begin == 0 and last == len(starts):
        return SpanLattice(end, starts, ends, pieces)
    return SpanLattice(
        end - begin,
        [start - begin for start in starts[first:last]],
        [end - begin for end in ends[first:last]],
        pieces[first:last],
    )
