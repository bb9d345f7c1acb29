"""Which heavy requests run, wait or are refused."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, TypeVar

import pytest

from webapp.server.queues import HeavyLane, Refused, Work

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run in a new thread, since in that of the tests Playwright leaves an event loop running."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


async def filled(lane: HeavyLane, block: ExitStack, requests: str, seconds: float) -> list[Work]:
    """Enter a request for each letter, the name of its client, and start those that have a slot."""
    works = [block.enter_context(lane.entry(client, seconds)) for client in requests]
    for work in works:
        block.callback(asyncio.ensure_future(lane.slot(work)).cancel)
    await asyncio.sleep(0.01)
    return works


def started(works: list[Work]) -> str:
    return "".join(work.client for work in works if work.begun is not None)


def test_a_client_has_half_of_the_slots_while_others_wait() -> None:
    async def scenario() -> None:
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

    run(scenario())


def test_a_request_that_would_wait_too_long_is_refused() -> None:
    async def scenario() -> None:
        lane = HeavyLane(2, most_queued=10, most_work=1000)
        with ExitStack() as block:
            assert lane.refusal("a", 500) is None  # a free slot: it does not wait
            await filled(lane, block, "abcde", 6)
            assert 14 < lane.expected_wait("x") <= 15
            assert lane.refusal("x", 6) == Refused("busy", 10)

    run(scenario())


def test_a_client_with_a_long_queue_does_not_fill_it_for_others() -> None:
    async def scenario() -> None:
        lane = HeavyLane(2, most_queued=10, most_work=1000)
        with ExitStack() as block:
            await filled(lane, block, "aaaaaaaa", 4)
            assert lane.refusal("a", 4)
            assert lane.refusal("b", 4) is None
            assert lane.expected_wait("b") < 7

    run(scenario())


def test_the_work_of_one_client_is_limited() -> None:
    async def scenario() -> None:
        lane = HeavyLane(4, most_queued=100, most_work=20)
        with ExitStack() as block:
            assert lane.refusal("a", 30) is None  # alone, it is limited by its time only
            await filled(lane, block, "aaa", 6)
            assert lane.refusal("a", 2) is None
            assert lane.refusal("a", 3) == Refused("much", 2)
            assert lane.refusal("b", 3) is None

    run(scenario())


def test_requests_that_turn_out_heavy_take_the_next_slots() -> None:
    async def scenario() -> None:
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

    run(scenario())


@pytest.mark.parametrize("steps", range(5))
def test_a_slot_that_comes_when_its_client_leaves_is_not_lost(steps: int) -> None:
    async def scenario() -> None:
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

    run(scenario())


def test_the_expected_wait_follows_how_fast_work_advances() -> None:
    async def scenario() -> None:
        lane = HeavyLane(1, most_queued=100, most_work=1000)
        for _ in range(30):
            with lane.entry("a", 0.01) as work:
                await lane.slot(work)
                await asyncio.sleep(0.05)
                work.is_whole = True
        with ExitStack() as block:
            await filled(lane, block, "ab", 1)
            assert lane.expected_wait("c") > 8

    run(scenario())
