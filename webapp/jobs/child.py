"""The process of one training: reads a corpus, writes a vocabulary, and says how far it is.

It does not know the database. It sends its worker `{"progress": …}`, and at the end `{"failed": …}` or
`{"finished": …}`.
"""

from __future__ import annotations

import errno
import traceback
from collections.abc import Mapping
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webapp.core.formats.recognize import save
from webapp.core.training.corpus import CorpusError, CorpusFile
from webapp.core.training.counting import count_words
from webapp.core.training.plan import PlanError, Progress, Report, TrainingPlan
from webapp.core.training.record import TrainingRecord
from webapp.core.training.train import TrainingError, train
from webapp.processes import Message, Send

RESULT = "vocabulary"
CHECKPOINT = "counts"
# A smaller corpus is counted before other processes would have started.
BYTES_FOR_PROCESSES = 8_000_000


@dataclass(frozen=True)
class Task:
    """What a process has to do: `folder` is for its files, `vocabularies` has those that the site has fetched."""

    plan: Mapping[str, Any]
    files: tuple[Mapping[str, str], ...]
    folder: str
    vocabularies: str
    processes: int
    most_text: int
    most_memory: int
    most_disk: int


def main(task: dict[str, Any], _contents: list[bytes], send: Send) -> None:
    """Train as a `Task` says, and send the outcome."""
    send(outcome(Task(**task), lambda progress: send({"progress": progress.as_json()})))


def outcome(task: Task, report: Report) -> Message:
    """Do the task, and return the last message; nothing of the corpus is in it but the names of files."""
    try:
        return {"finished": _trained(task, report)}
    except (CorpusError, TrainingError) as error:
        return _failed(error.code, **error.details)
    except PlanError as error:
        return _failed("plan", field=error.field, message=str(error))
    except (MemoryError, BrokenProcessPool):  # the system ended a process that counts: it does so without memory
        return _failed("memory", limit=task.most_memory)
    except Exception as error:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
            return _failed("disk", limit=task.most_disk)
        return _failed("error", where=_place(error))


def _trained(task: Task, report: Report) -> Message:
    plan = TrainingPlan.from_json(task.plan)
    files = tuple(CorpusFile.from_json(dict(file)) for file in task.files)
    folder = Path(task.folder)
    size = sum(Path(file.path).stat().st_size for file in files if Path(file.path).exists())
    processes = task.processes if size >= BYTES_FOR_PROCESSES else 1
    last = Progress("read", 0, size)

    def noted(progress: Progress) -> None:
        nonlocal last
        last = progress
        report(progress)

    noted(last)
    counted = count_words(
        files, plan, noted, processes=processes, checkpoint=folder / CHECKPOINT, most_bytes=task.most_text
    )
    trained = train(plan, counted, noted)
    report(Progress("write", 0, 2, trained.pieces, last.latest, trained.curve))
    (folder / RESULT).write_bytes(save(trained.tokenizer))
    report(Progress("write", 1, 2, trained.pieces, last.latest, trained.curve))
    held_out: dict[str, Any] = {
        "characters": len(trained.held_out),
        "characters_per_token": trained.characters_per_token,
        "others": {},
    }
    if trained.held_out:
        from webapp.jobs.figures import compared  # loads the site's vocabularies, which counting has no use for

        held_out |= compared(trained.held_out, trained.tokenizer, Path(task.vocabularies))
    if trained.ngrams:
        from webapp.jobs.figures import perplexities_of_the_built_in_model as perplexities

        built_in = perplexities(counted.held_out, plan) if counted.held_out else {}
        held_out["ngrams"] = {**trained.ngrams, "built_in": built_in}
    record = TrainingRecord(
        plan=plan,
        files=tuple(file.name for file in files),
        bytes=counted.bytes,
        characters=counted.characters,
        sha256=counted.sha256,
        pieces=trained.pieces,
        characters_per_token=trained.characters_per_token,
        json_field=next((file.field for file in files if file.format == "jsonl"), "text"),
        curve=trained.curve,
        held_out=held_out,
    )
    report(Progress("write", 2, 2, trained.pieces, last.latest, trained.curve))
    return record.as_json()


def _failed(code: str, **details: object) -> Message:
    return {"failed": {"code": code, "details": details}}


def _place(error: BaseException) -> str:
    """Where an exception was raised, without its message, which may quote the corpus."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    return f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}" if last else type(error).__name__
