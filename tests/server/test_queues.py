"""The order in which clients get a worker when all are busy, and which heavy requests run, wait or are refused."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack

import pytest

from tests.server.loops import in_loop, run
from webapp.server.queues import FairQueue, HeavyLane, Refused, Work


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


@in_loop
async def test_a_request_whose_client_leaves_while_it_waits_takes_no_worker() -> None:
    queue: FairQueue[str] = FairQueue(most_each=1)
    waiting = asyncio.create_task(queue.get("a"))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    queue.put("worker")
    assert queue.take("b") == "worker"


@in_loop
async def test_a_worker_assigned_to_a_client_that_has_just_left_goes_to_the_next() -> None:
    queue: FairQueue[str] = FairQueue(most_each=1)
    leaving, staying = asyncio.create_task(queue.get("a")), asyncio.create_task(queue.get("b"))
    await asyncio.sleep(0)
    queue.put("worker")
    leaving.cancel()
    assert await staying == "worker"
    assert queue.take("a") is None
    queue.put("worker")
    assert queue.take("a") == "worker"


@in_loop
async def test_a_closed_queue_keeps_its_free_workers() -> None:
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


@in_loop
async def test_clients_before_counts_clients_not_requests() -> None:
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


async def filled(lane: HeavyLane, block: ExitStack, requests: str, seconds: float) -> list[Work]:
    """Enter a request for each letter, the name of its client, and start those that have a slot."""
    works = [block.enter_context(lane.entry(client, seconds)) for client in requests]
    for work in works:
        block.callback(asyncio.ensure_future(lane.slot(work)).cancel)
    await asyncio.sleep(0.01)
    return works


def started(works: list[Work]) -> str:
    return "".join(work.client for work in works if work.begun is not None)


@in_loop
async def test_a_client_has_half_of_the_slots_while_others_wait() -> None:
    lane = HeavyLane(4, most_queued=100, most_work=1000)
    with ExitStack() as block:
        with ExitStack() as soon:
            alone = await filled(lane, soon, "aaaa", 1)
            assert started(alone) == "aaaa"
            more = await filled(lane, block, "aaabbb", 1)
            assert started(more) == ""
        await asyncio.sleep(0.01)
        assert sorted(started(more)) == ["a", "a", "b", "b"]
    assert (lane.running, lane.waiting) == (0, 0)


@in_loop
async def test_a_request_that_would_wait_too_long_is_refused() -> None:
    lane = HeavyLane(2, most_queued=10, most_work=1000)
    with ExitStack() as block:
        assert lane.refusal("a", 500) is None  # a free slot: it does not wait
        await filled(lane, block, "abcde", 6)
        assert 14 < lane.expected_wait("x") <= 15
        assert lane.refusal("x", 6) == Refused("busy", 10)


@in_loop
async def test_a_client_with_a_long_queue_does_not_fill_it_for_others() -> None:
    lane = HeavyLane(2, most_queued=10, most_work=1000)
    with ExitStack() as block:
        await filled(lane, block, "aaaaaaaa", 4)
        assert lane.refusal("a", 4)
        assert lane.refusal("b", 4) is None
        assert lane.expected_wait("b") < 7


@in_loop
async def test_the_work_of_one_client_is_limited() -> None:
    lane = HeavyLane(4, most_queued=100, most_work=20)
    with ExitStack() as block:
        assert lane.refusal("a", 30) is None  # alone, it is limited by its time only
        await filled(lane, block, "aaa", 6)
        assert lane.refusal("a", 2) is None
        assert lane.refusal("a", 3) == Refused("much", 2)
        assert lane.refusal("b", 3) is None


@in_loop
async def test_requests_that_turn_out_heavy_take_the_next_slots() -> None:
    lane = HeavyLane(1, most_queued=100, most_work=1000)
    first, second = lane.join("a", 0.1), lane.join("a", 0.1)
    assert lane.running == 2
    with ExitStack() as block:
        (waiting,) = await filled(lane, block, "b", 1)
        lane.finish(first)
        await asyncio.sleep(0.01)
        assert started([waiting]) == ""
        lane.finish(second)
        await asyncio.sleep(0.01)
        assert started([waiting]) == "b"
    assert lane.expected_wait("a") == 0


@pytest.mark.parametrize("steps", range(5))
@in_loop
async def test_a_slot_that_comes_when_its_client_leaves_is_not_lost(steps: int) -> None:
    lane = HeavyLane(1, most_queued=100, most_work=1000)

    async def enter(work: Work) -> None:
        await lane.slot(work)
        await asyncio.sleep(60)

    async def request(client: str) -> None:
        with lane.entry(client, 1) as work:
            await enter(work)

    running = asyncio.create_task(request("a"))
    leaving = asyncio.create_task(request("b"))
    await asyncio.sleep(0.01)
    running.cancel()
    for _ in range(steps):
        await asyncio.sleep(0)
    leaving.cancel()
    await asyncio.gather(running, leaving, return_exceptions=True)
    assert (lane.running, lane.waiting) == (0, 0)
    assert lane.expected_wait("c") == 0


@in_loop
async def test_the_expected_wait_follows_how_fast_work_advances() -> None:
    lane = HeavyLane(1, most_queued=100, most_work=1000)
    for _ in range(30):
        with lane.entry("a", 0.01) as work:
            await lane.slot(work)
            await asyncio.sleep(0.05)
            work.is_whole = True
    with ExitStack() as block:
        await filled(lane, block, "ab", 1)
        assert lane.expected_wait("c") > 8
