"""Assigns free workers, or free slots for heavy work, to requests fairly: clients take turns."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from typing import Generic, TypeVar

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
