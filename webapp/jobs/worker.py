"""A worker: takes up the jobs that wait, looks after those of others, and runs until a signal stops it."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from flask import Flask

from webapp.jobs import jobs_of, retention
from webapp.jobs.watching import Attempt, JobWatch, Limits
from webapp.observing.logs import configure
from webapp.observing.options import log_form
from webapp.storage import DatabaseUrlError, SchemaError, UnavailableStorageError
from webapp.vocabularies.library import Library

log = logging.getLogger(__name__)

NICENESS = 10  # the worker does little by itself, but reads each vocabulary to check it
# How often a worker looks for jobs that wait, in seconds: a visitor looks for progress no more often. And the pause
# after a look that failed.
LOOK_SECONDS, FAILED_SECONDS = 0.5, 5.0
# The time that attempts have to put their jobs back when a worker stops, in seconds.
STOPPING_SECONDS = 10.0
DAY, HOUR, MINUTE = 86_400.0, 3_600.0, 60.0


class Worker:
    """Runs the jobs of a site, at most `at_once`; any number of workers share the table of jobs.

    It gives up a job whose signs of life stay the same for `watch.silence` seconds of this process's own clock, so that
    the clocks of several machines need not agree.
    """

    def __init__(self, watch: JobWatch, at_once: int, expire: Callable[[], object] = lambda: None) -> None:
        """`expire` deletes what the site keeps no longer; it is called every hour."""
        self._watch, self._jobs = watch, watch.jobs
        self._at_once = at_once
        self._running: list[threading.Thread] = []
        self._seen: dict[str, tuple[tuple[str, int], float]] = {}
        # What is done now and then: the pause in seconds, and when it is due.
        pauses = {self._give_up: watch.silence / 4, self._clean: MINUTE, expire: HOUR}
        self._due = {task: (pause, 0.0) for task, pause in pauses.items()}

    def run(self, stopping: threading.Event) -> None:
        """Work until `stopping` is set, and put back what still runs."""
        while not stopping.is_set():
            pause = LOOK_SECONDS
            try:
                self.look(stopping)
            except Exception as error:
                pause = min(FAILED_SECONDS, self._watch.silence / 4)
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
        """Take up what waits, and do what is due; raises UnavailableStorageError."""
        self._take_up(stopping)
        for task, (seconds, due) in self._due.items():
            if time.monotonic() >= due:
                self._due[task] = seconds, time.monotonic() + seconds
                task()

    def _take_up(self, stopping: threading.Event) -> None:
        """Start those jobs that wait, that no other worker takes up first, and that fit beside the running ones."""
        self._running = [thread for thread in self._running if thread.is_alive()]
        for id in self._jobs.store.next() if len(self._running) < self._at_once else ():
            attempt = self._watch.take_up(id)
            if attempt is not None:
                thread = threading.Thread(target=_attend, args=(attempt, stopping), daemon=True)
                thread.start()
                self._running.append(thread)
            if len(self._running) >= self._at_once:
                return

    def _give_up(self) -> None:
        """Let jobs wait again whose workers gave no sign of life, or fail after several attempts."""
        now = time.monotonic()
        self._seen = {
            id: self._seen[id] if id in self._seen and self._seen[id][0] == beat else (beat, now)
            for id, beat in self._jobs.store.beats().items()
        }
        for id, ((holder, beat), since) in self._seen.items():
            if now - since >= self._watch.silence and self._jobs.store.give_up(id, holder, beat):
                log.warning("A training lost its worker.")
                job = self._jobs.find(id)
                if job is not None and job.state == "failed":
                    self._jobs.release(job.corpus)

    def _clean(self) -> None:
        self._jobs.store.expire(DAY)
        self._jobs.corpora.delete_old(DAY)


def _attend(attempt: Attempt, stopping: threading.Event) -> None:
    try:
        attempt.run(stopping)
    except UnavailableStorageError as error:
        log.warning("A job was left to the next worker, because the database is unreachable: %s", error)
    except Exception:
        log.exception("A job was left to the next worker")


def work() -> None:
    """Run a worker of the site until SIGTERM or SIGINT; then its jobs wait for another worker.

    Raises SystemExit with the reason if a setting is invalid.
    """
    configure(log_form())
    stopping = threading.Event()
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda _signal, _frame: stopping.set())
    app = _site()
    with suppress(OSError, AttributeError):  # only now: on a busy machine, its replacement would need minutes to start
        os.nice(NICENESS)
    Worker(watch_of(app), app.config["MAX_TRAININGS"], lambda: retention.expire(app)).run(stopping)


def watch_of(app: Flask) -> JobWatch:
    """How a worker of `app` runs jobs, from its settings."""
    config = app.config
    library: Library = app.extensions["vocabularies"]
    limits = Limits(
        seconds=config["MAX_TRAINING_SECONDS"],
        memory=config["MAX_TRAINING_MEMORY_BYTES"],
        disk=config["MAX_TRAINING_DISK_BYTES"],
        text=config["MAX_TRAINING_BYTES"],
        gently=bool(config["TRAIN_GENTLY"]),
    )
    return JobWatch(
        jobs=jobs_of(app),
        store=lambda content: library.uploads.add(content)[0].name,
        limits=limits,
        vocabularies=Path(library.fetcher.disk_cache.folder),
        silence=float(config["MAX_SILENT_SECONDS"]),
    )


def stop_with(descriptor: int) -> None:
    """Stop this process like SIGTERM when the other end of a pipe closes, because its owner is gone."""

    def wait() -> None:
        with suppress(OSError):
            while os.read(descriptor, 1 << 10):
                pass
        signal.raise_signal(signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


def _site() -> Flask:
    module, _, name = (os.environ.get("TOKENSCOPE_APPLICATION") or "webapp:create_app").partition(":")
    try:
        app: Flask = getattr(import_module(module), name)()
    except (ValueError, DatabaseUrlError, SchemaError) as error:
        sys.stderr.write(f"The worker cannot start: {error}\n")
        raise SystemExit(1) from None
    return app
