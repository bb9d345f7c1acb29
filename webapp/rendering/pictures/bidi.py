"""The Unicode bidirectional algorithm, for text without formatting characters.

Pictures show formatting characters as `⟨202E⟩`, so only the algorithm's implicit rules apply. `python-bidi` resolves
the levels; rule L2 of Unicode Standard Annex 9 determines the order in a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import bidirectional

import regex
from bidi import algorithm

_RTL = regex.compile(r"[\p{bc=R}\p{bc=AL}\p{bc=AN}]")
_OBJECT = "\ufffc"  # neutral, like an inline picture


def base_level(text: str) -> int:
    """The base level of a paragraph: 1 if its first letter is from a right-to-left script, else 0."""
    return int(algorithm.get_base_level(text))


def levels(clusters: Sequence[str], base: int) -> list[int]:
    """The embedding level of each cluster of a paragraph; odd levels run from right to left.

    >>> levels(list("ab אב"), 0)
    [0, 0, 0, 1, 1]
    """
    if not base and not any(_RTL.search(cluster) for cluster in clusters):
        return [0] * len(clusters)
    firsts = [cluster[:1] if bidirectional(cluster[:1]) not in ("BN", "B", "") else _OBJECT for cluster in clusters]
    storage = algorithm.get_empty_storage()
    storage["base_level"], storage["base_dir"] = base, "LR"[base]
    algorithm.get_embedding_levels("".join(firsts), storage)
    algorithm.explicit_embed_and_overrides(storage)
    algorithm.resolve_weak_types(storage)
    algorithm.resolve_neutral_types(storage, False)
    algorithm.resolve_implicit_levels(storage, False)
    return [character["level"] for character in storage["chars"]]


def visual_order(levels: Sequence[int]) -> list[int]:
    """The indexes of a line's parts from left to right.

    >>> visual_order([0, 0, 1, 1, 0])
    [0, 1, 3, 2, 4]
    """
    order = list(range(len(levels)))
    odd = [level for level in levels if level % 2]
    for level in range(max(levels, default=0), min(odd, default=1) - 1, -1):
        at = 0
        while at < len(order):
            if levels[order[at]] < level:
                at += 1
                continue
            end = at
            while end < len(order) and levels[order[end]] >= level:
                end += 1
            order[at:end] = reversed(order[at:end])
            at = end
    return order
