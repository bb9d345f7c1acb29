"""Sorted runs of word counts: written once, read chunk by chunk, merged without holding any of them in memory.

A run is a sequence of chunks, each of up to 8,192 words in the order of their code points, which is also the order of
their bytes in UTF-8. A chunk is two lengths in bytes (32 bits each), the words, and their counts (64 bits each); words
and counts are compressed with Zstandard. The byte FF, which UTF-8 never uses, separates words: a word may hold any
character, and one call splits a chunk.
"""

from __future__ import annotations

import struct
import sys
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO
from zlib import crc32

import zstandard

CHUNK = 8_192  # words
LENGTHS = struct.Struct("<II")
SEPARATOR = b"\xff"

Chunk = tuple[list[bytes], Sequence[int]]
"""Words in rising order, each once, and as many counts."""


def partitioned(counts: Mapping[str, int], partitions: int) -> list[Iterator[Chunk]]:
    """Return the chunks of each partition of the counts, sorted; CRC-32 is the same in every process."""
    parts: list[list[tuple[bytes, int]]] = [[] for _ in range(partitions)]
    for word, count in counts.items():
        # Text from JSON can hold lone surrogates.
        encoded = word.encode("utf-8", "surrogatepass")
        parts[crc32(encoded) % partitions].append((encoded, count))
    for part in parts:
        part.sort()
    return [_chunks(part) for part in parts]


def write(chunks: Iterable[Chunk], stream: BinaryIO) -> None:
    """Write the chunks as a run."""
    compressor = zstandard.ZstdCompressor(level=1)
    for words, counts in chunks:
        numbers = array("Q", counts)
        if sys.byteorder == "big":
            numbers.byteswap()
        parts = [compressor.compress(SEPARATOR.join(words)), compressor.compress(numbers.tobytes())]
        stream.write(LENGTHS.pack(*map(len, parts)))
        for part in parts:
            stream.write(part)


def as_bytes(chunks: Iterable[Chunk]) -> bytes:
    """Return the chunks as a run in memory."""
    stream = BytesIO()
    write(chunks, stream)
    return stream.getvalue()


def read(stream: BinaryIO) -> Iterator[Chunk]:
    """Yield the chunks of a run. Raises ValueError if the run is damaged."""
    decompressor = zstandard.ZstdDecompressor()
    while lengths := stream.read(LENGTHS.size):
        try:
            words, counts = (decompressor.decompress(stream.read(length)) for length in LENGTHS.unpack(lengths))
        except (struct.error, zstandard.ZstdError) as error:
            raise ValueError(f"the run is damaged: {error}") from None
        numbers = array("Q", counts)
        if sys.byteorder == "big":
            numbers.byteswap()
        yield words.split(SEPARATOR), numbers


def merge(runs: Iterable[Iterator[Chunk]]) -> Iterator[Chunk]:
    """Yield the chunks of the sum of several runs.

    One chunk of each run is in memory. Of those, every word up to the lowest last word is complete: the sums of these
    words are the next chunk. At 0.4 µs a word (16 runs), a dictionary and a sort take less than half of the time of
    `heapq.merge`, which compares words one by one in Python.

    >>> one, two = iter([([b"low", b"owl"], [2, 1])]), iter([([b"lower", b"owl"], [1, 3])])
    >>> list(merge([one, two]))
    [([b'low', b'lower', b'owl'], (2, 1, 4))]
    """
    heads: list[tuple[list[bytes], Sequence[int], Iterator[Chunk]]] = []
    for run in runs:
        _push(heads, run)
    while heads:
        limit = min(words[-1] for words, _, _ in heads)
        sums: dict[bytes, int] = {}
        rest: list[tuple[list[bytes], Sequence[int], Iterator[Chunk]]] = []
        for words, counts, run in heads:
            complete = bisect_right(words, limit)
            for word, count in zip(words[:complete], counts, strict=False):
                sums[word] = sums.get(word, 0) + count
            if complete < len(words):
                rest.append((words[complete:], counts[complete:], run))
            else:
                _push(rest, run)
        heads = rest
        yield from _chunks(sorted(sums.items()))


def _push(heads: list[tuple[list[bytes], Sequence[int], Iterator[Chunk]]], run: Iterator[Chunk]) -> None:
    if (chunk := next(run, None)) is not None:
        heads.append((*chunk, run))


def _chunks(items: Sequence[tuple[bytes, int]]) -> Iterator[Chunk]:
    for start in range(0, len(items), CHUNK):
        words, counts = zip(*items[start : start + CHUNK], strict=True)
        yield list(words), counts


def merged(runs: Sequence[bytes]) -> bytes:
    """Return the sum of several runs in memory as a run."""
    return runs[0] if len(runs) == 1 else as_bytes(merge(read(BytesIO(run)) for run in runs))


@dataclass
class Rare:
    """What a least count of words leaves out: how many different words, and their occurrences."""

    words: int = 0
    occurrences: int = 0


def frequent(chunks: Iterable[Chunk], least: int, rare: Rare) -> Iterator[tuple[str, int]]:
    """Yield words and counts of at least `least`; add the others to `rare`."""
    for words, counts in chunks:
        for word, count in zip(words, counts, strict=True):
            if count >= least:
                yield word.decode("utf-8", "surrogatepass"), count
            else:
                rare.words += 1
                rare.occurrences += count
