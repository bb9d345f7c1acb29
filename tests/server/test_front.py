"""The front when workers and time limits come at the same moment."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar, cast

import pytest

from webapp.server.body import Body
from webapp.server.front import Front
from webapp.server.pool import Pool, ServerSettings, Worker

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run in a new thread, since in that of the tests Playwright leaves an event loop running."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


@pytest.mark.parametrize("end", ["cancelled", "client left"])
@pytest.mark.parametrize("steps", range(6))
def test_a_worker_that_comes_when_the_wait_ends_is_not_lost(end: str, steps: int) -> None:
    async def scenario() -> None:
        pool = Pool(1)
        front = Front(pool)
        left = asyncio.get_running_loop().create_future()
        acquiring = asyncio.create_task(front._acquire("a", left, first=False))
        await asyncio.sleep(0.01)
        pool._queue.put(Worker(cast("Any", None), asyncio.StreamReader(), cast("Any", None)))
        for _ in range(steps):
            await asyncio.sleep(0)
        if end == "cancelled":
            acquiring.cancel()
        else:
            left.set_result(None)
        (found,) = await asyncio.gather(acquiring, return_exceptions=True)
        await asyncio.sleep(0.01)
        if isinstance(found, Worker):
            pool.release(found)
        assert pool.take("a") is not None

    run(scenario())


def test_the_plain_message_arrives_whole() -> None:
    """It is sent when no worker is free, not even for the page about the timeout."""

    async def scenario() -> list[Any]:
        front = Front(Pool(1))
        front._settings = ServerSettings(max_body_bytes=1_000, max_request_seconds=0, proxies=0)
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": "/",
            "raw_path": b"/",
            "query_string": b"",
            "headers": [(b"host", b"localhost")],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
        }
        received = iter([{"type": "http.request", "body": b"", "more_body": False}])
        sent = []

        async def receive() -> Any:
            message = next(received, None)
            if message is None:
                await asyncio.sleep(60)
            return message

        async def send(message: Any) -> None:
            sent.append(message)

        await front(scope, receive, send)
        return sent

    start, *parts = run(scenario())
    assert start["status"] == 503
    assert b"".join(part["body"] for part in parts) == b"The site did not answer in time. Try again in a minute.\n"
    assert parts[-1]["more_body"] is False


@pytest.mark.parametrize(
    ("method", "path", "announced", "length", "stored"),
    [
        ("POST", "/", None, 900, 900),
        ("POST", "/", None, 1_100, 0),
        ("POST", "/", 1_100, 100, 0),  # what is announced is enough to store nothing
        ("POST", "/corpus", 4_900, 4_900, 4_900),
        ("POST", "/corpus", None, 5_100, 0),
        ("GET", "/corpus", None, 1_100, 0),
        ("POST", "/corpus/more", None, 1_100, 0),
    ],
)
def test_one_address_takes_large_bodies(
    method: str, path: str, announced: int | None, length: int, stored: int
) -> None:
    front = Front(Pool(1))
    large = {"/corpus": 5_000}
    front._settings = ServerSettings(max_body_bytes=1_000, max_request_seconds=0, proxies=0, large_bodies=large)
    headers = [] if announced is None else [(b"content-length", str(announced).encode())]
    parts = [b"x" * min(100, length - start) for start in range(0, length, 100)]

    async def receive() -> Any:
        return {"type": "http.request", "body": parts.pop(), "more_body": bool(parts)}

    body = Body()
    refusal = run(front._read({"method": method, "path": path, "headers": headers}, receive, body))
    assert refusal is None
    assert (body.size, body.stored) == (length, stored)
    body.close()
