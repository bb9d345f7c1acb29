"""The lattice of a text: every matching piece is an arc from its start to its end; its Viterbi table; the n best.

A path of arcs from the beginning to the end is a segmentation; the sum of its arcs' scores is the natural logarithm of
its probability (Kudo 2018, "Subword Regularization", section 3.2). The lattices of
`webapp.core.trainers.corpus_lattice` serve training: they cover a whole corpus and use probabilities. These serve
display: they cover one text, use a model's scores, and include characters that no piece covers.

The Viterbi algorithm (Viterbi 1967) fills its table from left to right, and the best path is read back from its end.
The best path to a position is some arc that ends there after the best path to the arc's start, so each position needs
only the arcs that end there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from itertools import product
from math import exp, fsum, inf, log
from operator import attrgetter

from webapp.core.models.sentencepiece_models import FARTHEST, SentencePieceUnigram, single
from webapp.core.models.unigram import Unigram

LatticeModel = Unigram | SentencePieceUnigram


@dataclass(frozen=True, slots=True)
class Arc:
    """A piece that matches a text from `start` to `end` (exclusive), in characters.

    `score` is its natural log-probability. A character without a piece has the id None and the unknown score.
    """

    start: int
    end: int
    text: str
    id: int | None
    score: float


@dataclass(frozen=True, slots=True)
class Lattice:
    """A text and all its arcs, sorted by end, then by start.

    With `single`, sums are rounded to single precision as in SentencePiece.
    """

    text: str
    arcs: tuple[Arc, ...]
    single: bool = False

    def by_end(self) -> list[list[Arc]]:
        """Return for each position from 0 to the end the arcs that end there, longest first."""
        table: list[list[Arc]] = [[] for _ in range(len(self.text) + 1)]
        for arc in self.arcs:
            table[arc.end].append(arc)
        return table

    def by_start(self) -> list[list[Arc]]:
        """Return for each position from 0 to the end the arcs that start there, shortest first."""
        table: list[list[Arc]] = [[] for _ in range(len(self.text) + 1)]
        for arc in self.arcs:
            table[arc.start].append(arc)
        return table


def lattice_of(model: LatticeModel, text: str) -> Lattice:
    """Return the lattice of one pre-token.

    >>> model = Unigram(["<unk>", "a", "b", "ab"], [0.0, -1.0, -1.0, -1.5], unknown_id=0)
    >>> for arc in lattice_of(model, "abx").arcs:
    ...     print(arc)
    Arc(start=0, end=1, text='a', id=1, score=-1.0)
    Arc(start=0, end=2, text='ab', id=3, score=-1.5)
    Arc(start=1, end=2, text='b', id=2, score=-1.0)
    Arc(start=2, end=3, text='x', id=None, score=-11.5)
    """
    arcs = [Arc(start, end, text[start:end], id, score) for start, end, id, score in model.arcs(text)]
    arcs.sort(key=lambda arc: (arc.end, arc.start))
    return Lattice(text, tuple(arcs), single=isinstance(model, SentencePieceUnigram))


def tokens_of(model: LatticeModel, text: str, path: Sequence[Arc]) -> Sequence[tuple[int, int, int]]:
    """Return `(id, start, end)` of each token of a path through the lattice of `text`.

    Adjacent unknown characters form one token, or byte tokens if the vocabulary has byte fallback.

    >>> model = Unigram(["<unk>", "a"], [0.0, -1.0], unknown_id=0)
    >>> tokens_of(model, "axy", lattice_of(model, "axy").arcs)
    ((1, 0, 1), (0, 1, 3))
    """
    return model.tokens([(arc.id, arc.end) for arc in path], text)


def count_paths(lattice: Lattice) -> int:
    """Return the number of segmentations of the text.

    >>> count_paths(Lattice("ab", (Arc(0, 1, "a", 0, -1.0), Arc(0, 2, "ab", 2, -3.0), Arc(1, 2, "b", 1, -1.0))))
    2
    """
    counts = [1]
    for arcs in lattice.by_end()[1:]:
        counts.append(sum(counts[arc.start] for arc in arcs))
    return counts[-1]


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
                candidates = [replace(each, total=single(each.total - resets[start])) for each in candidates]
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


@dataclass(frozen=True, slots=True)
class Segmentation:
    """A segmentation of a text: one path for each lattice.

    `score` is its unnormalized natural log-probability; `probability` is its share among all segmentations.
    """

    paths: tuple[tuple[Arc, ...], ...]
    score: float
    probability: float


def forward_sums(lattice: Lattice) -> list[float]:
    """Return for each position the log of the summed weights of all paths; an arc weighs exp(score).

    >>> lattice = Lattice("ab", (Arc(0, 1, "a", 0, -1.0), Arc(0, 2, "ab", 2, -2.0), Arc(1, 2, "b", 1, -1.0)))
    >>> [round(total, 3) for total in forward_sums(lattice)]  # two paths of exp(-2) each
    [0.0, -1.0, -1.307]
    """
    totals = [0.0]
    for arcs in lattice.by_end()[1:]:
        totals.append(log_sum([totals[arc.start] + arc.score for arc in arcs]))
    return totals


def log_sum(logarithms: Sequence[float]) -> float:
    """Return the logarithm of a sum, given the logarithms of its terms: the probability of a long text underflows.

    >>> round(exp(log_sum([log(2), log(3)])), 9), round(log_sum([-2000.0, -2000.0]), 3)
    (5.0, -1999.307)
    """
    greatest = max(logarithms, default=-inf)
    return greatest if greatest == -inf else greatest + log(fsum(exp(value - greatest) for value in logarithms))


def n_best(lattices: Sequence[Lattice], n: int) -> list[Segmentation]:
    """Return the n most likely segmentations of a text whose pre-tokens have these lattices, best first.

    A table keeps the n best paths to each position, where that of Viterbi keeps the best: the k-th best path to a
    position extends one of the k best paths to the start of its last arc, so no other paths are needed (list decoding:
    Seshadri and Sundberg 1994). SentencePiece finds the same segmentations with an A* search from the end. The table
    adds scores in the same order as Viterbi, so the first of the n equals the best path even where rounding decides.

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
    scored = [(paths, fsum(arc.score for path in paths for arc in path)) for _, paths in together]
    return [Segmentation(paths, score, exp(min(score - whole, 0.0))) for paths, score in scored]


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
        best = nlargest(n, paths[start], key=attrgetter("total"))
        if lattice.single and abs(best[0].total) > FARTHEST and starting:
            amount = best[0].total
            best = [_reduced_path(path, amount) for path in best]
            for end in range(start + 1, len(paths)):
                paths[end] = [_reduced_path(path, amount) for path in nlargest(n, paths[end], key=attrgetter("total"))]
        paths[start] = best
        for arc in starting:
            for path in best:
                total = path.total + arc.score
                paths[arc.end].append(_PartialPath(single(total) if lattice.single else total, arc, path))
    return [(path.total, _path(path)) for path in paths[-1]]


def _reduced_path(path: _PartialPath, amount: float) -> _PartialPath:
    return _PartialPath(single(path.total - amount), path.arc, path.before)


def _path(path: _PartialPath) -> tuple[Arc, ...]:
    arcs: list[Arc] = []
    while path.arc is not None and path.before is not None:
        arcs.append(path.arc)
        path = path.before
    return tuple(reversed(arcs))
