"""The n best segmentations of a text, exactly, with their probabilities.

Where the Viterbi table keeps the best path to each position, this one keeps the n best: the k-th best path to a
position is one of the k best to where its last arc starts, so no other is needed (list decoding: Seshadri and Sundberg
1994). SentencePiece finds the same by searching back from the end with A*; a table sums in the order in which Viterbi
does, so that the first of the n is the best path also where rounding decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import product
from math import exp, fsum

from webapp.core.models.fast.single_precision import FARTHEST, single
from webapp.core.traces.lattice import Arc, Lattice
from webapp.core.traces.sampling import Segmentation, forward_sums, score_of


def n_best(lattices: Sequence[Lattice], n: int) -> list[Segmentation]:
    """The n likeliest segmentations of a text whose pre-tokens have these lattices, best first; fewer where there are
    fewer.

    >>> lattice = Lattice("ab", (Arc(0, 1, "a", 0, -1.0), Arc(0, 2, "ab", 2, -3.0), Arc(1, 2, "b", 1, -1.0)))
    >>> for found in n_best([lattice], 5):
    ...     print([arc.text for arc in found.paths[0]], found.score, round(found.probability, 3))
    ['a', 'b'] -2.0 0.731
    ['ab'] -3.0 0.269
    """
    together: list[tuple[float, tuple[tuple[Arc, ...], ...]]] = [(0.0, ())]
    for lattice in lattices:
        pairs = product(together, _n_best_paths(lattice, n))
        joined = [(before + total, (*paths, path)) for (before, paths), (total, path) in pairs]
        together = nlargest(n, joined, key=lambda found: found[0])
    whole = fsum(forward_sums(lattice)[-1] for lattice in lattices)
    return [
        Segmentation(paths, score, exp(min(score - whole, 0.0))) for _, paths in together for score in [score_of(paths)]
    ]


@dataclass(frozen=True, slots=True)
class _PartialPath:
    """A path to a position: its last arc, and which of the ways to where that starts it goes on from."""

    total: float
    arc: Arc | None
    before: _PartialPath | None


def _n_best_paths(lattice: Lattice, n: int) -> list[tuple[float, tuple[Arc, ...]]]:
    """The n best paths through one lattice, each with the sum that a model finds for it."""
    arcs = lattice.by_start()
    ways: list[list[_PartialPath]] = [[] for _ in arcs]
    ways[0] = [_PartialPath(0.0, None, None)]
    for start, starting in enumerate(arcs):
        # Of equals, the one found first: so does Viterbi.
        best = nlargest(n, ways[start], key=_total)
        if lattice.single and abs(best[0].total) > FARTHEST and starting:
            amount = best[0].total
            best = [_less(way, amount) for way in best]
            for end in range(start + 1, len(ways)):
                ways[end] = [_less(way, amount) for way in nlargest(n, ways[end], key=_total)]
        ways[start] = best
        for arc in starting:
            for way in best:
                total = way.total + arc.score
                ways[arc.end].append(_PartialPath(single(total) if lattice.single else total, arc, way))
    return [(way.total, _path(way)) for way in ways[-1]]


def _total(way: _PartialPath) -> float:
    return way.total


def _less(way: _PartialPath, amount: float) -> _PartialPath:
    return _PartialPath(single(way.total - amount), way.arc, way.before)


def _path(way: _PartialPath) -> tuple[Arc, ...]:
    arcs: list[Arc] = []
    while way.arc is not None and way.before is not None:
        arcs.append(way.arc)
        way = way.before
    return tuple(reversed(arcs))
