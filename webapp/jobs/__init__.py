"""Trainings that run outside of requests: a table of jobs, workers and their child processes.

    jobs().submit(plan, corpus_id, facts, visitor)   →   Job(id="…", state="waiting", …)
    jobs().find(id), jobs().cancel(id)

`python -m webapp.jobs` is a worker (`worker`); any number of them on any number of machines share the database and the
folder of corpora. The table of jobs (`webapp.storage.jobs`) says what waits and decides which worker runs it: a worker
looks into it twice a second. Each job runs in a process of its own (`training`), which its worker watches.
"""

import hmac
import re
from pathlib import Path

from flask import Flask, current_app

from webapp.core.training.plan import TrainingPlan
from webapp.core.training.survey import CorpusFacts
from webapp.jobs.corpora import ID, Corpora, NoRoomError
from webapp.storage import Failure, Job, JobStore, TooManyJobsError, storage_of

# Of one visitor, corpora that no training needs, so that uploads alone never fill the disk.
MOST_IDLE_CORPORA = 4
_EXTENSION = "tokenscope-jobs"


class Jobs:
    """The jobs of one application: `store` has their state, `corpora` what they are trained on."""

    def __init__(self, store: JobStore, corpora: Corpora) -> None:
        self.store = store
        self.corpora = corpora

    def new_corpus(self, visitor: str) -> str:
        """Make room for a corpus of a visitor, and return its id.

        Of the visitor's corpora that no training needs, the oldest are deleted, so that there are `MOST_IDLE_CORPORA`
        with the new one. Raises NoRoomError and UnavailableStorageError.
        """
        try:
            owner = self._hashed(visitor)
        except OSError as error:  # the folder cannot be written
            raise NoRoomError from error
        needed = self.store.corpora()
        idle = [id for id in self.corpora.of(owner) if id not in needed]
        for id in idle[: max(0, len(idle) - MOST_IDLE_CORPORA + 1)]:
            self.corpora.delete(id)
        return self.corpora.create(owner)

    def submit(self, plan: TrainingPlan, corpus_id: str, facts: CorpusFacts, visitor: str) -> Job:
        """Let a training wait for a worker; `visitor` is the client's address, of which only a keyed hash is stored.

        Raises TooManyJobsError, KeyError if there is no such corpus, and UnavailableStorageError.
        """
        files = self.corpora.files(corpus_id)
        if not files:
            raise KeyError(corpus_id)
        self.corpora.keep(corpus_id)
        return self.store.add(plan, corpus_id, facts, [file.name for file in files], self._hashed(visitor))

    def find(self, id: str) -> Job | None:
        """The job with this id; None for any other string."""
        return self.store.find(id) if ID.fullmatch(id) else None

    def cancel(self, id: str) -> None:
        """Cancel a job that waits or runs; its worker stops it within two seconds, and the corpus stays."""
        job = self.find(id)
        if job is not None and self.store.cancel(id):
            self.corpora.delete_scratch(job.corpus, id)

    def delete_corpus(self, id: str) -> bool:
        """Delete a corpus; False if a job needs it."""
        if id in self.store.corpora():
            return False
        self.corpora.delete(id)
        return True

    def _hashed(self, visitor: str) -> str:
        return hmac.digest(self.corpora.secret(), visitor.encode(), "sha256").hex()


def init_app(app: Flask) -> None:
    """Set up the jobs of `app` from its settings; nothing connects before the first use."""
    from webapp.jobs import retention  # which needs the jobs

    folder = Path(str(app.config["CORPUS_FOLDER"]) or Path(app.instance_path) / "corpora")
    corpora = Corpora(folder, app.config["MAX_TRAINING_BYTES"], most_bytes_together=app.config["MAX_CORPORA_BYTES"])
    app.extensions[_EXTENSION] = Jobs(storage_of(app).jobs, corpora)
    retention.init_app(app)


def jobs() -> Jobs:
    """The jobs of the current application."""
    return jobs_of(current_app)


def jobs_of(app: Flask) -> Jobs:
    """The jobs of `app`."""
    current: Jobs = app.extensions[_EXTENSION]
    return current
