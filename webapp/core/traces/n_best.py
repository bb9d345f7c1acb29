"""The exact n best segmentations of a text, with their probabilities.

The Viterbi table keeps the best path to each position; this table keeps the n best. The k-th best path to a position
extends one of the k best paths to the start of its last arc, so no other paths are needed (list decoding: Seshadri and
Sundberg 1994). SentencePiece finds the same segmentations with an A* search from the end. The table adds scores in the
same order as Viterbi, so the first of the n equals the best path even where rounding decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import product
from math import exp, fsum

from webapp.core.models.sentencepiece_unigram import FARTHEST, single
from webapp.core.traces.lattice import Arc, Lattice
from webapp.core.traces.sampling import Segmentation, forward_sums, score_of


def n_best(lattices: Sequence[Lattice], n: int) -> list[Segmentation]:
    """Return the n most likely segmentations of a text whose pre-tokens have these lattices, best first.

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
    """A path to a position: its last arc, and the path to the start of that arc."""

    total: float
    arc: Arc | None
    before: _PartialPath | None


def _n_best_paths(lattice: Lattice, n: int) -> list[tuple[float, tuple[Arc, ...]]]:
    """Return the n best paths through one lattice, each with its sum as the model computes it."""
    arcs = lattice.by_start()
    paths: list[list[_PartialPath]] = [[] for _ in arcs]
    paths[0] = [_PartialPath(0.0, None, None)]
    for start, starting in enumerate(arcs):
        # On a tie the first one found wins, as in Viterbi.
        best = nlargest(n, paths[start], key=_total)
        if lattice.single and abs(best[0].total) > FARTHEST and starting:
            amount = best[0].total
            best = [_reduced(path, amount) for path in best]
            for end in range(start + 1, len(paths)):
                paths[end] = [_reduced(path, amount) for path in nlargest(n, paths[end], key=_total)]
        paths[start] = best
        for arc in starting:
            for path in best:
                total = path.total + arc.score
                paths[arc.end].append(_PartialPath(single(total) if lattice.single else total, arc, path))
    return [(path.total, _path(path)) for path in paths[-1]]


def _total(path: _PartialPath) -> float:
    return path.total


def _reduced(path: _PartialPath, amount: float) -> _PartialPath:
    return _PartialPath(single(path.total - amount), path.arc, path.before)


def _path(path: _PartialPath) -> tuple[Arc, ...]:
    arcs: list[Arc] = []
    while path.arc is not None and path.before is not None:
        arcs.append(path.arc)
        path = path.before
    return tuple(reversed(arcs))
