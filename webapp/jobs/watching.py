"""Takes up a job, starts its process, watches over it, and stores what comes of it.

A worker gives a sign of life about once a second, together with the progress: one small write. That it fails means
that the job was cancelled, or that another worker has it, so the process is stopped. Without a database a worker
stops the process before any other may take the job up.
"""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from webapp.core.formats.reading import FormatError
from webapp.core.training.plan import Progress
from webapp.jobs import Jobs
from webapp.jobs.child import RESULT, Task
from webapp.processes import (
    GREATEST_NICENESS,
    Child,
    processes_of,
    processor_seconds,
    processors,
    resident_bytes,
    set_priority,
)
from webapp.storage import Failure, Job, StorageFullError, UnavailableStorageError

log = logging.getLogger(__name__)

# How often a worker looks at the process of a training, and how often it gives a sign of life, in seconds.
LOOK_SECONDS, BEAT_SECONDS = 0.25, 1.0
# The share of the time without a sign of life after which a worker without a database stops its process.
CAREFUL = 0.6
# The share of a processor below which a training gets an ordinary priority. At most one second above it is remembered,
# so that a training that had an idle machine for an hour does not starve in the next.
SHARE, CREDIT = 0.1, 1.0
# By the clock a training may take this many times its limit of processor time.
CLOCK = 10

Store = Callable[[bytes], str]
"""Stores a vocabulary as an upload and returns its name."""


@dataclass(frozen=True)
class Limits:
    """What one training may take: seconds of processor time, and bytes."""

    seconds: int
    memory: int
    disk: int
    text: int  # of the corpus after decompression
    gently: bool = True  # with the lowest priority, as long as it gets its share


@dataclass(frozen=True)
class JobWatch:
    """How a worker runs jobs: `silence` is the time without a sign of life after which another worker takes one up."""

    jobs: Jobs
    store: Store
    limits: Limits
    vocabularies: Path
    silence: float

    def take_up(self, id: str) -> Attempt | None:
        """Begin an attempt at a job; None if its corpus is on another machine, or another worker has the job."""
        job = self.jobs.find(id)
        if job is None or not self.jobs.corpora.files(job.corpus):
            return None
        holder = self.jobs.store.claim(id)
        job = self.jobs.find(id) if holder else None
        return Attempt(self, job, holder) if holder and job else None

    def task(self, job: Job) -> Task:
        """What the process of a job has to do; raises KeyError if the corpus is gone."""
        return Task(
            plan=job.plan.as_json(),
            files=tuple(file.as_json() for file in self.jobs.corpora.files(job.corpus)),
            folder=str(self.jobs.corpora.scratch(job.corpus, job.id)),
            vocabularies=str(self.vocabularies),
            processes=processors(),
            most_text=self.limits.text,
            most_memory=self.limits.memory,
            most_disk=self.limits.disk,
        )


