"""The most frequent pair of a `Pairs`, found with a heap, for SuperBPE, which refuses some merges.

- Exploits: a merge changes the counts of few pairs.
- Invariant: a pair whose count rises, or that gets an earlier occurrence, is pushed again (`add`), so no entry ranks
  its pair lower than it deserves. An entry that ranks it higher is replaced when it reaches the top.
- Proved by: `max` over all recounted pairs, in the reference of `superbpe`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush, heapreplace

from webapp.core.trainers.pair_counts import ABOVE, MASK, PAIR, POSITION, SHIFT, Pairs, heap_entry


class BestPairs:
    """Finds the most frequent pair; a tie goes to the pair that occurs first. All pairs must be counted (`all_pairs`).

    `allowed` says whether a pair may be merged: one that it refuses is never considered again.

    >>> pairs = Pairs([([1, 1, 1], 2), ([1, 2], 5)], alphabet=2, all_pairs=True)
    >>> best = BestPairs(pairs).pair()
    >>> best == (1 << SHIFT | 2), pairs.counts[best]
    (True, 5)
    """

    def __init__(self, pairs: Pairs, minimum_count: int = 1, allowed: Callable[[int, int], bool] | None = None) -> None:
        self._pairs = pairs
        self._minimum = max(minimum_count, 1)
        self._allowed = allowed
        counts = pairs.counts
        self._heap = [
            heap_entry(count, pairs.places[pair][0], pair) for pair, count in counts.items() if count >= self._minimum
        ]
        heapify(self._heap)

    def pair(self) -> int | None:
        """Return the most frequent pair, or None if none occurs often enough."""
        pairs, heap = self._pairs, self._heap
        counts, starts, lengths = pairs.counts, pairs.starts, pairs.lengths
        while heap:
            entry = heap[0]
            pair, position = entry & PAIR, entry >> 2 * SHIFT & POSITION
            left, right = pair >> SHIFT, pair & MASK
            count = counts.get(pair, 0)
            if count < self._minimum or (self._allowed is not None and not self._allowed(left, right)):
                heappop(heap)
            elif count != -(entry >> ABOVE) or starts[position] != left or starts[position + lengths[left]] != right:
                heapreplace(heap, heap_entry(count, pairs.first(pair, position), pair))
            else:
                return pair
        return None

    def add(self, changed: Iterable[int]) -> None:
        """Push pairs that may have become more frequent."""
        pairs = self._pairs
        for pair in changed:
            count = pairs.counts.get(pair, 0)
            if count >= self._minimum:
                heappush(self._heap, heap_entry(count, pairs.places[pair][0], pair))
