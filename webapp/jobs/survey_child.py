"""The process of one survey: reads a vocabulary, tries all its tokens, and stores what it finds."""

from __future__ import annotations

import math
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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
GRACE_SECONDS = 10  # to store that the time is up


class SurveyTimeoutError(BaseException):
    """The processor time is used up; not an Exception, so that nothing which tries several formats swallows it."""


def main(task: dict[str, Any], contents: list[bytes], _send: Send) -> None:
    """Do a `SurveyTask`; `contents` are the files of an upload."""
    set_priority(os.getpid(), NICENESS)
    compute(SurveyTask(**task), contents)


@contextmanager
def limited_time(seconds: int) -> Iterator[None]:
    """Raise SurveyTimeoutError after some seconds of processor time from now; some more, and the system ends the
    process with SIGXCPU.

    The limit of the system counts from the start of the process, with its imports, so it is no measure of the survey.
    """

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise SurveyTimeoutError

    if not hasattr(signal, "setitimer"):  # Windows
        yield
        return
    import resource

    last = math.ceil(time.process_time()) + seconds + GRACE_SECONDS
    with suppress(OSError, ValueError):  # a lower limit is in force already
        resource.setrlimit(resource.RLIMIT_CPU, (last, last + GRACE_SECONDS))
    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


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
            with limited_time(task.seconds):
                found = survey(_tokenizer(task, contents), report)
                folder.put(task.key, found, time.process_time() - began)
        except SurveyTimeoutError:
            why = "time"
        except MemoryError:
            why = "memory"
        except Exception:
            why = "error"
        if why:  # out of the handlers, which hold what the survey has taken of the memory
            folder.fail(task.key, why)


def _tokenizer(task: SurveyTask, contents: list[bytes]) -> Tokenizer:
    if contents:
        return recognize(*contents).tokenizer
    if task.name in CATALOGUE and (load := CATALOGUE[task.name].load):
        return load()
    stored = DiskCache(Path(task.folder).parent).get(WELL_KNOWN[task.name])
    if stored is None:
        raise FileNotFoundError(task.name)
    return WELL_KNOWN[task.name].tokenizer(stored)
