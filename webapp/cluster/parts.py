"""Divides a corpus into parts for tasks of about the same duration; the division depends on nothing but the files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from webapp.cluster.sources import Source
from webapp.core.training.corpus import CHUNK

SMALLEST_PART, LARGEST_PART = 8 * CHUNK, 256 * CHUNK
PARTS = 64  # of a corpus between the sizes that these two bound
MOST_PARTS = 1 << 14  # so that the scheduler keeps up: above 4 TB, parts are larger
PACKED = 4  # times its stored size is what a compressed file or a table holds, about


@dataclass(frozen=True)
class Slice:
    """A file, or of a divisible one the blocks whose numbers are `first` up to `last`, without the latter.

    `file_number` is the position of the file in the corpus; `bytes` are those stored.
    """

    source: Source
    file_number: int
    first: int
    last: int
    bytes: int


Part = tuple[Slice, ...]
"""What one task counts: a part of a file, or several small files."""


def expected_bytes(source: Source) -> int:
    """Return the size of a file's text, about."""
    return source.size if source.divisible else source.size * PACKED


def divide(sources: Sequence[Source]) -> list[Part]:
    """Return the parts of a corpus, in order.

    A file that is not compressed is cut at multiples of a part's size; any other is counted by one task. Small files
    share a task.
    """
    expected = sum(map(expected_bytes, sources))
    size = min(max(expected // PARTS, SMALLEST_PART), LARGEST_PART)
    blocks = max(size, expected // MOST_PARTS) // CHUNK
    parts: list[Part] = []
    small: list[Slice] = []
    waiting = 0
    for slice in _slices(sources, blocks):
        size = expected_bytes(slice.source) * slice.bytes // max(slice.source.size, 1)
        if small and waiting + size > blocks * CHUNK:
            parts.append(tuple(small))
            small, waiting = [], 0
        small.append(slice)
        waiting += size
    if small:
        parts.append(tuple(small))
    return parts


def _slices(sources: Sequence[Source], blocks: int) -> Iterator[Slice]:
    for number, source in enumerate(sources):
        all_blocks = source.size // CHUNK + 1
        if not source.divisible:
            yield Slice(source, number, 0, all_blocks, source.size)
            continue
        for first in range(0, all_blocks, blocks):
            last = min(first + blocks, all_blocks)
            yield Slice(source, number, first, last, min(last * CHUNK, source.size) - first * CHUNK)
