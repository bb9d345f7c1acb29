"""Random segmentations, sampled by probability, and the n best: subword regularization.

Kudo 2018, "Subword Regularization", section 3.3: a segmentation x of a text is sampled with the probability
P(x) ** α / Σ P(y) ** α over all its segmentations y. The temperature here is 1 / α: at 1, samples follow the model's
probabilities; near 0, the best segmentation always wins; at high values, all become equally likely. Forward filtering
and backward sampling (Scott 2002) visits every arc twice and rejects no path.

Sums are logarithms, because the probability of a text of about 200 characters underflows.

For the exact n best, a table keeps the n best paths to each position, where that of Viterbi keeps the best: the k-th
best path to a position extends one of the k best paths to the start of its last arc, so no other paths are needed (list
decoding: Seshadri and Sundberg 1994). SentencePiece finds the same segmentations with an A* search from the end. The
table adds scores in the same order as Viterbi, so the first of the n equals the best path even where rounding decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import accumulate, product
from math import exp, fsum, inf, log
from random import Random

from webapp.core.models.sentencepiece_unigram import FARTHEST, single
from webapp.core.traces.lattice import Arc, Lattice


@dataclass(frozen=True, slots=True)
class Segmentation:
    """A segmentation of a text: one path for each lattice.

    `score` is its unnormalized natural log-probability under the model; `probability` is its share among all
    segmentations at the requested temperature.
    """

    paths: tuple[tuple[Arc, ...], ...]
    score: float
    probability: float


def forward_sums(lattice: Lattice, temperature: float = 1.0) -> list[float]:
    """Return for each position the log of the summed weights of all paths; an arc weighs exp(score / temperature).

    >>> lattice = Lattice("ab", (Arc(0, 1, "a", 0, -1.0), Arc(0, 2, "ab", 2, -2.0), Arc(1, 2, "b", 1, -1.0)))
    >>> [round(total, 3) for total in forward_sums(lattice)]  # two paths of exp(-2) each
    [0.0, -1.0, -1.307]
    """
    totals = [0.0]
    for arcs in lattice.by_end()[1:]:
        totals.append(log_sum([totals[arc.start] + arc.score / temperature for arc in arcs]))
    return totals


def log_sum(logarithms: Sequence[float]) -> float:
    """Return the logarithm of a sum, given the logarithms of its terms.

    >>> round(exp(log_sum([log(2), log(3)])), 9), round(log_sum([-2000.0, -2000.0]), 3)
    (5.0, -1999.307)
    """
    greatest = max(logarithms, default=-inf)
    return greatest if greatest == -inf else greatest + log(fsum(exp(value - greatest) for value in logarithms))


def sample(lattices: Sequence[Lattice], count: int, *, temperature: float, seed: int) -> list[Segmentation]:
    """Sample `count` segmentations of a text whose pre-tokens have these lattices; the result depends on the seed only.

    >>> lattice = Lattice("ab", (Arc(0, 1, "a", 0, -1.0), Arc(0, 2, "ab", 2, -3.0), Arc(1, 2, "b", 1, -1.0)))
    >>> for drawn in sample([lattice], 3, temperature=1.0, seed=1):
    ...     print([arc.text for arc in drawn.paths[0]], round(drawn.probability, 3))
    ['ab'] 0.269
    ['a', 'b'] 0.731
    ['ab'] 0.269

    Raises ValueError if the temperature is not above 0.
    """
    if not temperature > 0:
        raise ValueError("the temperature must be above 0")
    random = Random(seed)
    weighed = [(lattice.by_end(), forward_sums(lattice, temperature)) for lattice in lattices]
    drawn = []
    for _ in range(count):
        paths = tuple(_backward(arcs, totals, temperature, random) for arcs, totals in weighed)
        weight = fsum(arc.score / temperature for path in paths for arc in path)
        probability = exp(min(weight - fsum(totals[-1] for _, totals in weighed), 0.0))
        drawn.append(Segmentation(paths, score_of(paths), probability))
    return drawn


def score_of(paths: Sequence[Sequence[Arc]]) -> float:
    """Return the sum of the scores of all arcs."""
    return fsum(arc.score for path in paths for arc in path)


def _backward(
    arcs: Sequence[Sequence[Arc]], totals: Sequence[float], temperature: float, random: Random
) -> tuple[Arc, ...]:
    """Sample a path from the end, each arc with its share of all paths that reach its end."""
    path: list[Arc] = []
    end = len(totals) - 1
    while end > 0:
        logarithms = [totals[arc.start] + arc.score / temperature for arc in arcs[end]]
        greatest = max(logarithms)
        bounds = list(accumulate(exp(logarithm - greatest) for logarithm in logarithms))
        point = random.random() * bounds[-1]
        chosen = next((arc for arc, bound in zip(arcs[end], bounds, strict=True) if point < bound), arcs[end][-1])
        path.append(chosen)
        end = chosen.start
    return tuple(reversed(path))


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
