"""A sorted list of integers that are added and removed one by one, in blocks."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable

# Keys of a block; a block with twice as many is halved. Inserting into a block moves at most 16 KB.
BLOCK = 1000


class SortedKeys:
    """Different integers in order, with the one at an index.

    Adding takes the time of one block; the one at an index, that of passing the blocks before it.

    >>> keys = SortedKeys([5, 1, 3])
    >>> keys.add(2)
    >>> [keys[index] for index in range(len(keys))], keys.pop(1), len(keys)
    ([1, 2, 3, 5], 2, 3)
    """

    def __init__(self, keys: Iterable[int]) -> None:
        ordered = sorted(keys)
        self._blocks = [ordered[at : at + BLOCK] for at in range(0, len(ordered), BLOCK)] or [[]]
        self._greatest = [block[-1] for block in self._blocks if block]
        self._length = len(ordered)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> int:
        for block in self._blocks:
            if index < len(block):
                return block[index]
            index -= len(block)
        raise IndexError("there are fewer keys")

    def pop(self, index: int) -> int:
        """Remove and return the key at an index."""
        key = self[index]
        self.discard(key)
        return key

    def add(self, key: int) -> None:
        """Add a key."""
        at = min(bisect_left(self._greatest, key), len(self._blocks) - 1)
        block = self._blocks[at]
        insort(block, key)
        self._length += 1
        if len(block) > 2 * BLOCK:
            self._blocks[at : at + 1] = [block[:BLOCK], block[BLOCK:]]
            self._greatest[at : at + 1] = [block[BLOCK - 1], block[-1]]
        elif at < len(self._greatest):
            self._greatest[at] = block[-1]
        else:
            self._greatest.append(block[-1])

    def discard(self, key: int) -> None:
        """Remove a key, if it is there."""
        at = bisect_left(self._greatest, key)
        if at == len(self._greatest):
            return
        block = self._blocks[at]
        index = bisect_left(block, key)
        if block[index] != key:
            return
        del block[index]
        self._length -= 1
        if block:
            self._greatest[at] = block[-1]
        else:
            del self._greatest[at]
            if len(self._blocks) > 1:
                del self._blocks[at]
