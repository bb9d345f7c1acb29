"""Assigns free workers to requests fairly: clients take turns, and no client occupies all workers."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from typing import Generic, TypeVar

T = TypeVar("T")


class FairQueue(Generic[T]):
    """Free workers, and the requests that wait for one, grouped by client.

    A client has at most `most_each` workers at once. Waiting clients take turns, and the requests of one client keep
    their order: a client with 500 requests delays a client with a single request by only one request.

    >>> queue = FairQueue(most_each=1)
    >>> queue.put("worker 1"), queue.put("worker 2")
    (None, None)
    >>> queue.take("a"), queue.take("a"), queue.take("b")
    ('worker 2', None, 'worker 1')
    """

    def __init__(self, *, most_each: int) -> None:
        self._most_each = most_each
        self._free: list[T] = []
        self._taken: Counter[str] = Counter()
        self._waiting: OrderedDict[str, deque[asyncio.Future[T]]] = OrderedDict()

    def put(self, worker: T) -> None:
        """Assign `worker` to the next waiting request, or add it to the free workers."""
        self._free.append(worker)
        self._serve()

    def take(self, client: str) -> T | None:
        """The free worker that was used last, for `client`; None if the client has to wait."""
        if self._free and self._taken[client] < self._most_each:
            self._taken[client] += 1
            return self._free.pop()
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
        self._serve()
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give_back(client)
                self.put(turn.result())
            raise

    def give_back(self, client: str) -> None:
        """Count one worker less for `client`. The caller puts the worker back with `put` unless it has ended."""
        self._taken[client] -= 1
        if not self._taken[client]:
            del self._taken[client]
        self._serve()

    def drain(self) -> list[T]:
        """Remove and return all free workers."""
        free, self._free = self._free, []
        return free

    def _serve(self) -> None:
        """Assign free workers to waiting requests, one request per client in turn."""
        for client in list(self._waiting):
            if not self._free:
                return
            turns = self._waiting[client]
            while turns and turns[0].done():  # cancelled, because the client has left
                turns.popleft()
            if turns and (worker := self.take(client)) is not None:
                turns.popleft().set_result(worker)
                self._waiting.move_to_end(client)
            if not turns:
                del self._waiting[client]
