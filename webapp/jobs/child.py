"""The process of one training: reads a corpus, writes a vocabulary, and tells its worker how far it is.

It knows neither the database nor the queue: the worker sends a `Task` as the first line of standard input, and keeps
that open. The process answers with messages, one a line: `{"progress": …}`, and at the end `{"failed": …}` or
`{"finished": …}`. When standard input ends, the worker is gone, and so the process ends with all its children.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from webapp.core.formats.save import save
from webapp.core.training.corpus import CorpusError, CorpusFile
from webapp.core.training.counting import count_words
from webapp.core.training.plan import PlanError, TrainingPlan
from webapp.core.training.progress import Progress, Report
from webapp.core.training.record import TrainingRecord
from webapp.core.training.train import TrainedTokenizer, TrainingError, train
from webapp.jobs.limits import limit_resources

RESULT = "vocabulary"
CHECKPOINT = "counts"
# A smaller corpus is counted before other processes would have started.
BYTES_FOR_PROCESSES = 8_000_000

Message = Mapping[str, Any]


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

    def as_json(self) -> str:
        """The task as one line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Task:
        """The task that `as_json` wrote."""
        return cls(**json.loads(line))


def main() -> None:
    """Read a task from standard input, and do it."""
    # What libraries print is not mistaken for a message.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    line = sys.stdin.readline()
    if not line:
        return
    task = Task.from_json(line)
    threading.Thread(target=_end_with_worker, args=(sys.stdin.fileno(),), daemon=True).start()
    limit_resources(task.most_memory, task.most_disk)

    def send(message: Message) -> None:
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    send(outcome(task, lambda progress: send({"progress": progress.as_json()})))
    os._exit(0)  # without freeing gigabytes one by one


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
        **_compared(trained, Path(task.vocabularies)),
    }
    if trained.ngrams:
        held_out["ngrams"] = {**trained.ngrams, "built_in": _built_in(counted.held_out, plan)}
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


def _compared(trained: TrainedTokenizer, vocabularies: Path) -> dict[str, Any]:
    if not trained.held_out:
        return {"others": {}}
    from webapp.jobs.figures import compared

    return compared(trained.held_out, trained.tokenizer, vocabularies)


def _built_in(held_out: str, plan: TrainingPlan) -> dict[str, Any]:
    from webapp.jobs.figures import perplexities_of_the_built_in_model

    return perplexities_of_the_built_in_model(held_out, plan) if held_out else {}


def _failed(code: str, **details: object) -> Message:
    return {"failed": {"code": code, "details": details}}


def _place(error: BaseException) -> str:
    """Where an exception was raised, without its message, which may quote the corpus."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    return f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}" if last else type(error).__name__


def _end_with_worker(descriptor: int, kill: Callable[[int, int], None] = os.killpg) -> None:
    with suppress(OSError):
        while os.read(descriptor, 1 << 10):
            pass
    kill(os.getpgrp(), signal.SIGKILL)


def lines(stream: IO[str]) -> Any:
    """The messages of a process, as they come; a last line that is not complete is left out."""
    for line in stream:
        with suppress(ValueError):
            yield json.loads(line)
