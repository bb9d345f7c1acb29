"""What the workers do: count a part of the corpus, and merge sorted runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from io import BytesIO
from tempfile import TemporaryFile
from typing import BinaryIO

from webapp.cluster import runs
from webapp.cluster.parts import Part, Slice
from webapp.cluster.sources import open_source
from webapp.core.training.corpus import CHUNK, Block, CorpusError, blocks, blocks_of_part
from webapp.core.training.counting import HoldOut, count_block
from webapp.core.training.plan import TrainingPlan

MOST_WORDS = 500_000
MOST_CHARACTERS = 30_000_000
"""How many different words a worker counts in memory before it writes them to its disk: about 150 MB."""
BLOCKS_BETWEEN_CHECKS = 8


@dataclass(frozen=True)
class PartFacts:
    """Of the text of a part: its size in bytes of UTF-8, characters, the digests of its blocks, what is held out."""

    size: int
    characters: int
    digests: bytes
    held_out: str


@dataclass(frozen=True)
class CountedPart:
    """The counts of a part, a run for each partition, and its facts."""

    runs: tuple[bytes, ...]
    facts: PartFacts


def count_part(part: Part, plan: TrainingPlan, hold_out: HoldOut, partitions: int) -> CountedPart:
    """Count the words of a part of a corpus.

    Whenever there are MOST_WORDS different words, they are written to a temporary file in sorted order; at the end
    these runs are merged. So the memory does not grow with the part. Raises CorpusError, and TrainingError with the
    code `slow_pattern`.
    """
    size = characters = 0
    digests: list[bytes] = []
    held_out: list[str] = []
    counts: dict[str, int] = {}
    with TemporaryFile(dir=_folder()) as file:
        spilled = _Spilled(file, partitions)
        for number, block in enumerate(_blocks(part), 1):
            content = block.text.encode()
            digests.append(sha256(content).digest())
            size += len(content)
            characters += len(block.text)
            text, kept = hold_out.split(block)
            held_out.append(kept)
            for word, count in count_block(text, plan).items():
                counts[word] = counts.get(word, 0) + count
            if number % BLOCKS_BETWEEN_CHECKS == 0 and _full(counts):
                spilled.add(counts)
                counts.clear()
        facts = PartFacts(size, characters, b"".join(digests), "".join(held_out))
        return CountedPart(tuple(runs.as_bytes(run) for run in spilled.merged_with(counts)), facts)


def _full(counts: dict[str, int]) -> bool:
    return len(counts) >= MOST_WORDS or sum(map(len, counts)) >= MOST_CHARACTERS


def _blocks(part: Part) -> Iterator[Block]:
    for slice in part:
        try:
            yield from _blocks_of(slice)
        except CorpusError as error:
            if slice.first and "line" in error.details:  # which is counted from the beginning of the slice
                line = f"{error.details['line']} after byte {slice.first * CHUNK:,}"
                raise CorpusError(error.code, **{**error.details, "line": line}) from None
            raise


def _blocks_of(slice: Slice) -> Iterator[Block]:
    source = slice.source

    def opened(_: str) -> BinaryIO:
        return open_source(source)

    if source.divisible:
        return blocks_of_part(source.file, slice.first, slice.last, file_number=slice.file_number, opened=opened)
    return (replace(block, file_number=slice.file_number) for block in blocks([source.file], opened))


class _Spilled:
    """Sorted runs in a temporary file, those of each partition."""

    def __init__(self, file: BinaryIO, partitions: int) -> None:
        self._file = file
        self._spans: list[list[tuple[int, int]]] = [[] for _ in range(partitions)]

    def add(self, counts: dict[str, int]) -> None:
        """Write the counts."""
        for spans, chunks in zip(self._spans, runs.partitioned(counts, len(self._spans)), strict=True):
            begin = self._file.tell()
            runs.write(chunks, self._file)
            spans.append((begin, self._file.tell()))
        self._file.flush()

    def merged_with(self, counts: dict[str, int]) -> Iterator[Iterator[runs.Chunk]]:
        """Yield the run of each partition: what was written, and these counts."""
        for spans, last in zip(self._spans, runs.partitioned(counts, len(self._spans)), strict=True):
            yield runs.merge([*(runs.read_span(self._file.fileno(), *span) for span in spans), last]) if spans else last


def _folder() -> str | None:
    """The worker's own folder, which Dask removes with the worker; None outside of one: the system's."""
    from distributed import get_worker

    try:
        return get_worker().local_directory
    except ValueError:
        return None


def run_of(counted: CountedPart, partition: int) -> bytes:
    """Return the run of one partition."""
    return counted.runs[partition]


def facts_of(counted: CountedPart) -> PartFacts:
    """Return the facts of a part."""
    return counted.facts


def merge(several: Sequence[bytes]) -> bytes:
    """Return the sum of several runs as a run."""
    return runs.as_bytes(runs.merge([runs.read(BytesIO(run)) for run in several]))
