"""Bounds the memory that all running requests take together: the largest of them is stopped."""

from __future__ import annotations

import asyncio
import logging

from webapp.observing.report import resident_bytes
from webapp.server.worker_process import Worker

log = logging.getLogger(__name__)

# The most that the running requests may take together, in bytes, and the interval at which the front looks, in seconds.
# With two workers, a site without requests has 670 MB.
MOST_TOGETHER = 530 << 20
INTERVAL = 0.05


class MemoryWatch:
    """Watches how much the workers have grown since they began with their requests."""

    def __init__(self) -> None:
        self._before: dict[Worker, int] = {}
        self._next: asyncio.TimerHandle | None = None

    def begin(self, worker: Worker) -> None:
        """Watch a worker that begins with a request."""
        self._before[worker] = resident_bytes(worker.process.pid or 0)
        self._next = self._next or asyncio.get_running_loop().call_later(INTERVAL, self._check)

    def end(self, worker: Worker) -> None:
        """Stop watching it."""
        self._before.pop(worker, None)

    def _check(self) -> None:
        grown = {worker: resident_bytes(worker.process.pid or 0) - before for worker, before in self._before.items()}
        if sum(grown.values()) > MOST_TOGETHER:
            largest = max(grown, key=lambda worker: grown[worker])
            largest.is_too_large = True
            largest.kill()
            self.end(largest)
        self._next = asyncio.get_running_loop().call_later(INTERVAL, self._check) if self._before else None
