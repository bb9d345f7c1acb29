"""A worker: runs the jobs that wait, gives up those that other workers lost, and ends when a signal stops it.

Each job runs in a process of its own (`training`), which the worker watches. About once a second it gives a sign of
life, together with the progress: one small write. That it fails means that the job was cancelled, or that another
worker has it, so the process is stopped. Without a database a worker stops the process before any other may run the
job.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from typing import Any

from flask import Flask

from webapp import processes
from webapp.core.formats.reading import FormatError
from webapp.core.training.plan import Progress
from webapp.jobs import jobs_of, retention, training
from webapp.observing.logs import configure
from webapp.observing.options import log_form
from webapp.storage import DatabaseUrlError, Failure, Job, SchemaError, StorageFullError, UnavailableStorageError
from webapp.vocabularies.library import Library

log = logging.getLogger(__name__)

# How often a worker looks for jobs that wait, in seconds: a visitor looks for progress no more often. And the pause
# after a look that failed.
LOOK_SECONDS, FAILED_SECONDS = 0.5, 5.0
# How often it looks at the process of a training, and how often it gives a sign of life, in seconds.
WATCH_SECONDS, BEAT_SECONDS = 0.25, 1.0
# The time that attempts have to put their jobs back when a worker stops, in seconds.
STOPPING_SECONDS = 10.0
DAY, HOUR, MINUTE = 86_400.0, 3_600.0, 60.0
# The share of the time without a sign of life after which a worker without a database stops its process.
CAREFUL = 0.6
# The settings that limit a training: its processor time, and the memory and the files of all its processes. By the
# clock, it may take `CLOCK` times the limit of processor time.
LIMITS = {"time": "MAX_TRAINING_SECONDS", "memory": "MAX_TRAINING_MEMORY_BYTES", "disk": "MAX_TRAINING_DISK_BYTES"}
CLOCK = 10


class Worker:
    """Runs the jobs of a site, at most `MAX_TRAININGS` at once; any number of workers share the table of jobs.

    It gives up a job whose signs of life stay the same for `MAX_SILENT_SECONDS` of this process's own clock, so that
    the clocks of several machines need not agree. Every hour it deletes what the site keeps no longer.
    """

    def __init__(self, app: Flask) -> None:
        self._app, self._jobs = app, jobs_of(app)
        self._silence: float = app.config["MAX_SILENT_SECONDS"]
        self._running: list[threading.Thread] = []
        self._seen: dict[str, tuple[tuple[str, int], float]] = {}
        # What is done now and then: the pause in seconds, and when it is due.
        pauses = {self._give_up: self._silence / 4, self._clean: MINUTE, self._expire: HOUR}
        self._due = {task: (pause, 0.0) for task, pause in pauses.items()}

    def run(self, stopping: threading.Event) -> None:
        """Work until `stopping` is set, and put back what still runs."""
        while not stopping.is_set():
            pause = LOOK_SECONDS
            try:
                self.look(stopping)
            except Exception as error:
                pause = min(FAILED_SECONDS, self._silence / 4)
                self._seen.clear()  # who could give no sign of life meanwhile gets the whole time again
                if isinstance(error, UnavailableStorageError):
                    log.warning("The database is unreachable, so jobs wait: %s", error)
                else:
                    log.exception("Looking after the jobs failed")
            stopping.wait(pause)
        deadline = time.monotonic() + STOPPING_SECONDS
        for thread in self._running:
            thread.join(max(0.0, deadline - time.monotonic()))

    def look(self, stopping: threading.Event) -> None:
        """Run what waits, as far as there is room, and do what is due; raises UnavailableStorageError."""
        self._running = [thread for thread in self._running if thread.is_alive()]
        room = self._app.config["MAX_TRAININGS"] - len(self._running)
        for id in self._jobs.store.next() if room > 0 else ():
            if room > 0 and (attempt := begin(self._app, id)):
                thread = threading.Thread(target=_attend, args=(attempt, stopping), daemon=True)
                thread.start()
                self._running.append(thread)
                room -= 1
        for task, (seconds, due) in self._due.items():
            if time.monotonic() >= due:
                self._due[task] = seconds, time.monotonic() + seconds
                task()

    def _give_up(self) -> None:
        """Let jobs wait again whose workers gave no sign of life, or fail after several attempts."""
        now = time.monotonic()
        self._seen = {
            id: self._seen[id] if id in self._seen and self._seen[id][0] == beat else (beat, now)
            for id, beat in self._jobs.store.beats().items()
        }
        for id, ((holder, beat), since) in self._seen.items():
            if now - since >= self._silence and self._jobs.store.give_up(id, holder, beat):
                log.warning("A training lost its worker.")
                job = self._jobs.find(id)
                if job is not None and job.state == "failed":
                    self._jobs.corpora.delete_scratch(job.corpus, id)

    def _clean(self) -> None:
        self._jobs.store.expire(DAY)
        self._jobs.corpora.delete_old(DAY)

    def _expire(self) -> None:
        retention.expire(self._app)


def begin(app: Flask, id: str) -> Attempt | None:
    """Begin an attempt at a job; None if its corpus is on another machine, or another worker has the job."""
    jobs = jobs_of(app)
    job = jobs.find(id)
    if job is None or not jobs.corpora.files(job.corpus):
        return None
    holder = jobs.store.claim(id)
    job = jobs.find(id) if holder else None
    return Attempt(app, job, holder) if holder and job else None


def _attend(attempt: Attempt, stopping: threading.Event) -> None:
    try:
        attempt.run(stopping)
    except UnavailableStorageError as error:
        log.warning("A job was left to the next worker, because the database is unreachable: %s", error)
    except Exception:
        log.exception("A job was left to the next worker")


class Attempt:
    """One attempt at a job, by its holder, within the limits of the settings."""

    def __init__(self, app: Flask, job: Job, holder: str) -> None:
        self._config, self._jobs = app.config, jobs_of(app)
        self._library: Library = app.extensions["vocabularies"]
        self._limits = {name: int(app.config[setting]) for name, setting in LIMITS.items()}
        self._job, self._holder = job, holder
        self._progress: Progress | None = None
        self._seconds: dict[str, float] = {}  # of the stages before the current one, which began at `_since`
        self._began = self._since = self._beaten = time.monotonic()
        self._used = 0.0
        self._last: Mapping[str, Any] = {}

    def task(self) -> training.Task:
        """What the process has to do; raises KeyError if the corpus is gone."""
        return training.Task(
            plan=self._job.plan,
            files=self._jobs.corpora.files(self._job.corpus),
            folder=self._jobs.corpora.scratch(self._job.corpus, self._job.id),
            vocabularies=self._library.fetcher.disk_cache.folder,
            processes=processes.processors(),
            most_text=self._config["MAX_TRAINING_BYTES"],
            gives_way=self._config["TRAIN_GENTLY"],
        )

    def run(self, stopping: threading.Event) -> None:
        """Start the process, and watch it until it ends or has to."""
        self._jobs.corpora.keep(self._job.corpus)
        try:
            task = self.task()
        except KeyError:
            self._fail(Failure("unreadable"))
            return
        memory, disk = self._limits["memory"], self._limits["disk"]
        child = processes.Child(training.main, task, folder=task.folder, memory=memory, disk=disk)
        reading = threading.Thread(target=self._read, args=(child,), daemon=True)
        reading.start()
        try:
            while reading.is_alive():
                reading.join(WATCH_SECONDS)
                failure = self._exceeded(child.pid)
                if stopping.is_set() or failure or not self._is_ours():
                    child.kill()
                    if stopping.is_set():
                        self._put_back()
                    elif failure:
                        self._fail(failure)
                    else:
                        self._clean_up()
                    return
            self.conclude(self._last, child.kill())
        finally:
            child.kill()
            reading.join(5)
            child.close()

    def _read(self, child: processes.Child) -> None:
        for message in child.messages():
            if "progress" in message:
                self.note(Progress.from_json(message["progress"]))
            else:
                self._last = message

    def note(self, progress: Progress) -> None:
        """Note the next progress; the curve of the one before stays if it has none."""
        self._seconds, self._since = self.seconds(), time.monotonic()
        self._progress = replace(progress, curve=progress.curve or (self._progress.curve if self._progress else ()))

    def seconds(self) -> dict[str, float]:
        """The seconds of each stage so far."""
        seconds = dict(self._seconds)
        if self._progress is not None:
            stage = self._progress.stage
            seconds[stage] = round(seconds.get(stage, 0.0) + time.monotonic() - self._since, 3)
        return seconds

    def _exceeded(self, session: int) -> Failure | None:
        # A process that has just ended may not be counted with its parent yet.
        self._used = max(self._used, processes.processor_seconds(session))
        used = {
            "time": self._used,
            "memory": sum(map(processes.resident_bytes, processes.processes_of(session))),
            "disk": self._jobs.corpora.bytes_of(self._job.corpus),
        }
        for name, limit in self._limits.items():
            if used[name] > limit:
                return Failure(name, {"limit": limit})
        longest = CLOCK * self._limits["time"]
        return Failure("time", {"limit": longest}) if time.monotonic() - self._began > longest else None

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
            return not self._is_silent()
        self._beaten = now
        return True

    def _is_silent(self) -> bool:
        """Whether another worker may soon run the job, for want of signs of life."""
        return time.monotonic() - self._beaten > CAREFUL * float(self._config["MAX_SILENT_SECONDS"])

    def _beat(self) -> bool:
        return self._jobs.store.beat(self._job.id, self._holder, self._progress, self.seconds())

    def _put_back(self) -> None:
        with suppress(UnavailableStorageError):
            if not self._jobs.store.put_back(self._job.id, self._holder):
                self._clean_up()

    def conclude(self, message: Mapping[str, Any], code: int) -> None:
        """Store the outcome: the last message of the process, and its exit code."""
        if failed := message.get("failed"):
            if failed["code"] == "error":
                log.error("A training failed: %s", failed["details"].get("where"))
            limit = {"limit": self._limits[failed["code"]]} if failed["code"] in self._limits else {}
            self._fail(Failure(failed["code"], failed["details"] | limit))
        elif finished := message.get("finished"):
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
            content = (self.task().folder / training.RESULT).read_bytes()
            self._retry(self._beat)
            name = self._retry(lambda: self._library.uploads.add(content)[0].name)
        except StorageFullError:
            self._fail(Failure("full"))
            return
        except (FormatError, KeyError, OSError) as error:
            log.error("A trained vocabulary could not be stored: %s", error)
            self._fail(Failure("error"))
            return
        started = self._job.started.isoformat(timespec="seconds") if self._job.started else ""
        record = {**record, "seconds": self.seconds(), "started": started}
        self._retry(self._beat)
        self._retry(lambda: self._jobs.store.finish(self._job.id, self._holder, name, record))
        self._clean_up()

    def _fail(self, failure: Failure) -> None:
        with suppress(UnavailableStorageError):
            self._beat()  # how far it got
        self._retry(lambda: self._jobs.store.fail(self._job.id, self._holder, failure))
        self._clean_up()

    def _clean_up(self) -> None:
        self._jobs.corpora.delete_scratch(self._job.corpus, self._job.id)

    def _retry(self, store: Callable[[], Any]) -> Any:
        """Call `store` until the database responds, or another worker may soon run the job."""
        while True:
            try:
                return store()
            except UnavailableStorageError:
                if self._is_silent():
                    raise
                time.sleep(WATCH_SECONDS)


def work() -> None:
    """Run a worker of the site until SIGTERM or SIGINT; then its jobs wait for another worker.

    Raises SystemExit with the reason if a setting is invalid.
    """
    configure(log_form())
    stopping = threading.Event()
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda _signal, _frame: stopping.set())
    module, _, name = (os.environ.get("TOKENSCOPE_APPLICATION") or "webapp:create_app").partition(":")
    try:
        app: Flask = getattr(import_module(module), name)()
    except (ValueError, DatabaseUrlError, SchemaError) as error:
        raise SystemExit(f"The worker cannot start: {error}") from None
    Worker(app).run(stopping)


def stop_with_input() -> None:
    """Stop this process like SIGTERM when standard input ends, because its owner is gone."""

    def wait() -> None:
        with suppress(OSError):
            while os.read(sys.stdin.fileno(), 1 << 10):
                pass
        signal.raise_signal(signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()
