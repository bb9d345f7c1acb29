"""A worker: takes jobs from the queue and runs them until a signal stops it."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from flask import Flask

from webapp.jobs import jobs_of, retention
from webapp.jobs.limits import Limits
from webapp.jobs.queue import Queue, QueueError
from webapp.jobs.sweeping import Sweeper
from webapp.jobs.watching import Watch
from webapp.observing.logs import configure
from webapp.observing.options import log_form
from webapp.storage import DatabaseUrlError, SchemaError, UnavailableStorageError
from webapp.vocabularies.library import Library

log = logging.getLogger(__name__)

NICENESS = 10  # the worker does little by itself, but reads each vocabulary to check it
PAUSE = 1.0  # between attempts to reach the queue, in seconds


def work() -> None:
    """Run a worker of the site until SIGTERM or SIGINT; then its jobs wait for another worker.

    Raises SystemExit with the reason if a setting is invalid.
    """
    configure(log_form())
    logging.getLogger("huey").setLevel(logging.CRITICAL)  # `Sweeper` reports an unreachable queue in one line
    stopping = threading.Event()
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda _signal, _frame: stopping.set())
    app = _site()
    with suppress(OSError):  # only now: on a busy machine, a worker that is replaced would need minutes to start
        os.nice(NICENESS)
    watch = watch_of(app)
    looking = Sweeper(watch.jobs, watch.silence, lambda: retention.expire(app))
    sweeper = threading.Thread(target=looking.run, args=(stopping,), daemon=True)
    sweeper.start()
    consume(watch, watch.jobs.queue, app.config["MAX_TRAININGS"], stopping)
    sweeper.join(PAUSE)


def consume(watch: Watch, queue: Queue, threads: int, stopping: threading.Event) -> None:
    """Run the jobs from the queue in so many threads until `stopping` is set, and put back what still runs."""

    def run(id: str) -> None:
        try:
            watch.run(id, stopping)
        except UnavailableStorageError as error:
            log.warning("A job was left to the next worker, because the database is unreachable: %s", error)
        except Exception:
            log.exception("A job was left to the next worker")

    consumer = None
    while consumer is None and not stopping.is_set():
        try:
            consumer = queue.consumer(run, threads)
        except QueueError as error:
            log.warning("The queue is unreachable: %s", error)
            stopping.wait(PAUSE)
    if consumer is None:
        return
    handlers = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    consumer.start()
    for each, handler in handlers.items():  # Huey's would abandon what runs at one of them, and start again at another
        signal.signal(each, handler)
    checked = time.monotonic()
    while not stopping.wait(PAUSE):
        if time.monotonic() - checked > 10:
            consumer.check_worker_health()
            checked = time.monotonic()
    consumer.stop(graceful=True)
    queue.close()


def watch_of(app: Flask) -> Watch:
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
    return Watch(
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
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


def _site() -> Flask:
    module, _, name = (os.environ.get("TOKENSCOPE_APPLICATION") or "webapp:create_app").partition(":")
    try:
        app: Flask = getattr(import_module(module), name)()
    except (ValueError, DatabaseUrlError, SchemaError) as error:
        sys.stderr.write(f"The worker cannot start: {error}\n")
        raise SystemExit(1) from None
    return app
