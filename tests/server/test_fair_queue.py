"""The order in which clients get a worker when all are busy."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from webapp.server.queues import FairQueue

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run in a new thread, since Playwright leaves an event loop running in the thread of the tests."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


def served(*, workers: int, most_each: int, requests: str, first: str = "") -> str:
    """Return the clients in the order in which they get a worker; each worker serves one request after another.

    Capital letters are the requests in `first`.
    """

    async def serve() -> str:
        queue: FairQueue[int] = FairQueue(most_each=most_each)
        order: list[str] = []

        async def request(client: str) -> None:
            worker = await queue.get(client.lower(), first=client.isupper())
            order.append(client)
            await asyncio.sleep(0.001)
            queue.put(worker)
            queue.give_back(client.lower())

        tasks = [asyncio.create_task(request(client)) for client in requests]
        await asyncio.sleep(0)
        for number in range(workers):
            queue.put(number)
        await asyncio.gather(*tasks)
        return "".join(order)

    return run(serve())


def test_one_client_is_served_in_the_order_of_its_requests() -> None:
    assert served(workers=1, most_each=1, requests="aaa") == "aaa"


def test_clients_take_turns() -> None:
    assert served(workers=1, most_each=1, requests="aaaaaab") == "abaaaaa"
    assert served(workers=1, most_each=1, requests="aaabbc") == "abcaba"


def test_a_client_leaves_workers_for_others() -> None:
    queue: FairQueue[int] = FairQueue(most_each=2)
    for worker in range(4):
        queue.put(worker)
    assert [queue.take(client) for client in "aaabbb"] == [3, 2, None, 1, 0, None]
    queue.put(3)
    assert queue.take("a") is None
    queue.give_back("a")
    assert queue.take("a") == 3


def test_the_response_to_a_stopped_request_goes_first() -> None:
    assert served(workers=1, most_each=1, requests="aabbC")[0] == "C"


def test_a_request_whose_client_leaves_while_it_waits_takes_no_worker() -> None:
    async def leave() -> None:
        queue: FairQueue[str] = FairQueue(most_each=1)
        waiting = asyncio.create_task(queue.get("a"))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        queue.put("worker")
        assert queue.take("b") == "worker"

    run(leave())


def test_a_worker_assigned_to_a_client_that_has_just_left_goes_to_the_next() -> None:
    async def leave() -> None:
        queue: FairQueue[str] = FairQueue(most_each=1)
        leaving, staying = asyncio.create_task(queue.get("a")), asyncio.create_task(queue.get("b"))
        await asyncio.sleep(0)
        queue.put("worker")
        leaving.cancel()
        assert await staying == "worker"
        assert queue.take("a") is None
        queue.put("worker")
        assert queue.take("a") == "worker"

    run(leave())


def test_a_closed_queue_keeps_its_free_workers() -> None:
    async def scenario() -> None:
        running: list[int] = []
        queue: FairQueue[int] = FairQueue(most_each=9, is_open=lambda arriving: len(running) + arriving < 2)

        async def request() -> None:
            running.append(await queue.get("a"))

        tasks = [asyncio.create_task(request()) for _ in range(4)]
        await asyncio.sleep(0)
        for worker in range(4):
            queue.put(worker)
        await asyncio.sleep(0.01)
        assert (len(running), queue.free) == (2, 2)
        assert queue.take("b") is None
        assert queue.take("b", last=True) is not None
        running.pop()
        queue.serve()
        await asyncio.sleep(0.01)
        assert (len(running), queue.free) == (2, 0)
        running.clear()
        queue.put(9)
        await asyncio.gather(*tasks)

    run(scenario())


def test_clients_before_counts_clients_not_requests() -> None:
    async def scenario() -> None:
        queue: FairQueue[str] = FairQueue(most_each=9)
        tasks = [asyncio.create_task(queue.get(client)) for client in ("a", "a", "a", "b")]
        await asyncio.sleep(0)
        assert queue.clients_before("c") == 2
        assert queue.clients_before("a") is None
        tasks[3].cancel()
        await asyncio.sleep(0)
        assert queue.clients_before("c") == 1
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert queue.clients_before("a") == 0

    run(scenario())
