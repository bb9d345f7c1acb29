"""The Viterbi table filling from left to right, position by position, and the best path read back from its end.

Viterbi 1967; Kudo 2018, "Subword Regularization", section 3.2. The best path to a position ends with some arc, and what
stands before that arc is the best path to where it starts: so each position needs no more than the arcs that end there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from webapp.core.models.fast.single_precision import FARTHEST, single
from webapp.core.traces.lattice import Arc, Lattice


@dataclass(frozen=True, slots=True)
class PathCandidate:
    """One way to reach a position: the best path to where `arc` starts, whose sum is `before`, and then `arc`."""

    arc: Arc
    before: float
    total: float


@dataclass(frozen=True, slots=True)
class ViterbiColumn:
    """A column of the table: all ways to reach position `end`, the longest arc first, and which of them wins.

    With `reset`, SentencePiece brings the sum of a path back to 0 from here on, since it had passed 100,000.
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
        """Whether another candidate has the same sum, so that the longest arc among them wins."""
        return sum(candidate.total == self.best.total for candidate in self.candidates) > 1


@dataclass(frozen=True, slots=True)
class BackwardStep:
    """A step back: position `end` was best reached by `arc`, so the path goes on from where that starts."""

    end: int
    arc: Arc


def fill(lattice: Lattice) -> Iterator[ViterbiColumn]:
    """The columns of the table, for the positions from 1 to the end.

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
                candidates = [_less(candidate, resets[start]) for candidate in candidates]
            if arc.start != start:
                continue
            total = best[start] + arc.score
            candidates.append(PathCandidate(arc, best[start], single(total) if lattice.single else total))
            # Only what is greater wins: on a tie the arc that starts first stays.
            if candidates[-1].total > candidates[winner].total:
                winner = len(candidates) - 1
            arc = next(following, arc)
        best[end] = candidates[winner].total
        reset = lattice.single and abs(best[end]) > FARTHEST and end < len(lattice.text)
        if reset:
            resets[end], best[end] = best[end], 0.0
        yield ViterbiColumn(end, tuple(candidates), winner, reset)


def back(columns: list[ViterbiColumn]) -> Iterator[BackwardStep]:
    """From the last column back to the beginning, arc by arc.

    >>> from webapp.core.models.unigram import Unigram
    >>> from webapp.core.traces.lattice import lattice_of
    >>> model = Unigram(["<unk>", "h", "u", "g", "ug"], [0.0, -2.0, -2.0, -2.0, -3.0], unknown_id=0)
    >>> [followed.arc.text for followed in back(list(fill(lattice_of(model, "hug"))))]
    ['ug', 'h']
    """
    end = len(columns)
    while end > 0:
        arc = columns[end - 1].best.arc
        yield BackwardStep(end, arc)
        end = arc.start


def best_path(lattice: Lattice) -> tuple[Arc, ...]:
    """The arcs of the best path, in the order of the text."""
    return tuple(followed.arc for followed in back(list(fill(lattice))))[::-1]


def _less(candidate: PathCandidate, amount: float) -> PathCandidate:
    return PathCandidate(candidate.arc, candidate.before, single(candidate.total - amount))
