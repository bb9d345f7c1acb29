"""Trace of the Viterbi algorithm: the table from left to right, and the best path read back from its end.

Viterbi 1967; Kudo 2018, "Subword Regularization", section 3.2. The best path to a position is some arc that ends there
after the best path to the arc's start, so each position needs only the arcs that end there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

from webapp.core.models.sentencepiece_unigram import FARTHEST, single
from webapp.core.traces.lattice import Arc, Lattice


@dataclass(frozen=True, slots=True)
class PathCandidate:
    """A path to a position: the best path to the start of `arc`, with the sum `before`, followed by `arc`."""

    arc: Arc
    before: float
    total: float


@dataclass(frozen=True, slots=True)
class ViterbiColumn:
    """A column of the table: all candidates for position `end`, longest arc first, and the index of the winner.

    With `reset`, the sum restarts from 0 at this position, as SentencePiece does once it exceeds 100,000.
    """

    end: int
    candidates: tuple[PathCandidate, ...]
    winner: int
    reset: bool = False

    @property
    def best(self) -> PathCandidate:
        """The winning candidate."""
        return self.candidates[self.winner]

    @property
    def tied(self) -> bool:
        """Whether another candidate has the same sum; the longest arc wins then."""
        return sum(candidate.total == self.best.total for candidate in self.candidates) > 1


def fill(lattice: Lattice) -> Iterator[ViterbiColumn]:
    """Yield the columns of the table, for the positions from 1 to the end.

    >>> from webapp.core.models.unigram import Unigram
    >>> from webapp.core.traces.lattice import lattice_of
    >>> model = Unigram(["<unk>", "h", "u", "g", "hu", "ug"], [0.0, -2.0, -2.0, -2.0, -3.5, -3.0], unknown_id=0)
    >>> for column in fill(lattice_of(model, "hug")):
    ...     print(column.end, [(candidate.arc.text, candidate.total) for candidate in column.candidates], column.winner)
    1 [('h', -2.0)] 0
    2 [('hu', -3.5), ('u', -4.0)] 0
    3 [('ug', -5.0), ('g', -5.5)] 0
    """
    arcs = lattice.by_end()
    best = [0.0] + [-inf] * len(lattice.text)
    resets: dict[int, float] = {}
    for end in range(1, len(arcs)):
        candidates: list[PathCandidate] = []
        winner = 0
        following = iter(arcs[end])
        arc = next(following)
        for start in range(arc.start, end):
            if start in resets:
                candidates = [_reduced(candidate, resets[start]) for candidate in candidates]
            if arc.start != start:
                continue
            total = best[start] + arc.score
            candidates.append(PathCandidate(arc, best[start], single(total) if lattice.single else total))
            # Strictly greater: on a tie the arc that starts first wins.
            if candidates[-1].total > candidates[winner].total:
                winner = len(candidates) - 1
            arc = next(following, arc)
        best[end] = candidates[winner].total
        reset = lattice.single and abs(best[end]) > FARTHEST and end < len(lattice.text)
        if reset:
            resets[end], best[end] = best[end], 0.0
        yield ViterbiColumn(end, tuple(candidates), winner, reset)


def path_back(columns: Sequence[ViterbiColumn]) -> list[Arc]:
    """Return the arcs of the best path to the last of these columns, from its end to the beginning.

    >>> from webapp.core.models.unigram import Unigram
    >>> from webapp.core.traces.lattice import lattice_of
    >>> model = Unigram(["<unk>", "h", "u", "g", "ug"], [0.0, -2.0, -2.0, -2.0, -3.0], unknown_id=0)
    >>> [arc.text for arc in path_back(list(fill(lattice_of(model, "hug"))))]
    ['ug', 'h']
    """
    path: list[Arc] = []
    end = len(columns)
    while end:
        path.append(columns[end - 1].best.arc)
        end = path[-1].start
    return path


def best_path(lattice: Lattice) -> tuple[Arc, ...]:
    """Return the arcs of the best path, in text order."""
    return tuple(path_back(list(fill(lattice))))[::-1]


def _reduced(candidate: PathCandidate, amount: float) -> PathCandidate:
    return PathCandidate(candidate.arc, candidate.before, single(candidate.total - amount))
