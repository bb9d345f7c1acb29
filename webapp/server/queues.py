"""The queues of requests: clients take turns, and heavy requests wait in a queue that is bounded by time."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Generic, Literal, TypeVar

T = TypeVar("T")


class FairQueue(Generic[T]):
    """Free workers, and the requests that wait for one, grouped by client.

    A client has at most `most_each` workers at once; if the limit is not `strict`, only while others wait. Waiting
    clients take turns, and the requests of one client keep their order: a client with 500 requests delays a client with
    a single request by only one request.

    >>> queue = FairQueue(most_each=1)
    >>> queue.put("worker 1"), queue.put("worker 2")
    (None, None)
    >>> queue.take("a"), queue.take("a"), queue.take("b")
    ('worker 2', None, 'worker 1')
    """

    def __init__(
        self, *, most_each: int, strict: bool = True, is_open: Callable[[int], bool] = lambda arriving: True
    ) -> None:
        """`is_open` says whether a further request may have a worker, when `arriving` ones are about to get theirs."""
        self._most_each = most_each
        self._strict = strict
        self._is_open = is_open
        self._arriving = 0
        self._free: deque[T] = deque()
        self._taken: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[asyncio.Future[T]]] = OrderedDict()

    @property
    def is_empty(self) -> bool:
        """Whether no request waits."""
        return not self._waiting_clients()

    def clients_before(self, client: str) -> int | None:
        """How many clients have a turn before a new request of `client`; None if requests of its own wait already."""
        waiting = self._waiting_clients()
        return None if client in waiting else len(waiting)

    def _waiting_clients(self) -> list[str]:
        """The clients with a request that waits; cancelled ones stay in `_waiting` until their turn comes."""
        return [client for client, turns in self._waiting.items() if not all(turn.done() for turn in turns)]

    @property
    def free(self) -> int:
        """The number of free workers."""
        return len(self._free)

    def put(self, worker: T, *, last: bool = False) -> None:
        """Assign `worker` to the next waiting request, or add it to the free workers; with `last`, after the others."""
        if last:
            self._free.appendleft(worker)
        else:
            self._free.append(worker)
        self.serve()

    def take(self, client: str, *, last: bool = False) -> T | None:
        """The free worker that was used last, for `client`; None if the client has to wait.

        With `last`, the one that would be taken last, even if the queue is not open.
        """
        is_open = last or self._is_open(self._arriving)
        if self._free and is_open and (not self._strict or self._taken[client] < self._most_each):
            self._taken[client] += 1
            return self._free.popleft() if last else self._free.pop()
        return None

    async def get(self, client: str, *, first: bool = False) -> T:
        """Wait for the client's turn and return a worker; a request with `first` goes before all others."""
        turn: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        turns = self._waiting.setdefault(client, deque())
        if first:
            turns.appendleft(turn)
            self._waiting.move_to_end(client, last=False)
        else:
            turns.append(turn)
        self.serve()
        try:
            worker = await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._arriving -= 1
                self.give_back(client)
                self.put(turn.result())
            raise
        self._arriving -= 1
        return worker

    def hold(self, client: str) -> None:
        """Count one worker more for `client`."""
        self._taken[client] += 1

    def give_back(self, client: str) -> None:
        """Count one worker less for `client`. The caller puts the worker back with `put` unless it has ended."""
        self._taken[client] -= 1
        if not self._taken[client]:
            del self._taken[client]
        self.serve()

    def drain(self) -> list[T]:
        """Remove and return all free workers."""
        free = list(self._free)
        self._free.clear()
        return free

    def serve(self) -> None:
        """Assign free workers to waiting requests, one request per client in turn."""
        # Clients below the limit go first. A limit that is not strict leaves no worker free while a client waits.
        for most in (self._most_each,) if self._strict else (self._most_each, None):
            for client in list(self._waiting):
                if not self._free or not self._is_open(self._arriving):
                    return
                turns = self._waiting[client]
                while turns and turns[0].done():  # cancelled, because the client has left
                    turns.popleft()
                if turns and (most is None or self._taken[client] < most):
                    self._taken[client] += 1
                    self._arriving += 1
                    turns.popleft().set_result(self._free.pop())
                    self._waiting.move_to_end(client)
                if not turns:
                    del self._waiting[client]


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