class Attempt:
    """One attempt at a job, by its holder."""

    def __init__(self, watch: JobWatch, job: Job, holder: str) -> None:
        self._watch = watch
        self._jobs = watch.jobs
        self._job = job
        self._holder = holder
        self._began = self._beaten = time.monotonic()
        self.stages = Stages()
        self._last: Mapping[str, Any] = {}
        self._looked, self._used, self._owed = self._began, 0.0, 0.0
        self._niceness: int | None = None

    def run(self, stopping: threading.Event) -> None:
        """Start the process, and watch it until it ends or has to."""
        self._jobs.corpora.keep(self._job.corpus)
        try:
            task = self._watch.task(self._job)
        except KeyError:
            self._fail(Failure("unreadable"))
            return
        limits = self._watch.limits
        child = Child("webapp.jobs.child:main", task, task.folder, memory=limits.memory, disk=limits.disk)
        reading = threading.Thread(target=self._read, args=(child,), daemon=True)
        reading.start()
        try:
            while reading.is_alive():
                reading.join(LOOK_SECONDS)
                if stopping.is_set():
                    self._put_back(child)
                    return
                failure = self._exceeded(child.pid)
                if failure or not self._is_ours():
                    child.kill()
                    if failure:
                        self._fail(failure)
                    else:
                        self._release_corpus()
                    return
            self.conclude(self._last, child.kill())
        finally:
            child.kill()
            reading.join(5)
            child.close()

    def _read(self, child: Child) -> None:
        for message in child.messages():
            if "progress" in message:
                self.stages.note(Progress.from_json(message["progress"]))
            else:
                self._last = message

    def _exceeded(self, session: int) -> Failure | None:
        limits = self._watch.limits
        self._share(session)
        if self._used > limits.seconds:
            return Failure("time", {"limit": limits.seconds})
        if self._looked - self._began > CLOCK * limits.seconds:
            return Failure("time", {"limit": CLOCK * limits.seconds})
        if resident_bytes(session) > limits.memory:
            return Failure("memory", {"limit": limits.memory})
        if self._jobs.corpora.bytes_of(self._job.corpus) > limits.disk:
            return Failure("disk", {"limit": limits.disk})
        return None

    def _share(self, session: int) -> None:
        """Note the processor time so far; give an ordinary priority if it is less than the share, the lowest if not."""
        now, used = time.monotonic(), max(self._used, processor_seconds(session))
        self._owed = max(-CREDIT, self._owed + SHARE * (now - self._looked) - (used - self._used))
        self._looked, self._used = now, used
        niceness = 0 if self._owed > 0 else GREATEST_NICENESS
        changes = self._watch.limits.gently and niceness != self._niceness
        if changes and all(set_priority(process, niceness) for process in processes_of(session)):
            self._niceness = niceness

    def _is_ours(self) -> bool:
        """Give a sign of life if it is time; False if the job is no longer ours, or may soon be another's."""
        now = time.monotonic()
        if now - self._beaten < BEAT_SECONDS:
            return True
        try:
            if not self._beat():
                return False
        except UnavailableStorageError as error:
            log.warning("A training goes on without a sign of life: %s", error)
            return time.monotonic() - self._beaten < CAREFUL * self._watch.silence
        self._beaten = now
        return True

    def _beat(self) -> bool:
        return self._jobs.store.beat(self._job.id, self._holder, self.stages.progress, self.stages.seconds())

    def _put_back(self, child: Child) -> None:
        child.kill()
        with suppress(UnavailableStorageError):
            if not self._jobs.store.put_back(self._job.id, self._holder):
                self._release_corpus()

    def conclude(self, message: Mapping[str, Any], code: int) -> None:
        """Store the outcome: the last message of the process, and its exit code."""
        failed, finished = message.get("failed"), message.get("finished")
        if failed:
            if failed["code"] == "error":
                log.error("A training failed: %s", failed["details"].get("where"))
            self._fail(Failure(failed["code"], failed["details"]))
        elif finished:
            self._finish(finished)
        elif code == -signal.SIGKILL:  # the kernel had no memory, or an operator ended it
            log.warning("The process of a training was killed.")
            self._retry(lambda: self._jobs.store.release(self._job.id, self._holder))
        else:
            log.error("The process of a training ended with code %s.", code)
            self._fail(Failure("error"))

    def _finish(self, record: Mapping[str, Any]) -> None:
        # From here on there is nothing to stop, but storing a large vocabulary takes a while.
        try:
            content = (self._jobs.corpora.scratch(self._job.corpus, self._job.id) / RESULT).read_bytes()
            self._retry(self._beat)
            name = self._retry(lambda: self._watch.store(content))
        except StorageFullError:
            self._fail(Failure("full"))
            return
        except (FormatError, KeyError, OSError) as error:
            log.error("A trained vocabulary could not be stored: %s", error)
            self._fail(Failure("error"))
            return
        started = self._job.started
        record = {
            **record,
            "seconds": self.stages.seconds(),
            "started": started.isoformat(timespec="seconds") if started else "",
        }
        self._retry(self._beat)
        self._retry(lambda: self._jobs.store.finish(self._job.id, self._holder, name, record))
        self._release_corpus()

    def _fail(self, failure: Failure) -> None:
        with suppress(UnavailableStorageError):
            self._beat()  # how far it got
        self._retry(lambda: self._jobs.store.fail(self._job.id, self._holder, failure))
        self._release_corpus()

    def _release_corpus(self) -> None:
        with suppress(UnavailableStorageError):
            self._jobs.release(self._job.corpus)

    def _retry(self, store: Callable[[], Any]) -> Any:
        """Call `store` until the database responds, or another worker may take the job up."""
        while True:
            try:
                return store()
            except UnavailableStorageError:
                if time.monotonic() - self._beaten > CAREFUL * self._watch.silence:
                    raise
                time.sleep(LOOK_SECONDS)


class Stages:
    """The progress of a training, and the time of each stage; written by one thread and read by another."""

    def __init__(self) -> None:
        self.progress: Progress | None = None
        self._seconds: dict[str, float] = {}
        self._since = time.monotonic()

    def note(self, progress: Progress) -> None:
        """Note the next progress; the curve and the pieces of the one before stay if it has none."""
        before = self.progress
        now = time.monotonic()
        if before is not None:
            self._seconds = {**self._seconds, before.stage: self._seconds.get(before.stage, 0.0) + now - self._since}
            progress = replace(progress, curve=progress.curve or before.curve)
        self._since = now
        self.progress = progress

    def seconds(self) -> dict[str, float]:
        """The seconds of each stage so far."""
        seconds = dict(self._seconds)
        if self.progress is not None:
            stage = self.progress.stage
            seconds[stage] = seconds.get(stage, 0.0) + time.monotonic() - self._since
        return {stage: round(value, 3) for stage, value in seconds.items()}
