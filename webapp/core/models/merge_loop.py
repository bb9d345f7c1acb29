"""Merging by rank, the inner loop of byte-pair encoding (Sennrich et al. 2016, section 3.2).

The adjacent pair with the lowest rank is merged, the leftmost first among equals, until no adjacent pair has a rank.
Two implementations give the same result: a plain list for short pre-tokens, and for long ones a heap, which takes
O(n log n).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

# Above this many symbols the heap is faster than searching the list again for every merge (3 times at 400).
LONG = 80

NO_RANK = 1 << 62  # above every rank
POSITION_BITS = 32


def pack(left: int, right: int) -> int:
    """Pack two ids into one integer, which a dictionary finds faster than a tuple."""
    return left << 32 | right


def merge(symbols: Sequence[int], ranks: Mapping[int, int], merged: Mapping[int, int]) -> list[int]:
    """Merge until no adjacent pair has a rank.

    `ranks` maps a packed pair of ids to its rank, `merged` to the id of the merged piece. Negative symbols have no
    merges.

    >>> ranks = {pack(0, 1): 0, pack(2, 0): 1}      # a b → ab, ab a → aba
    >>> merge([0, 1, 0, 1, 0], ranks, {pack(0, 1): 2, pack(2, 0): 3})
    [2, 3]
    """
    if len(symbols) > LONG:
        return [symbol for symbol, _ in merge_with_places(symbols, ranks.get, merged)]
    symbols = list(symbols)
    rank_of = ranks.get
    found = [rank_of(left << 32 | right, NO_RANK) for left, right in pairwise(symbols)]
    while found and (rank := min(found)) != NO_RANK:
        at = found.index(rank)
        symbols[at] = new = merged[symbols[at] << 32 | symbols[at + 1]]
        del symbols[at + 1], found[at]
        if at:
            found[at - 1] = rank_of(symbols[at - 1] << 32 | new, NO_RANK)
        if at < len(found):
            found[at] = rank_of(new << 32 | symbols[at + 1], NO_RANK)
    return symbols


def merge_with_places(
    symbols: Sequence[int], rank_of: Callable[[int, int], int], merged: Mapping[int, int]
) -> list[tuple[int, int]]:
    """Like `merge`, but return `(id, index)`, with the index of the initial symbol that each id begins with.

    `rank_of` gets a packed pair and what to return if it has no rank, once whenever two symbols become neighbours.

    >>> ranks = {pack(0, 1): 0, pack(2, 0): 1}
    >>> merge_with_places([0, 1, 0, 1, 0], ranks.get, {pack(0, 1): 2, pack(2, 0): 3})
    [(2, 0), (3, 2)]
    """
    symbols = list(symbols)

    def join(at: int, right: int) -> None:
        symbols[at] = merged[symbols[at] << 32 | symbols[right]]

    def rank(at: int, right: int, end: int) -> int:
        return rank_of(symbols[at] << 32 | symbols[right], NO_RANK)

    ranks = [rank_of(left << 32 | right, NO_RANK) for left, right in pairwise(symbols)]
    return [(symbols[at], at) for at in merge_by_heap(ranks, rank, join)] if symbols else []


def merge_by_heap(
    ranks: list[int], rank_of: Callable[[int, int, int], int], join: Callable[[int, int], None]
) -> list[int]:
    """Merge neighbours until none have a rank; return the positions where the parts that are left begin.

    `ranks` are those of the adjacent pairs. `rank_of` gets where two parts begin and where the second one ends, `join`
    where two parts begin that become one.
    """
    previous, following, heap = link_symbols(ranks)
    length = len(ranks) + 1
    ranks = [*ranks, NO_RANK, NO_RANK]
    while heap:
        entry = heappop(heap)
        at = entry & 0xFFFFFFFF
        if ranks[at] != entry >> POSITION_BITS:
            continue
        right = following[at]
        join(at, right)
        following[at] = after = following[right]
        previous[after] = at
        following[right] = -1  # a part that was merged into the one on its left
        ranks[at] = ranks[right] = NO_RANK
        before = previous[at]
        if before >= 0:
            ranks[before] = rank = rank_of(before, at, after)
            if rank != NO_RANK:
                heappush(heap, rank << POSITION_BITS | before)
        if after < length:
            ranks[at] = rank = rank_of(at, after, following[after])
            if rank != NO_RANK:
                heappush(heap, rank << POSITION_BITS | at)
    return [at for at in range(length) if following[at] >= 0]


def link_symbols(ranks: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
    """The position before each symbol, the position after each, and a heap of the pairs that can be merged.

    `ranks` are those of the adjacent pairs. A heap entry is `rank << POSITION_BITS | position of the left symbol`.
    It is stale when the current pair at that position has another rank. Both lists have one more position, the end.

    >>> link_symbols([5, NO_RANK])
    ([-1, 0, 1, 2], [1, 2, 3, 3], [21474836480])
    """
    heap = [rank << POSITION_BITS | at for at, rank in enumerate(ranks) if rank != NO_RANK]
    heapify(heap)
    length = len(ranks) + 1
    return list(range(-1, length)), [*range(1, length + 1), length], heap
