"""The pieces of a vocabulary as a plain set, and which lengths are worth trying at a position of a text.

A sorted list of integers that are added and removed one by one, in blocks.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping
from typing import Any, Generic, TypeVar

from webapp.core.models.fast.word_lengths import lengths_by_beginning

LONGEST = 128
"""In bytes, or in characters for pieces of characters; longer pieces are left out. This bounds what is tried at a
position: a megabyte of one letter takes seconds even if the vocabulary has a piece of every length."""

Text = TypeVar("Text", str, bytes)
Part = tuple[int | None, int]
"""An id and where its span ends; None for a unit that no piece covers."""


class PieceTable(Generic[Text]):
    """Pieces with their ids, for slices of a text.

    >>> table = PieceTable({"a": 0, "ab": 1, "abcd": 2, "x" * 200: 3})
    >>> table.lengths("abcx"), table.lengths("b"), table.left_out
    ((4, 2, 1), (1,), 1)
    """

    def __init__(self, pieces: Mapping[Text, int]) -> None:
        self.ids: dict[Text, int] = {piece: id for piece, id in pieces.items() if 0 < len(piece) <= LONGEST}
        self.left_out: int = sum(len(piece) > LONGEST for piece in pieces)
        self._lengths: dict[Text, tuple[int, ...]] = _lengths(self.ids)

    def lengths(self, text: Text, at: int = 0) -> tuple[int, ...]:
        """The lengths of the pieces that may start at a position of a text, longest first; 1 is always among them."""
        return self._lengths.get(text[at : at + 2], (1,))


def _lengths(pieces: Iterable[Text]) -> dict[Text, tuple[int, ...]]:
    # Slices of bytes work as those of text.
    table: dict[Text, tuple[int, ...]] = _with_one(lengths_by_beginning(pieces))  # type: ignore[arg-type]
    return table


def _with_one(table: Any) -> Any:
    """The table with the length 1 at the end of each row."""
    return {beginning: (*found, 1) for beginning, found in table.items()}


def longest_parts(text: Text, first: PieceTable[Text], inner: PieceTable[Text], mark: int = -1) -> list[Part]:
    """Take the longest piece at each position, from the left.

    `first` has the pieces for the beginning of the text, `inner` those after it. `mark` is where an end-of-word mark
    that belongs to the character before it begins: no part ends there.

    >>> table = PieceTable({"a": 0, "ab": 1, "bcd": 2, "c": 3})
    >>> longest_parts("abcd", table, table)
    [(1, 2), (3, 3), (None, 4)]
    """
    parts: list[Part] = []
    at, length, table = 0, len(text), first
    while at < length:
        ids = table.ids
        for tried in table.lengths(text, at):
            end = at + tried
            if end <= length and end != mark and (id := ids.get(text[at:end])) is not None:
                parts.append((id, end))
                break
        else:
            end = at + 1 + (at + 1 == mark)
            parts.append((None, end))
        at, table = end, inner
    return parts


_UNCOVERED = 1 << 40  # what a unit without a piece costs: more than the pieces of any text


def fewest_parts(text: Text, first: PieceTable[Text], inner: PieceTable[Text], mark: int = -1) -> list[Part]:
    """Cover the text with the fewest pieces; among equals, the longest piece first, from the left.

    A unit is left without a piece only if no way covers it: first the units without a piece are minimized, then the
    pieces. Arguments are those of `longest_parts`.

    >>> table = PieceTable({piece: id for id, piece in enumerate(["a", "b", "c", "ab", "abc", "bcc", "cc"])})
    >>> fewest_parts("abcc", table, table), longest_parts("abcc", table, table)
    ([(4, 3), (2, 4)], [(4, 3), (2, 4)])
    >>> fewest_parts("abccc", table, table)
    [(4, 3), (6, 5)]
    """
    _, ends = fewest_costs(text, first, inner, mark)
    parts: list[Part] = []
    at, ids = 0, first.ids
    while at < len(text):
        end = ends[at]
        parts.append((ids.get(text[at:end]), end))
        at, ids = end, inner.ids
    return parts


def fewest_costs(
    text: Text, first: PieceTable[Text], inner: PieceTable[Text], mark: int = -1
) -> tuple[list[int], list[int]]:
    """For each position what the best way from there to the end costs, and where its first part ends.

    A piece costs 1, a unit without a piece more than the pieces of any text. Arguments are those of `longest_parts`.

    >>> table = PieceTable({"a": 0, "b": 1, "ab": 2})
    >>> fewest_costs("abb", table, table)
    ([2, 2, 1, 0], [2, 2, 3, 0])
    """
    length = len(text)
    costs = [0] * (length + 1)
    ends = [0] * (length + 1)
    ids, lengths_of = inner.ids, inner.lengths
    for at in range(length - 1, -1, -1):
        if not at:
            ids, lengths_of = first.ids, first.lengths
        chosen = at + 1 + (at + 1 == mark)
        best = _UNCOVERED + costs[chosen]
        for tried in lengths_of(text, at):
            end = at + tried
            if end <= length and costs[end] + 1 < best and end != mark and text[at:end] in ids:
                best, chosen = costs[end] + 1, end
        costs[at], ends[at] = best, chosen
    return costs, ends


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
