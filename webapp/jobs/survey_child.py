"""The process of one survey: reads a vocabulary, tries all its tokens, and stores what it finds.

Standard input has a `SurveyTask` as its first line, then the files of an upload. When it ends, the process that wants
the survey is gone, and this one ends as well.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import IO

from webapp.core.analysis.reachability import survey
from webapp.core.formats.recognize import recognize
from webapp.core.tokenizer import Tokenizer
from webapp.jobs.limits import limit_resources, set_priority
from webapp.jobs.surveying import SurveyTask
from webapp.jobs.surveys import FailureReason, SurveyFolder
from webapp.vocabularies.catalogue import CATALOGUE
from webapp.vocabularies.disk_cache import DiskCache
from webapp.vocabularies.wellknown import WELL_KNOWN

NICENESS = 5  # a visitor waits for the survey, but visitors of pages go first
REPORT_SECONDS = 0.5
MOST_FILE = 268_435_456  # bytes of a file that the process writes


class OutOfTimeError(Exception):
    """The processor time is used up."""


def main() -> None:
    """Do the task on standard input."""
    stream = sys.stdin.buffer
    line = stream.readline()
    if not line:
        return
    task = SurveyTask(**json.loads(line))
    contents = [stream.read(size) for size in task.sizes]
    set_priority(os.getpid(), NICENESS)
    threading.Thread(target=_end_with_parent, args=(stream,), daemon=True).start()
    limit_resources(task.memory, MOST_FILE)
    limit_time(task.seconds)
    try:
        compute(task, contents)
    except BaseException:
        # Without ending the interpreter, which aborts when the thread above waits for standard input.
        os._exit(1)
    os._exit(0)  # without freeing a large vocabulary piece by piece


def limit_time(seconds: int) -> None:
    """Raise OutOfTimeError after some seconds of processor time; some more, and the system ends the process."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        # The system repeats the signal each second, also while the reason is stored.
        signal.signal(signal.SIGXCPU, signal.SIG_IGN)
        raise OutOfTimeError

    signal.signal(signal.SIGXCPU, stop)
    with suppress(OSError, ValueError):  # a lower limit is in force already
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


def _end_with_parent(stream: IO[bytes]) -> None:
    with suppress(OSError, ValueError):
        while stream.read(1 << 10):
            pass
    os.killpg(os.getpgrp(), signal.SIGKILL)
