"""What the pages need of the queue: submit a job, look at it, cancel it."""

from __future__ import annotations

import hmac
import logging
import re

from webapp.core.training.plan import TrainingPlan
from webapp.core.training.survey import CorpusFacts
from webapp.jobs.corpora import Corpora, NoRoomError
from webapp.jobs.queue import Queue, QueueError
from webapp.storage import Job, JobStore

log = logging.getLogger(__name__)

_ID = re.compile(r"[A-Za-z0-9_-]{22}")
# Of one visitor, corpora that no training needs, so that uploads alone never fill the disk.
MOST_IDLE_CORPORA = 4


class Jobs:
    """The jobs of one application: `store` has their state, `corpora` what they are trained on."""

    def __init__(self, store: JobStore, corpora: Corpora, queue: Queue) -> None:
        self.store = store
        self.corpora = corpora
        self.queue = queue

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
        job = self.store.add(plan, corpus_id, facts, [file.name for file in files], self._hashed(visitor))
        self.announce(job.id)
        return job

    def find(self, id: str) -> Job | None:
        """The job with this id; None for any other string."""
        return self.store.find(id) if _ID.fullmatch(id) else None

    def cancel(self, id: str) -> None:
        """Cancel a job that waits or runs, and delete its corpus; its worker stops it within two seconds."""
        job = self.find(id)
        if job is not None and self.store.cancel(id):
            self.release(job.corpus)

    def release(self, corpus: str) -> None:
        """Delete a corpus unless another job needs it."""
        if corpus not in self.store.corpora():
            self.corpora.delete(corpus)

    def _hashed(self, visitor: str) -> str:
        return hmac.digest(self.corpora.secret(), visitor.encode(), "sha256").hex()

    def place(self, id: str) -> int:
        """The number of jobs ahead of a waiting one, those that run included."""
        return self.store.place(id)

    def expected_wait(self, id: str) -> float | None:
        """About how long a job still waits, in seconds; None if it does not wait."""
        return self.store.expected_wait(id)

    def announce(self, id: str) -> None:
        """Tell the workers that a job waits. If the queue is unreachable, a worker finds the job by itself later."""
        try:
            self.queue.put(id)
        except QueueError as error:
            log.warning("The queue is unreachable, so a job waits until a worker looks for it: %s", error)
