"""Count the words of a corpus with the workers of a Dask cluster."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path

from distributed import Client, Future, KilledWorker, as_completed
from distributed.client import FutureCancelledError
from distributed.comm.core import CommClosedError
from distributed.scheduler import NoValidWorkerError, NoWorkerError

from webapp.cluster import runs, tasks
from webapp.cluster.batches import Batch, Batches, fingerprint
from webapp.cluster.errors import ClusterError, sentence
from webapp.cluster.parts import Part, divide
from webapp.cluster.runs import Rare
from webapp.cluster.sources import Source
from webapp.cluster.tasks import PartFacts
from webapp.core.training.corpus import CorpusError
from webapp.core.training.counting import HELD_OUT, CountedCorpus, HoldOut, canonical
from webapp.core.training.plan import Progress, Report, TrainingPlan

FAN_IN = 16  # runs that one task merges
MOST_BATCHES = 32  # more are more to merge at the end, by one process
SMALLEST_BATCH = 16  # parts
BATCHES_AT_ONCE = 2  # so that no worker waits for the end of a batch
PARTITIONS = ((1 << 32, 8), (1 << 42, 32), (1 << 64, 256))
"""For corpora of up to so many bytes so many partitions: the run of one, in a worker's memory, stays below 50 MB."""


@dataclass(frozen=True)
class ClusterCount:
    """The counts of a corpus, and the rare words that were left out of them."""

    corpus: CountedCorpus
    rare: Rare


def count_words(
    client: Client,
    sources: Sequence[Source],
    plan: TrainingPlan,
    report: Report,
    *,
    folder: Path,
    drop_rarer_than: int = 1,
) -> ClusterCount:
    """Count the pre-tokens of a corpus: the same counts, in the same order, as `webapp.core.training` gives.

    Each task counts a part of the corpus and divides the words into partitions by their CRC-32. The runs of a
    partition are merged by other tasks, 16 at a time, then 16 of the results, and so on. What is waiting is held by
    Dask's workers, which write it to their disks when memory gets scarce; if a worker is lost, Dask repeats its tasks,
    whose results depend on nothing but the corpus. The corpus is counted in up to 32 batches; each one is stored in
    `folder` when it is finished, and not counted again by a second run. Finally, this process merges the batches,
    without the words that occur less than `drop_rarer_than` times in the whole corpus.

    Raises CorpusError, TrainingError with the code `slow_pattern`, and ClusterError.
    """
    parts = divide(sources)
    total = sum(source.size for source in sources)
    partitions = next(number for most, number in PARTITIONS if total <= most)
    size = max(-(-len(parts) // MOST_BATCHES), SMALLEST_BATCH)
    batches = Batches(folder, fingerprint(sources, plan, parts=len(parts), batch=size, partitions=partitions))
    hold_out = HoldOut.of_files([source.file for source in sources], [source.size for source in sources])
    counting = _Counting(client, plan, hold_out, partitions, _Bytes(total, report))
    with _explained():
        finished = counting.run(batches, [parts[at : at + size] for at in range(0, len(parts), size)])
    rare = Rare()
    counts: dict[str, int] = {}
    for partition in range(partitions):
        several = [batches.run(number, batch, partition) for number, batch in enumerate(finished)]
        counts.update(runs.frequent(runs.merge(several), drop_rarer_than, rare))
    if not counts and not rare.words:
        raise CorpusError("empty")
    facts = [part for batch in finished for part in batch.facts]
    corpus = CountedCorpus(
        canonical(counts),
        "".join(part.held_out for part in facts)[:HELD_OUT],
        sum(part.characters for part in facts),
        sum(part.size for part in facts),
        sha256(b"".join(part.digests for part in facts)).hexdigest(),
    )
    return ClusterCount(corpus, rare)


class _Bytes:
    """Reports how many stored bytes are counted."""

    def __init__(self, total: int, report: Report) -> None:
        self.total = total
        self._report = report

    def __call__(self, done: int) -> None:
        self._report(Progress("count", done, self.total))


@dataclass
class _Submitted:
    """A batch that workers count: the facts of its parts with their stored bytes, and the run of each partition."""

    number: int
    facts: dict[Future[PartFacts], int]
    merged: list[Future[bytes]]


@dataclass
class _Counting:
    """The tasks of a corpus."""

    client: Client
    plan: TrainingPlan
    hold_out: HoldOut
    partitions: int
    report: Callable[[int], None]
    done: int = 0

    def run(self, batches: Batches, divided: Sequence[Sequence[Part]]) -> list[Batch]:
        """Return all batches, after those that are not stored yet have been counted."""
        finished: dict[int, Batch] = {}
        working: deque[_Submitted] = deque()
        for number, parts in enumerate(divided):
            if (stored := batches.find(number)) is not None:
                finished[number] = stored
                self.done += sum(map(_stored_bytes, parts))
                continue
            working.append(self._submit(number, parts))
            if len(working) >= BATCHES_AT_ONCE:
                finished.update([self._finish(batches, working)])
        while working:
            finished.update([self._finish(batches, working)])
        return [finished[number] for number in range(len(divided))]

    def _submit(self, number: int, parts: Sequence[Part]) -> _Submitted:
        submit = partial(self.client.submit, pure=False)
        counted = [submit(tasks.count_part, part, self.plan, self.hold_out, self.partitions) for part in parts]
        # Merging before counting: it frees memory.
        submit = partial(submit, priority=1)
        merged: list[Future[bytes]] = []
        for partition in range(self.partitions):
            level = [submit(tasks.run_of, part, partition) for part in counted]
            while len(level) > 1:
                level = [submit(tasks.merge, level[at : at + FAN_IN]) for at in range(0, len(level), FAN_IN)]
            merged += level
        facts = {submit(tasks.facts_of, part): _stored_bytes(of) for part, of in zip(counted, parts, strict=True)}
        return _Submitted(number, facts, merged)

    def _finish(self, batches: Batches, working: deque[_Submitted]) -> tuple[int, Batch]:
        """Wait for the oldest batch and store it; return its number, and what is stored."""
        submitted = working[0]
        self.report(self.done)
        for future in as_completed(list(submitted.facts)):
            future.result()
            self.report(self.done + sum(size for each in working for done, size in each.facts.items() if done.done()))
        working.popleft()
        self.done += sum(submitted.facts.values())
        partitions = (submitted.merged.pop(0).result() for _ in range(self.partitions))
        facts = [future.result() for future in submitted.facts]
        return submitted.number, batches.add(submitted.number, facts, partitions)


def _stored_bytes(part: Part) -> int:
    return sum(slice.bytes for slice in part)


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
