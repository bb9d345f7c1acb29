"""Sorted runs of word counts: written once, read chunk by chunk, merged without holding any of them in memory.

A run has words, each once, in the order of their bytes in UTF-8, and the count of each. It is a sequence of chunks: a
length (32 bits), and up to 8,192 pairs, pickled and compressed with Zstandard.
"""

import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge as merge_sorted
from io import BytesIO
from itertools import groupby, islice
from operator import itemgetter
from typing import BinaryIO
from zlib import crc32

import zstandard

CHUNK = 8_192  # words
LENGTH = 4  # bytes

Pair = tuple[bytes, int]


def partitioned(counts: Mapping[str, int], partitions: int) -> list[list[Pair]]:
    """Return the words of each partition of the counts, sorted; CRC-32 is the same in every process."""
    parts: list[list[Pair]] = [[] for _ in range(partitions)]
    for word, count in counts.items():
        # Text from JSON can hold lone surrogates.
        encoded = word.encode("utf-8", "surrogatepass")
        parts[crc32(encoded) % partitions].append((encoded, count))
    for part in parts:
        part.sort()
    return parts


def write(pairs: Iterable[Pair], stream: BinaryIO) -> None:
    """Write sorted pairs as a run."""
    compressor, left = zstandard.ZstdCompressor(level=1), iter(pairs)
    while chunk := list(islice(left, CHUNK)):
        packed = compressor.compress(pickle.dumps(chunk))
        stream.write(len(packed).to_bytes(LENGTH, "big") + packed)


def as_bytes(pairs: Iterable[Pair]) -> bytes:
    """Return sorted pairs as a run in memory."""
    stream = BytesIO()
    write(pairs, stream)
    return stream.getvalue()


def read(stream: BinaryIO) -> Iterator[Pair]:
    """Yield the pairs of a run. Raises ValueError if the run is damaged."""
    decompressor = zstandard.ZstdDecompressor()
    while length := stream.read(LENGTH):
        try:
            chunk = pickle.loads(decompressor.decompress(stream.read(int.from_bytes(length, "big"))))
        except zstandard.ZstdError as error:
            raise ValueError(f"the run is damaged: {error}") from None
        yield from chunk


def merge(runs: Iterable[Iterable[Pair]]) -> Iterator[Pair]:
    """Yield the sum of several runs, with one chunk of each in memory.

    >>> list(merge([[(b"low", 2), (b"owl", 1)], [(b"lower", 1), (b"owl", 3)]]))
    [(b'low', 2), (b'lower', 1), (b'owl', 4)]
    """
    for word, same in groupby(merge_sorted(*runs), itemgetter(0)):
        yield word, sum(count for _, count in same)


def merged(runs: Sequence[bytes]) -> bytes:
    """Return the sum of several runs in memory as a run."""
    return runs[0] if len(runs) == 1 else as_bytes(merge(read(BytesIO(run)) for run in runs))


@dataclass
class Rare:
    """What a least count of words leaves out: how many different words, and their occurrences."""

    words: int = 0
    occurrences: int = 0


def frequent(pairs: Iterable[Pair], least: int, rare: Rare) -> Iterator[Pair]:
    """Yield words and counts of at least `least`; add the others to `rare`."""
    for pair in pairs:
        if pair[1] >= least:
            yield pair
        else:
            rare.words += 1
            rare.occurrences += pair[1]
