"""Who gets the next free worker: clients take turns, and none of them has all workers at once."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from typing import Generic, TypeVar

T = TypeVar("T")


class FairQueue(Generic[T]):
    """Free workers, and the requests that wait for one, by client.

    A client has at most `most_each` workers at once. Clients that wait are served in turn, each request of a client in
    the order of arrival: a client with 500 requests delays one with a single request by one request.

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
        """Give `worker` to the next request that waits, or keep it for one to come."""
        self._free.append(worker)
        self._serve()

    def take(self, client: str) -> T | None:
        """A free worker for `client` at once, the one that was used last; None where it has to wait."""
        if self._free and self._taken[client] < self._most_each:
            self._taken[client] += 1
            return self._free.pop()
        return None

    async def get(self, client: str, *, first: bool = False) -> T:
        """A worker for `client`, when it is its turn; a request that is `first` goes before all others."""
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
        """Count one worker less for `client`. The worker itself is `put` back, or has ended."""
        self._taken[client] -= 1
        if not self._taken[client]:
            del self._taken[client]
        self._serve()

    def drain(self) -> list[T]:
        """Take all free workers out."""
        free, self._free = self._free, []
        return free

    def _serve(self) -> None:
        """Hand out free workers, to one request of a client after the other."""
        for client in list(self._waiting):
            if not self._free:
                return
            turns = self._waiting[client]
            while turns and turns[0].done():  # who asked has left
                turns.popleft()
            if turns and (found := self.take(client)) is not None:
                turns.popleft().set_result(found)
                self._waiting.move_to_end(client)
            if not turns:
                del self._waiting[client]
