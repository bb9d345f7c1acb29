"""Who gets a worker when all are busy, which heavy requests wait or are refused, and workers that come late."""

import asyncio
import socket
from threading import Event
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.server.conftest import in_loop, run
from webapp.observing.report import RequestRecord
from webapp.server.attempts import Attempts
from webapp.server.pool import Pool, PoolWorker, ServerSettings, WorkerLane
from webapp.server.queues import FairQueue

LIMITS = ServerSettings(max_body_bytes=1_000, max_request_seconds=100, proxies=0)


@pytest.mark.parametrize(
    ("requests", "order"),
    [
        ("aaa", "aaa"),
        ("aaaaaab", "abaaaaa"),  # clients take turns
        ("aaabbc", "abcaba"),
        ("aabbC", "Cabab"),  # the capital letter is a request in front of all others
        ("a-bb", "bb"),  # the client in front of the hyphen leaves
    ],
)
def test_clients_take_turns_and_keep_the_order_of_their_requests(requests: str, order: str) -> None:
    async def serve() -> str:
        free: list[str] = []
        queue: FairQueue[str] = FairQueue(lambda _client: free.pop() if free else None, free.append)
        served: list[str] = []

        async def request(client: str) -> None:
            worker = await queue.get(client.lower(), first=client.isupper())
            served.append(client)
            await asyncio.sleep(0.001)
            free.append(worker)
            queue.serve()

        tasks = [asyncio.create_task(request(client)) for client in requests if client != "-"]
        await asyncio.sleep(0)
        if "-" in requests:
            tasks[requests.index("-") - 1].cancel()
            await asyncio.sleep(0)
        assert queue.estimates().keys() == set(order.lower())
        free.append("worker")
        queue.serve()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert free == ["worker"]
        return "".join(served)

    assert run(serve()) == order


class HeavyRequests:
    """A pool with free heavy workers, and requests of clients with one letter each."""

    def __init__(self, slots: int) -> None:
        self.pool, self.started, self.tasks = Pool(2), list[tuple[str, PoolWorker]](), list[asyncio.Task[None]]()
        self.pool.sizes["heavy"] = slots
        for _ in range(slots):
            add(self.pool, "heavy")

    async def ask(self, clients: str, seconds: float) -> None:
        """Send a request of each client; `started` has those that run."""

        async def ask(client: str) -> None:
            worker = await self.pool.acquire(RequestRecord("", "GET", client), "heavy", seconds)
            self.started.append((client, worker))

        self.tasks += [asyncio.create_task(ask(client)) for client in clients]
        await asyncio.sleep(0.01)

    async def end(self) -> None:
        """End all requests that run."""
        ended, self.started = self.started, []
        for _client, worker in ended:
            self.pool.release(worker)
        await asyncio.sleep(0.01)

    @property
    def running(self) -> str:
        return "".join(sorted(client for client, _worker in self.started))


def add(pool: Pool, lane: WorkerLane) -> None:
    """Add a worker without a process."""
    process = SimpleNamespace(pid=None, is_alive=lambda: False)
    writer = SimpleNamespace(close=lambda: None)
    pool._put(PoolWorker(cast("Any", process), asyncio.StreamReader(), cast("Any", writer), lane))


@in_loop
async def test_a_client_has_half_of_the_heavy_workers_while_others_wait() -> None:
    heavy = HeavyRequests(4)
    await heavy.ask("aaaa", 1)
    assert heavy.running == "aaaa"
    await heavy.ask("aaabbb", 1)
    assert heavy.running == "aaaa"
    await heavy.end()
    assert heavy.running == "aabb"
    await heavy.end()
    assert heavy.running == "ab"


@in_loop
async def test_a_request_that_would_wait_too_long_is_refused() -> None:
    heavy = HeavyRequests(2)
    attempts = Attempts(heavy.pool, LIMITS)
    assert attempts.refusal("a", 500) is None  # it does not wait, and alone it is limited by its time only
    await heavy.ask("abcde", 6)
    assert 14 < attempts.expected_wait("x") <= 15
    assert attempts.refusal("x", 6) == "busy"
    await heavy.end()
    assert attempts.refusal("x", 6) is None


@in_loop
async def test_the_work_of_one_client_is_limited() -> None:
    heavy = HeavyRequests(4)
    attempts = Attempts(heavy.pool, LIMITS)
    await heavy.ask("aaa", 18)
    assert [attempts.refusal("a", seconds) for seconds in (6, 7)] == [None, "much"]
    assert attempts.refusal("b", 7) is None


@pytest.mark.parametrize("steps", range(6))
@pytest.mark.parametrize("lane", ["light", "heavy"])
@in_loop
async def test_a_worker_that_comes_when_its_client_leaves_is_not_lost(lane: WorkerLane, steps: int) -> None:
    pool, request = Pool(1), RequestRecord("", "GET", "a")
    acquiring = asyncio.create_task(pool.acquire(request, lane, 1))
    await asyncio.sleep(0.01)
    add(pool, lane)
    for _ in range(steps):
        await asyncio.sleep(0)
    acquiring.cancel()
    (found,) = await asyncio.gather(acquiring, return_exceptions=True)
    if isinstance(found, PoolWorker):
        pool._put(found)
    assert isinstance(await asyncio.wait_for(pool.acquire(request, lane, 1), 1), PoolWorker)


class SlowProcess:
    """A process whose start takes as long as the test wants; `socket` is the one that the worker would have."""

    begun, may_end = Event(), Event()
    socket: socket.socket

    def __init__(self, target: object, args: tuple[socket.socket], daemon: bool) -> None:
        type(self).socket = args[0].dup()

    def start(self) -> None:
        self.begun.set()
        assert self.may_end.wait(30)


@in_loop
async def test_a_worker_that_is_starting_when_the_site_stops_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits for requests until its socket is closed, and the site stops when all its workers have ended."""
    pool = Pool(1)
    monkeypatch.setattr(pool._context, "Process", SlowProcess, raising=False)
    opening = asyncio.create_task(pool.open())
    await asyncio.to_thread(SlowProcess.begun.wait, 30)
    opening.cancel()
    await asyncio.gather(opening, return_exceptions=True)
    SlowProcess.may_end.set()
    SlowProcess.socket.settimeout(5)
    with SlowProcess.socket:
        assert SlowProcess.socket.recv(1) == b""
