"""BPE as the tool subword-nmt applies it (Sennrich et al. 2016; `apply_bpe.py`, function `encode`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush

from webapp.core.models.bpe import BPE
from webapp.core.models.merge_loop import POSITION_BITS, link_symbols, pair_ranks


class SubwordBPE(BPE):
    """BPE that merges all occurrences of a pair in a word before it looks for the next pair.

    Other implementations merge the leftmost occurrence and then look at all pairs again. The results differ only where
    a merge starts from a piece that a later merge makes:

    >>> pieces, merges = ["a", "b", "c", "bc", "abc", "abca", "<unk>"], [(1, 2), (4, 0), (0, 3)]
    >>> for model in SubwordBPE, BPE:
    ...     model(pieces, merges, byte_level=False, unknown="<unk>").ids("abcabc")
    (4, 4)
    (5, 3)
    """

    def _compute_ids(self, pretoken: str) -> tuple[int, ...]:
        return tuple(merge_together(self.symbols(pretoken), self._ranks, self._merged))

    def _merged_with_places(self, symbols: list[int]) -> list[tuple[int, int]]:
        return merge_together_with_places(symbols, self._ranks, self._merged)


def merge_together(symbols: Sequence[int], ranks: Mapping[int, int], merged: Sequence[int]) -> list[int]:
    """Merge all occurrences of the pair with the lowest rank, from the left, until no pair has a rank.

    `ranks` maps `left << 32 | right` to the rank of the pair, `merged` a rank to the id of the merged piece.

    >>> merge_together([0, 0, 0, 1], {0: 0, 2 << 32: 1}, [2, 3])     # a a → aa, aa a → aaa
    [3, 1]
    """
    return [symbol for symbol, _ in merge_together_with_places(symbols, ranks, merged)]


def merge_together_with_places(
    symbols: Sequence[int], ranks: Mapping[int, int], merged: Sequence[int]
) -> list[tuple[int, int]]:
    """Like `merge_together`, but return `(id, index)`, with the index of the initial symbol that an id begins with."""
    symbols = list(symbols)
    length = len(symbols)
    previous, following, heap = link_symbols(pair_ranks(symbols, ranks))
    while heap:
        rank = heap[0] >> POSITION_BITS
        found: list[int] = []  # pairs with a symbol that this round makes; they are candidates after it
        while heap and heap[0] >> POSITION_BITS == rank:
            at = heappop(heap) & 0xFFFFFFFF
            right = following[at]
            if symbols[at] < 0 or right == length or ranks.get(symbols[at] << 32 | symbols[right]) != rank:
                continue
            symbols[at], symbols[right] = merged[rank], -1
            following[at] = after = following[right]
            previous[after] = at
            found += (at, previous[at])
        for at in found:
            if at >= 0 and symbols[at] >= 0 and (right := following[at]) < length:
                pair_rank = ranks.get(symbols[at] << 32 | symbols[right])
                if pair_rank is not None:
                    heappush(heap, pair_rank << POSITION_BITS | at)
    return [(symbol, at) for at, symbol in enumerate(symbols) if symbol >= 0]
