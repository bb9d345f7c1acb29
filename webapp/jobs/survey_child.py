"""The process of one survey: reads a vocabulary, tries all its tokens, and stores what it finds."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

from webapp.core.analysis.reachability import survey
from webapp.core.formats.recognize import recognize
from webapp.core.tokenizer import Tokenizer
from webapp.jobs.surveys import FailureReason, SurveyFolder, SurveyTask
from webapp.processes import Send, set_priority
from webapp.vocabularies.catalogue import CATALOGUE
from webapp.vocabularies.disk_cache import DiskCache
from webapp.vocabularies.wellknown import WELL_KNOWN

NICENESS = 5  # a visitor waits for the survey, but visitors of pages go first
REPORT_SECONDS = 0.5


class OutOfTimeError(Exception):
    """The processor time is used up."""


def main(task: dict[str, Any], contents: list[bytes], _send: Send) -> None:
    """Do a `SurveyTask`; `contents` are the files of an upload."""
    set_priority(os.getpid(), NICENESS)
    limit_time(task["seconds"])
    compute(SurveyTask(**task), contents)


def limit_time(seconds: int) -> None:
    """Raise OutOfTimeError after some seconds of processor time; some more, and the system ends the process."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        # The system repeats the signal each second, also while the reason is stored.
        signal.signal(signal.SIGXCPU, signal.SIG_IGN)
        raise OutOfTimeError

    with suppress(ImportError, OSError, ValueError):  # Windows, or a lower limit is in force already
        import resource

        signal.signal(signal.SIGXCPU, stop)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 10))


def compute(task: SurveyTask, contents: list[bytes]) -> None:
    """Compute and store a survey, or why it failed, unless another process does."""
    folder = SurveyFolder(Path(task.folder))
    with folder.computing(task.key) as mine:
        if not mine or folder.get(task.key) is not None:
            return
        began = time.process_time()
        reported = 0.0

        def report(done: int, total: int) -> None:
            nonlocal reported
            if time.monotonic() - reported > REPORT_SECONDS:
                reported = time.monotonic()
                folder.report(task.key, done, total)

        why: FailureReason | None = None
        try:
            found = survey(_tokenizer(task, contents), report)
            folder.put(task.key, found, time.process_time() - began)
        except OutOfTimeError:
            why = "time"
        except MemoryError:
            why = "memory"
        except Exception:
            why = "error"
        if why:  # out of the handlers, which hold what the survey has taken of the memory
            folder.fail(task.key, why)


def _tokenizer(task: SurveyTask, contents: list[bytes]) -> Tokenizer:
    if task.kind == "upload":
        return recognize(*contents).tokenizer
    if task.kind == "known":
        stored = DiskCache(Path(task.vocabularies)).get(WELL_KNOWN[task.name])
        if stored is None:
            raise FileNotFoundError(task.name)
        return WELL_KNOWN[task.name].tokenizer(stored)
    load = CATALOGUE[task.name].load
    if load is None:
        raise KeyError(task.name)
    return load()
