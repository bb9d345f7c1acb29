"""Count the words of a corpus with the workers of a Dask cluster."""

import json
import operator
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from heapq import merge as merge_sorted
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from distributed import Client, KilledWorker, as_completed
from distributed.client import FutureCancelledError
from distributed.comm.core import CommClosedError
from distributed.scheduler import NoValidWorkerError, NoWorkerError

from webapp.cluster import runs
from webapp.cluster.runs import Rare
from webapp.cluster.sources import ClusterError, Part, Slice, Source, divide, open_source, sentence
from webapp.cluster.stored_counts import StoredCounts
from webapp.core.training.corpus import CHUNK, Block, CorpusError, blocks, blocks_of_part
from webapp.core.training.counting import HELD_OUT, CountedCorpus, HoldOut, count_block
from webapp.core.training.plan import Progress, Report, TrainingPlan

FAN_IN = 16  # runs that are merged at once
PARTITIONS = ((1 << 32, 8), (1 << 40, 32), (1 << 64, 256))
"""For corpora of up to so many bytes so many partitions, so that the runs of one fit into a worker's memory."""
# What is known of a corpus besides its words; written last, so that the runs are complete with it.
FACTS = "counted.json"
MOST_WORDS = 500_000
MOST_CHARACTERS = 30_000_000
"""How many different words a worker counts in memory before it compresses them: about 150 MB."""
BLOCKS_BETWEEN_CHECKS = 8


def count_words(
    client: Client,
    sources: Sequence[Source],
    plan: TrainingPlan,
    report: Report,
    *,
    folder: Path,
    drop_rarer_than: int = 1,
) -> tuple[CountedCorpus, Rare]:
    """Count the pre-tokens of a corpus: the same counts, in the same order, as `webapp.core.training` gives.

    Also returns what is left out of them: the words that occur less than `drop_rarer_than` times.

    Each task counts a part of the corpus and divides the words into partitions by their CRC-32. The runs of a partition
    are merged by other tasks, 16 at a time, then 16 of the results, and so on; this process merges the last 16 into a
    file of `folder`, and all partitions into the counts, which stay there. What is waiting is held by Dask's workers,
    which write it to their disks when memory gets scarce; if a worker is lost, Dask repeats its tasks, whose results
    depend on nothing but the corpus. Complete runs in `folder` are not counted again.

    Raises CorpusError, TrainingError with the code `slow_pattern`, and ClusterError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / FACTS).exists():
        with _explained():
            facts = _count(client, sources, plan, report, folder)
        (folder / FACTS).write_text(json.dumps(facts), encoding="ascii")
    rare = Rare()
    with ExitStack() as stack:
        partitions = [runs.read(stack.enter_context(path.open("rb"))) for path in folder.glob("*.run")]
        counts = StoredCounts(runs.frequent(merge_sorted(*partitions), drop_rarer_than, rare), folder)
    if not counts and not rare.words:
        raise CorpusError("empty")
    return CountedCorpus(counts, **json.loads((folder / FACTS).read_bytes())), rare


def _count(
    client: Client, sources: Sequence[Source], plan: TrainingPlan, report: Report, folder: Path
) -> dict[str, Any]:
    """Write the run of each partition to the folder; return the other fields of the `CountedCorpus`."""
    parts = divide(sources)
    total = sum(source.size for source in sources)
    partitions = next(number for most, number in PARTITIONS if total <= most)
    hold_out = HoldOut.of_files([source.file for source in sources], [source.size for source in sources])
    submit = partial(client.submit, pure=False)
    counted = [submit(count_part, part, plan, hold_out, partitions) for part in parts]
    submit = partial(submit, priority=1)  # merging before counting: it frees memory
    merged = []
    for partition in range(partitions):
        level = [submit(operator.getitem, part, partition) for part in counted]
        while len(level) > FAN_IN:
            level = [submit(runs.merged, level[at : at + FAN_IN]) for at in range(0, len(level), FAN_IN)]
        merged.append(level)
    futures = [submit(operator.getitem, part, partitions) for part in counted]
    stored = {future: sum(slice.bytes for slice in part) for future, part in zip(futures, parts, strict=True)}
    del counted  # which workers need not hold any longer than its runs are being merged
    done = 0
    report(Progress("count", done, total))
    for future in as_completed(futures):
        future.result()
        done += stored[future]
        report(Progress("count", done, total))
    for partition in range(partitions):
        several = [runs.read(BytesIO(future.result())) for future in merged[partition]]
        with (folder / f"{partition:03}.run").open("wb") as file:
            runs.write(runs.merge(several), file)
        merged[partition] = []
    facts = [future.result() for future in futures]
    return {
        "held_out": "".join(part.held_out for part in facts)[:HELD_OUT],
        "characters": sum(part.characters for part in facts),
        "bytes": sum(part.size for part in facts),
        "sha256": sha256(b"".join(part.digests for part in facts)).hexdigest(),
    }


@dataclass(frozen=True)
class PartFacts:
    """Of the text of a part: its size in bytes of UTF-8, characters, the digests of its blocks, what is held out."""

    size: int
    characters: int
    digests: bytes
    held_out: str


def count_part(part: Part, plan: TrainingPlan, hold_out: HoldOut, partitions: int) -> list[Any]:
    """Count the words of a part of a corpus: the run of each partition, and at the end the part's facts.

    Whenever there are MOST_WORDS different words, they become compressed runs, of which at most FAN_IN wait to be
    merged: so the memory grows with the different words of the part, not with its text. Raises CorpusError, and
    TrainingError with the code `slow_pattern`.
    """
    size = characters = 0
    digests: list[bytes] = []
    held_out: list[str] = []
    counts: dict[str, int] = {}
    waiting: list[list[bytes]] = [[] for _ in range(partitions)]

    def put_away() -> None:
        for several, pairs in zip(waiting, runs.partitioned(counts, partitions), strict=True):
            several.append(runs.as_bytes(pairs))
            if len(several) == FAN_IN:
                several[:] = [runs.merged(several)]
        counts.clear()

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
            put_away()
    put_away()
    facts = PartFacts(size, characters, b"".join(digests), "".join(held_out))
    return [*map(runs.merged, waiting), facts]


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


@contextmanager
def _explained() -> Iterator[None]:
    """Raise the errors of the cluster as sentences."""
    try:
        yield
    except KilledWorker as error:
        raise ClusterError(
            f"{error.allowed_failures + 1} workers in turn ended during the same task; give each more memory"
        ) from None
    except (NoValidWorkerError, NoWorkerError):
        raise ClusterError("no worker is left; run the command again, it continues with what is counted") from None
    except (CommClosedError, FutureCancelledError, TimeoutError) as error:
        raise ClusterError(f"the connection to the cluster is lost: {sentence(error)}") from None
