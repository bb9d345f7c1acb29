"""The best path through a text, and how much better it is than every other.

Viterbi with the second best score at every end, for `unigram_spans` and `single_precision`.

- Exploits: where the second best path is far behind, rounding cannot decide otherwise, whatever text comes before.
- Invariant: each decision on the path is between the best and the second best score at an end.
- Proved by: `webapp.core.reference.unigram` in `test_the_best_path_is_that_of_the_reference`.
- Bought: nothing by itself; the two files that use it state what they bought.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import NamedTuple


class BestPath(NamedTuple):
    """`ends` are those of the path's parts.

    `margin` is how much better the path is than the second best at the closest of its decisions, `reach` the largest
    sum that was considered, without sign; it is infinite when a score is above 0.
    """

    ends: tuple[int, ...]
    margin: float
    reach: float


def best_path(
    text: str, score_of: Mapping[str, float], unknown_score: float, lengths: Mapping[str, Sequence[int]]
) -> BestPath:
    """The path of the highest sum of scores; `lengths` gives the lengths of the pieces by their first two characters.

    >>> best_path("abc", {"a": -1.0, "b": -1.0, "ab": -1.5}, -9.0, {"ab": (2,)})
    BestPath(ends=(2, 3), margin=0.5, reach=10.5)
    """
    length = len(text)
    best = [0.0] + [-inf] * length
    second = [-inf] * (length + 1)
    start_of = [0] * (length + 1)
    lowest = 0.0
    for start in range(length):
        till_here = best[start]
        for piece_length in (*lengths.get(text[start : start + 2], ()), 1):
            end = start + piece_length
            score = score_of.get(text[start:end], unknown_score if piece_length == 1 else None)
            if score is None or end > length:
                continue
            candidate = till_here + score
            # A sum that grows again could leave the grid at its finer end.
            if score > 0:
                lowest = -inf
            elif candidate < lowest:
                lowest = candidate
            if candidate > best[end]:
                second[end] = best[end]
                best[end] = candidate
                start_of[end] = start
            elif candidate > second[end]:
                second[end] = candidate
    ends: list[int] = []
    margin = inf
    end = length
    while end > 0:
        ends.append(end)
        margin = min(margin, best[end] - second[end])
        end = start_of[end]
    ends.reverse()
    return BestPath(tuple(ends), margin, -lowest)
