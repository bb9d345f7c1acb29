"""Trainings that run outside of requests: a table of jobs, a queue, workers and their child processes.

    jobs().submit(plan, corpus_id, facts, visitor)   →   Job(id="…", state="waiting", …)
    jobs().find(id), jobs().cancel(id)

`python -m webapp.jobs` is a worker; any number of them on any number of machines share the database, the queue and the
folder of corpora. The table of jobs (`webapp.storage.jobs`) decides which worker runs which job; the queue (`queue`)
only says that there is something to do. Each job runs in a process of its own (`child`), which a worker watches
(`watching`).
"""

from __future__ import annotations

import os
from pathlib import Path

from flask import Flask, current_app

from webapp.jobs import commands
from webapp.jobs.corpora import Corpora
from webapp.jobs.queue import Queue
from webapp.jobs.submission import Jobs
from webapp.storage import Failure, Job, TooManyJobsError, storage_of

_EXTENSION = "tokenscope-jobs"


def init_app(app: Flask) -> None:
    """Set up the jobs of `app` from its settings; nothing connects before the first use."""
    storage = storage_of(app)
    folder = Path(str(app.config["CORPUS_FOLDER"]) or Path(app.instance_path) / "corpora")
    corpora = Corpora(folder, app.config["MAX_TRAINING_BYTES"], most_bytes_together=app.config["MAX_CORPORA_BYTES"])
    redis = str(app.config.get("REDIS_URL") or os.environ.get("REDIS_URL") or "")
    queue = Queue(storage.database.url, redis, seconds=app.config["MAX_DATABASE_SECONDS"])
    app.extensions[_EXTENSION] = Jobs(storage.jobs, corpora, queue)
    commands.init_app(app)


def jobs() -> Jobs:
    """The jobs of the current application."""
    return jobs_of(current_app)


def jobs_of(app: Flask) -> Jobs:
    """The jobs of `app`."""
    current: Jobs = app.extensions[_EXTENSION]
    return current
