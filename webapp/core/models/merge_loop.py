"""Merging by rank, the inner loop of byte-pair encoding (Sennrich et al. 2016, section 3.2).

The adjacent pair with the lowest rank is merged, the leftmost first among equals, until no adjacent pair has a rank.
Two implementations give the same result: a plain list for short pre-tokens, and for long ones a heap, which takes
O(n log n).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

# Above this many symbols the heap is faster than searching the list again for every merge (3 times at 400).
LONG = 80

NO_RANK = 1 << 62  # above every rank
POSITION_BITS = 32


def pack(left: int, right: int) -> int:
    """Pack two ids into one integer, which a dictionary finds faster than a tuple."""
    return left << 32 | right


def merge(symbols: list[int], ranks: Mapping[int, int], merged: Sequence[int]) -> list[int]:
    """Merge until no adjacent pair has a rank.

    `ranks` maps a packed pair of ids to its rank, `merged` a rank to the id of the merged piece.

    >>> ranks = {pack(0, 1): 0, pack(2, 0): 1}      # a b → ab, ab a → aba
    >>> merge([0, 1, 0, 1, 0], ranks, [2, 3])
    [2, 3]
    """
    if len(symbols) > LONG:
        return _merge_long(symbols, ranks, merged)
    return _merge_short(symbols, ranks, merged)


def _merge_short(symbols: list[int], ranks: Mapping[int, int], merged: Sequence[int]) -> list[int]:
    symbols = symbols.copy()
    rank_of = ranks.get
    found = [rank_of(left << 32 | right, NO_RANK) for left, right in pairwise(symbols)]
    while found:
        rank = min(found)
        if rank == NO_RANK:
            break
        at = found.index(rank)
        symbols[at] = new = merged[rank]
        del symbols[at + 1], found[at]
        if at:
            found[at - 1] = rank_of(symbols[at - 1] << 32 | new, NO_RANK)
        if at < len(found):
            found[at] = rank_of(new << 32 | symbols[at + 1], NO_RANK)
    return symbols


def _merge_long(symbols: list[int], ranks: Mapping[int, int], merged: Sequence[int]) -> list[int]:
    return [symbol for symbol, _ in merge_with_places(symbols, ranks, merged)]


def merge_with_places(symbols: list[int], ranks: Mapping[int, int], merged: Sequence[int]) -> list[tuple[int, int]]:
    """Like `merge`, but return `(id, index)`, with the index of the initial symbol that each id begins with.

    >>> merge_with_places([0, 1, 0, 1, 0], {pack(0, 1): 0, pack(2, 0): 1}, [2, 3])
    [(2, 0), (3, 2)]
    """
    symbols = symbols.copy()
    previous, following, heap = link_symbols(pair_ranks(symbols, ranks))
    length = len(symbols)
    rank_of = ranks.get
    # -1 marks a symbol that was merged into the one on its left.
    while heap:
        entry = heappop(heap)
        rank = entry >> POSITION_BITS
        at = entry & 0xFFFFFFFF
        left = symbols[at]
        right_at = following[at]
        if left < 0 or right_at == length or rank_of(left << 32 | symbols[right_at]) != rank:
            continue
        symbols[at] = new = merged[rank]
        symbols[right_at] = -1
        following[at] = after = following[right_at]
        if after < length:
            previous[after] = at
            if (rank_after := rank_of(new << 32 | symbols[after])) is not None:
                heappush(heap, rank_after << POSITION_BITS | at)
        if at and (rank_before := rank_of(symbols[previous[at]] << 32 | new)) is not None:
            heappush(heap, rank_before << POSITION_BITS | previous[at])
    return [(symbol, at) for at, symbol in enumerate(symbols) if symbol >= 0]


def pair_ranks(symbols: Sequence[int], ranks: Mapping[int, int]) -> list[int]:
    """The rank of each adjacent pair, `NO_RANK` for those that are never merged."""
    rank_of = ranks.get
    return [rank_of(left << 32 | right, NO_RANK) for left, right in pairwise(symbols)]


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
