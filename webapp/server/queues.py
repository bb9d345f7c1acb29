"""The order in which requests get a worker: clients take turns."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class FairQueue(Generic[T]):
    """Requests that wait for something, such as a worker, grouped by client.

    Waiting clients take turns, and the requests of one client keep their order: a client with 500 requests delays a
    client with a single request by only one request.
    """

    def __init__(self, grant: Callable[[str], T | None], give_back: Callable[[T], None]) -> None:
        """`grant` returns what a client waits for, or None if it has to wait.

        `give_back` is called with what a request gets in the moment in which it is cancelled.
        """
        self._grant, self._give_back = grant, give_back
        self._waiting: OrderedDict[str, deque[tuple[asyncio.Future[T], float]]] = OrderedDict()

    def estimates(self) -> dict[str, list[float]]:
        """The estimates of the requests that wait, in their order, by client."""
        found = {
            client: [seconds for turn, seconds in turns if not turn.done()]  # cancelled ones stay until their turn
            for client, turns in self._waiting.items()
        }
        return {client: estimates for client, estimates in found.items() if estimates}

    async def get(self, client: str, seconds: float = 0.0, *, first: bool = False) -> T:
        """Wait for the client's turn; a request with `first` goes before all others. `seconds` is its estimate."""
        turn: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        turns = self._waiting.setdefault(client, deque())
        if first:
            turns.appendleft((turn, seconds))
            self._waiting.move_to_end(client, last=False)
        else:
            turns.append((turn, seconds))
        self.serve()
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._give_back(turn.result())
            raise

    def serve(self) -> None:
        """Grant what can be granted, to one request per client in turn."""
        is_granting = True
        while is_granting:
            is_granting = False
            for client in list(self._waiting):
                turns = self._waiting[client]
                while turns and turns[0][0].done():  # cancelled, because the client has left
                    turns.popleft()
                if turns and (granted := self._grant(client)) is not None:
                    turns.popleft()[0].set_result(granted)
                    self._waiting.move_to_end(client)
                    is_granting = True
                if not turns:
                    self._waiting.pop(client, None)
