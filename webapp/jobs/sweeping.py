"""Finds what nobody else takes care of: jobs whose worker is gone, jobs that no queue knows, and what is too old."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from webapp.jobs.submission import Jobs
from webapp.jobs.watching import announce_next
from webapp.storage import UnavailableStorageError

log = logging.getLogger(__name__)

DAY = 86_400.0
HOUR = 3_600.0
MINUTE = 60.0


class Sweeper:
    """Looks after the jobs of a site now and then; any number of workers may do so at once.

    A job is given up if its signs of life stay the same for `silence` seconds of this process's own clock, so that the
    clocks of several machines need not agree.
    """

    def __init__(self, jobs: Jobs, silence: float, expire: Callable[[], object] = lambda: None) -> None:
        """`expire` deletes what the site keeps no longer; it is called every hour."""
        self._expire = expire
        self._next_expiry = 0.0
        self._jobs = jobs
        self._silence = silence
        self._seen: dict[str, tuple[tuple[str, int], float]] = {}
        self._next_cleaning = 0.0

    def run(self, stopping: threading.Event) -> None:
        """Sweep until `stopping` is set."""
        while not stopping.is_set():
            try:
                self.sweep()
            except UnavailableStorageError as error:
                log.warning("The database is unreachable, so jobs wait: %s", error)
                self._seen.clear()  # whoever could give no sign of life meanwhile gets the whole time again
            except Exception:
                log.exception("Looking after the jobs failed")
            stopping.wait(self._silence / 4)

    def sweep(self) -> None:
        """Look once."""
        now = time.monotonic()
        beats = self._jobs.store.beats()
        self._seen = {
            id: self._seen[id] if id in self._seen and self._seen[id][0] == beat else (beat, now)
            for id, beat in beats.items()
        }
        for id, ((holder, beat), since) in self._seen.items():
            if now - since >= self._silence and self._jobs.store.give_up(id, holder, beat):
                job = self._jobs.find(id)
                log.warning("A training lost its worker.")
                if job is not None and job.state == "failed":
                    self._jobs.release(job.corpus)
        announce_next(self._jobs)
        if now >= self._next_cleaning:
            self._next_cleaning = now + MINUTE
            self._jobs.store.expire(DAY)
            self._jobs.corpora.delete_old(DAY)
        if now >= self._next_expiry:
            self._next_expiry = now + HOUR
            self._expire()
