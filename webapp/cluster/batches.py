"""Finished batches of a corpus, on disk: a counting that was interrupted goes on after the last of them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from webapp.cluster import runs
from webapp.cluster.sources import Source
from webapp.cluster.tasks import PartFacts
from webapp.core.training.counted_corpus import VERSION
from webapp.core.training.plan import TrainingPlan

COUNTING_FIELDS = ("trainer", "variant", "split", "pattern", "normalization", "longest_word")
"""The choices of a plan that change the counts: a training with another size can use the same."""
FORMAT = 1


@dataclass(frozen=True)
class Batch:
    """A finished batch: the facts of its parts, and where the run of each partition ends in its file."""

    facts: tuple[PartFacts, ...]
    ends: tuple[int, ...]


class Batches:
    """A folder of finished batches of one corpus."""

    def __init__(self, folder: Path, fingerprint: str) -> None:
        """Open the folder, and empty it if it belongs to another corpus or plan."""
        self.folder = folder
        self.replaced = False
        state = folder / "corpus"
        if state.is_file() and state.read_text(encoding="utf-8") != fingerprint:
            shutil.rmtree(folder)
            self.replaced = True
        folder.mkdir(parents=True, exist_ok=True)
        _write(state, [fingerprint.encode()])

    def find(self, number: int) -> Batch | None:
        """Return a finished batch, None if it has not been counted."""
        try:
            document = json.loads(self._facts(number).read_bytes())
        except FileNotFoundError:
            return None
        facts = (PartFacts(**{**part, "digests": bytes.fromhex(part["digests"])}) for part in document["facts"])
        return Batch(tuple(facts), tuple(document["ends"]))

    def add(self, number: int, facts: Iterable[PartFacts], partitions: Iterable[bytes]) -> Batch:
        """Store a batch: its facts last, so that one without is not finished."""
        ends: list[int] = []

        def contents() -> Iterator[bytes]:
            for run in partitions:
                yield run
                ends.append((ends[-1] if ends else 0) + len(run))

        _write(self._runs(number), contents())
        batch = Batch(tuple(facts), tuple(ends))
        parts: list[dict[str, Any]] = [{**asdict(part), "digests": part.digests.hex()} for part in batch.facts]
        _write(self._facts(number), [json.dumps({"facts": parts, "ends": ends}).encode()])
        return batch

    def run(self, number: int, batch: Batch, partition: int) -> Iterator[runs.Chunk]:
        """Yield the chunks of one partition of a batch."""
        begin = batch.ends[partition - 1] if partition else 0
        with open(self._runs(number), "rb") as file:
            yield from runs.read_span(file.fileno(), begin, batch.ends[partition])

    def delete(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _runs(self, number: int) -> Path:
        return self.folder / f"batch-{number:04}.runs"

    def _facts(self, number: int) -> Path:
        return self.folder / f"batch-{number:04}.json"


def fingerprint(sources: Iterable[Source], plan: TrainingPlan, **division: int) -> str:
    """Return what identifies the counts: the files as they are, the choices that change the counts, the division."""
    digest = sha256()
    for source in sources:
        digest.update(json.dumps([source.file.as_json(), source.size, source.version, source.table]).encode())
    names = ("trainer", "order", "segmentation") if plan.trainer == "ngram" else COUNTING_FIELDS
    choices = {name: getattr(plan, name) for name in names}
    digest.update(json.dumps([FORMAT, VERSION, choices, division]).encode())
    return digest.hexdigest()


def _write(path: Path, contents: Iterable[bytes]) -> None:
    """Write a file that after a crash is there completely or not at all."""
    temporary = path.with_suffix(".part")
    with open(temporary, "wb") as file:
        for content in contents:
            file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
