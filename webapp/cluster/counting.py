"""Count the words of a corpus with the workers of a Dask cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

from distributed import Client, KilledWorker, as_completed
from distributed.client import FutureCancelledError
from distributed.comm.core import CommClosedError
from distributed.scheduler import NoValidWorkerError, NoWorkerError

from webapp.cluster import runs, tasks
from webapp.cluster.errors import ClusterError, sentence
from webapp.cluster.parts import divide
from webapp.cluster.runs import Rare
from webapp.cluster.sources import Source
from webapp.core.training.corpus import CorpusError
from webapp.core.training.counting import HELD_OUT, CountedCorpus, HoldOut, canonical
from webapp.core.training.plan import Progress, Report, TrainingPlan

FAN_IN = 16  # runs that one task merges
PARTITIONS = ((1 << 32, 8), (1 << 40, 32), (1 << 64, 256))
"""For corpora of up to so many bytes so many partitions, so that the runs of one fit into a worker's memory."""
FACTS = "facts.json"  # what is known of a corpus besides its words; written last, so that the runs are complete with it


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
    partition are merged by other tasks, 16 at a time, then 16 of the results, and so on; this process merges the last
    16 into a file of `folder`, from which it reads the words that occur at least `drop_rarer_than` times. What is
    waiting is held by Dask's workers, which write it to their disks when memory gets scarce; if a worker is lost, Dask
    repeats its tasks, whose results depend on nothing but the corpus. Complete runs in `folder` are not counted again.

    Raises CorpusError, TrainingError with the code `slow_pattern`, and ClusterError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / FACTS).exists():
        with _explained():
            facts = _count(client, sources, plan, report, folder)
        (folder / FACTS).write_text(json.dumps(facts), encoding="ascii")
    rare = Rare()
    counts: dict[str, int] = {}
    for path in sorted(folder.glob("*.run")):
        with path.open("rb") as file:
            counts.update(runs.frequent(runs.read(file), drop_rarer_than, rare))
    if not counts and not rare.words:
        raise CorpusError("empty")
    return ClusterCount(CountedCorpus(canonical(counts), **json.loads((folder / FACTS).read_bytes())), rare)


def _count(
    client: Client, sources: Sequence[Source], plan: TrainingPlan, report: Report, folder: Path
) -> dict[str, Any]:
    """Write the run of each partition to the folder; return the other fields of the `CountedCorpus`."""
    parts = divide(sources)
    total = sum(source.size for source in sources)
    partitions = next(number for most, number in PARTITIONS if total <= most)
    hold_out = HoldOut.of_files([source.file for source in sources], [source.size for source in sources])
    submit = partial(client.submit, pure=False)
    counted = [submit(tasks.count_part, part, plan, hold_out, partitions) for part in parts]
    submit = partial(submit, priority=1)  # merging before counting: it frees memory
    merged = []
    for partition in range(partitions):
        level = [submit(tasks.run_of, part, partition) for part in counted]
        while len(level) > FAN_IN:
            level = [submit(tasks.merge, level[at : at + FAN_IN]) for at in range(0, len(level), FAN_IN)]
        merged.append(level)
    futures = [submit(tasks.facts_of, part) for part in counted]
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
