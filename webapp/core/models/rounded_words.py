"""What single precision makes of a word, wherever in a long text it stands.

Between two powers of two, single-precision numbers lie on an even grid. A sum that stays there is the sum of scores
rounded to that grid, whatever stands in front, unless a score lies half-way between two points: rounding to even then
depends on the sum. So the best path of a word, and by how much it changes the sum, can be remembered for each grid.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from math import frexp, inf
from typing import NamedTuple

from webapp.core.models.cache import Cache
from webapp.core.models.lengths import lengths_by_beginning
from webapp.core.models.scored_pieces import Part, ScoredPieces

# Characters; a longer word hardly ever returns.
LONGEST_WORD = 48

PRECISION = 24  # bits of a single-precision number
# A word that may change the sum by more than this is always computed.
EMPTIEST = 64.0


class Path(NamedTuple):
    """The best path of a word that starts at 0.

    `margin` is by how much it is better than the next at the closest of its decisions, `reach` the largest sum that was
    looked at; both without sign.
    """

    parts: tuple[Part, ...]
    scores: tuple[float, ...]
    margin: float
    reach: float


class Plan(NamedTuple):
    """A word on a grid: its ids, by how much it changes the sum, and the largest change on the way.

    The change is minus infinity, and the reach infinity, when they depend on the sum.
    """

    ids: tuple[int, ...]
    change: float
    reach: float


class RoundedWords:
    """Words, and what becomes of them on each grid; words too long for a `Cache` are left to who asks."""

    def __init__(self, score_of: Mapping[str, float], unknown_score: float, vocabulary: ScoredPieces) -> None:
        self._score_of = score_of
        self._unknown_score = unknown_score
        self._vocabulary = vocabulary
        self._lengths = lengths_by_beginning(score_of)
        self._grids: dict[int, Grid] = {}
        # Words whose best path is so close to another that rounding may decide, and from which sum on.
        self._uncertain: dict[str, float] = {}
        self.path = Cache(self._path)

    def ids_of(self, word: str) -> tuple[int, ...]:
        """The ids of a word in exact arithmetic."""
        return self._vocabulary.expanded(self.path[word].parts, word)

    def certain(self, words: Iterable[str], farthest: float) -> bool:
        """Whether no rounding decides in any of the words, whose paths are known, while sums stay below `farthest`."""
        uncertain = self._uncertain
        if uncertain.keys().isdisjoint(words):
            return True
        return all(uncertain.get(word, inf) > farthest for word in words)

    def at(self, score: float, farthest: float) -> Grid | None:
        """The grid on which a sum lies, if words can be remembered there."""
        exponent = frexp(score)[1]
        if score >= -1.0 or score <= -farthest:
            return None
        grid = self._grids.get(exponent)
        if grid is None:
            limit = min(2.0**exponent, farthest)
            grid = self._grids[exponent] = Grid(self, 2.0 ** (exponent - PRECISION), limit)
        return grid

    def plan(self, word: str, step: float) -> Plan:
        """A word on the grid with a step."""
        path = self.path[word]
        if path.reach > EMPTIEST:
            return Plan((), -inf, inf)
        if path.margin <= 2 * len(word) * step:
            path = self._rounded_path(word, step)
        scores = [nearest(score, step) for score in path.scores]
        halfway = any(abs(score - near) == step / 2 for score, near in zip(path.scores, scores, strict=True))
        if halfway or path.reach > EMPTIEST:
            return Plan((), -inf, inf)
        return Plan(self._vocabulary.expanded(path.parts, word), sum(scores), path.reach + len(word) * step)

    def _path(self, word: str) -> Path:
        if len(word) > LONGEST_WORD:
            return Path((), (), 0.0, inf)
        path = self._best_path(word, self._score_of, self._unknown_score)
        # A sum of n terms is at most n half steps off; a step is the sum times 2**-23 at most.
        until = path.margin / (2 * len(word)) * 2.0 ** (PRECISION - 1) - path.reach
        if until < 2.0 * (1 << 17):
            if len(self._uncertain) > 1 << 17:
                self._uncertain.clear()
                self.path.clear()
            self._uncertain[word] = until
        return path

    def _rounded_path(self, word: str, step: float) -> Path:
        beginnings = {word[start:end] for start in range(len(word)) for end in range(start + 1, len(word) + 1)}
        scores = {piece: self._score_of[piece] for piece in beginnings & self._score_of.keys()}
        rounded = {piece: nearest(score, step) for piece, score in scores.items()}
        unknown = nearest(self._unknown_score, step)
        path = self._best_path(word, rounded, unknown)
        halfway = any(abs(scores[piece] - rounded[piece]) == step / 2 for piece in scores)
        if halfway or abs(self._unknown_score - unknown) == step / 2:
            return path._replace(reach=inf)
        return path

    def _best_path(self, word: str, score_of: Mapping[str, float], unknown_score: float) -> Path:
        length = len(word)
        best = [0.0] + [-inf] * length
        second = [-inf] * (length + 1)
        start_of = [0] * (length + 1)
        reach = 0.0
        for start in range(length):
            till_here = best[start]
            for piece_length in (*self._lengths.get(word[start : start + 2], ()), 1):
                end = start + piece_length
                score = score_of.get(word[start:end], unknown_score if piece_length == 1 else None)
                if score is None or end > length:
                    continue
                candidate = till_here + score
                # A sum that grows again could leave the grid at its finer end.
                reach = inf if score > 0 else max(reach, -candidate)
                if candidate > best[end]:
                    second[end] = best[end]
                    best[end] = candidate
                    start_of[end] = start
                elif candidate > second[end]:
                    second[end] = candidate
        return self._read_back(word, best, second, start_of, reach)

    def _read_back(
        self, word: str, best: Sequence[float], second: Sequence[float], start_of: Sequence[int], reach: float
    ) -> Path:
        parts: list[Part] = []
        scores: list[float] = []
        margin = inf
        end = len(word)
        while end > 0:
            start = start_of[end]
            piece = word[start:end]
            parts.append((self._vocabulary.ids.get(piece), end))
            scores.append(self._score_of.get(piece, self._unknown_score))
            margin = min(margin, best[end] - second[end])
            end = start
        return Path(tuple(reversed(parts)), tuple(reversed(scores)), margin, reach)


class Grid:
    """Words on one grid: sums from half of `limit` (or a little less) to `limit`, all a multiple of `step`."""

    def __init__(self, words: RoundedWords, step: float, limit: float) -> None:
        self.limit = limit
        self.plan = Cache(lambda word: words.plan(word, step))
        self.ids = Cache(lambda word: self.plan[word].ids)
        self.change = Cache(lambda word: self.plan[word].change)


def nearest(score: float, step: float) -> float:
    """A score rounded to a multiple of `step`, a power of two; halves to even.

    >>> nearest(-2.3, 0.25), nearest(-2.375, 0.25)
    (-2.25, -2.5)
    """
    return round(score / step) * step


def single(value: float) -> float:
    """A number in single precision.

    >>> single(0.1)
    0.10000000149011612
    """
    return array("f", [value])[0]
