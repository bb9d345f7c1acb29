"""The queue of heavy requests: bounded by the time that they would wait, and fair to all clients."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from webapp.server.fair_queue import FairQueue

# How fast the measured ratio of time to estimate follows the last request, and its bounds.
FOLLOWING = 0.2
RATIO = (0.2, 30.0)
# The bounds of the time after which a refused request may come again, in seconds.
RETRY_SECONDS = (2, 60)


@dataclass(eq=False)
class Work:
    """What one request needs: `seconds` of processor time, estimated.

    `begun` is None while it waits. `is_whole` says that its time tells how fast heavy work advances.
    """

    client: str
    seconds: float
    begun: float | None = None
    has_slot: bool = True
    is_whole: bool = False


@dataclass(frozen=True)
class Refused:
    """Why a heavy request may not wait, and after how many seconds it may come again.

    "busy": it would wait too long. "much": its client has too much work running and waiting already.
    """

    reason: Literal["busy", "much"]
    retry_after: int


class HeavyLane:
    """`slots` for heavy requests at once, and a queue for the others.

    A client has at most half of the slots while others wait, and at most `most_work` seconds of estimated work running
    and waiting. No request waits that would have to wait for longer than `most_queued` seconds.
    """

    def __init__(self, slots: int, *, most_queued: float, most_work: float) -> None:
        self._slots = slots
        self._most_queued, self._most_work = most_queued, most_work
        self._queue: FairQueue[int] = FairQueue(most_each=math.ceil(slots / 2), strict=False)
        for slot in range(slots):
            self._queue.put(slot)
        self._owed = 0  # slots that requests run without, because they turned out heavy while no slot was free
        self._running: set[Work] = set()
        self._waiting: dict[str, deque[Work]] = {}
        # How long a request runs for each second of its estimate: above 1 while the processors are shared.
        self._ratio = 1.0

    @property
    def running(self) -> int:
        """The number of requests that run, including those that turned out heavy."""
        return len(self._running)

    @property
    def waiting(self) -> int:
        """The number of requests that wait for a slot."""
        return sum(map(len, self._waiting.values()))

    def refusal(self, client: str, seconds: float) -> Refused | None:
        """Why a request of `client` with this estimate must not wait; None if it may."""
        own = [*self._waiting.get(client, ()), *(work for work in self._running if work.client == client)]
        excess = sum(work.seconds for work in own) + seconds - self._most_work
        if own and excess > 0:
            return Refused("much", _bounded(self._ratio * excess / self._slots))
        excess = self.expected_wait(client) - self._most_queued
        return Refused("busy", _bounded(excess + self._most_queued / 2)) if excess > 0 else None

    def retry_after(self, client: str) -> int:
        """After how many seconds a request of `client` that has waited too long may come again."""
        return _bounded(self.expected_wait(client))

    def expected_wait(self, client: str) -> float:
        """How long the next request of `client` would wait, in seconds.

        Clients take turns: before the third request of one client, at most three of each other client run.
        """
        if self._queue.free:
            return 0.0
        now = time.monotonic()
        turns = len(self._waiting.get(client, ())) + 1
        ahead = sum(work.seconds for works in self._waiting.values() for work in islice(works, turns))
        times = [(now - (work.begun or now), work.seconds) for work in self._running]
        # While light requests need the processors, those that run now tell it sooner than those that have ended.
        ratio = max(self._ratio, sum(elapsed for elapsed, _ in times) / max(sum(seconds for _, seconds in times), 0.01))
        # A request that exceeds its estimate is expected to take a fifth of its time so far.
        remaining = sum(max(ratio * seconds - elapsed, elapsed / 5) for elapsed, seconds in times)
        return (ratio * ahead + remaining) / self._slots

    @contextmanager
    def entry(self, client: str, seconds: float) -> Iterator[Work]:
        """Count a request as waiting until it gets a `slot`, and that slot as occupied until the end of the block."""
        work = Work(client, seconds)
        self._waiting.setdefault(client, deque()).append(work)
        try:
            yield work
        finally:
            if work.begun is None:
                self._leave_queue(work)
            else:
                self.finish(work)

    async def slot(self, work: Work) -> None:
        """Wait until `work` may start."""
        if self._queue.take(work.client) is None:
            await self._queue.get(work.client)
        self._leave_queue(work)
        work.begun = time.monotonic()
        self._running.add(work)

    def join(self, client: str, seconds: float) -> Work:
        """Count a running request that turned out heavy: it occupies the next slot that would become free."""
        work = Work(client, seconds, time.monotonic(), has_slot=self._queue.take(client) is not None)
        self._owed += not work.has_slot
        self._running.add(work)
        return work

    def finish(self, work: Work) -> None:
        """Free the slot of `work`."""
        self._running.remove(work)
        if work.is_whole and work.begun is not None:
            ratio = (time.monotonic() - work.begun) / max(work.seconds, 0.01)
            self._ratio += FOLLOWING * (min(max(ratio, RATIO[0]), RATIO[1]) - self._ratio)
        if work.has_slot:
            self._queue.give_back(work.client)
        if self._owed:
            self._owed -= 1
        else:
            self._queue.put(0)

    def _leave_queue(self, work: Work) -> None:
        works = self._waiting[work.client]
        works.remove(work)
        if not works:
            del self._waiting[work.client]


def _bounded(seconds: float) -> int:
    return math.ceil(min(max(seconds, RETRY_SECONDS[0]), RETRY_SECONDS[1]))
