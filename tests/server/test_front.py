"""The front without workers: its plain messages, its observers and its own pages; and what requests cost."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from tests.server.conftest import run
from webapp.observing.report import RequestRecord
from webapp.server.buffers import BufferedBody
from webapp.server.costs import Costs
from webapp.server.front import Front, Observer
from webapp.server.pool import Pool, ServerSettings


async def responses(
    front: Front, *messages: Any, headers: Sequence[tuple[bytes, bytes]] = (), peer: str = "192.0.2.7"
) -> list[Any]:
    """Send `front` a request with these messages, and return what it sends."""
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": "/",
        "raw_path": b"/",
        "query_string": b"text=secret",
        "headers": [(b"host", b"localhost"), (b"x-request-id", b"4f2a"), *headers],
        "client": (peer, 1),
        "server": ("127.0.0.1", 80),
    }
    received = iter(messages)
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


WHOLE = {"type": "http.request", "body": b"abc", "more_body": False}


def configured(observers: list[Observer]) -> Front:
    front = Front(Pool(1), observers)
    front.configure(ServerSettings(max_body_bytes=1_000, max_request_seconds=0, proxies=0))
    return front


def test_the_plain_message_arrives_whole() -> None:
    """It is sent when no worker is free, not even for the page about the timeout."""

    async def scenario() -> list[Any]:
        return await responses(configured([]), WHOLE)

    start, *parts = run(scenario())
    assert start["status"] == 503
    assert b"".join(part["body"] for part in parts) == b"The site did not answer in time. Try again in a minute.\n"
    assert parts[-1]["more_body"] is False


def test_observers_are_told_of_each_request_even_if_one_fails() -> None:
    told: list[RequestRecord] = []

    def failing(finished: RequestRecord) -> None:
        raise ValueError(finished.id)

    async def scenario() -> None:
        await responses(configured([failing, told.append]), WHOLE)
        await responses(configured([failing, told.append]), WHOLE, {"type": "http.disconnect"})

    run(scenario())
    stopped, left = told
    assert (stopped.id, stopped.method, stopped.status) == ("4f2a", "GET", 503)
    assert (stopped.refused, stopped.lane, stopped.client) == ("time", "light", "192.0.2.7")
    assert (stopped.received_bytes, stopped.sent_bytes) == (3, 56)
    assert "secret" not in repr(told)
    assert left.total_seconds >= 0


@pytest.mark.parametrize(
    ("proxies", "peer", "forwarded", "asked"),
    [
        (0, "::1", [], ["::1"]),  # an address, not the network that rate limits use
        (1, "10.0.0.1", [b"203.0.113.9, 2001:db8::5"], ["2001:db8::5"]),
        (2, "10.0.0.1", [b"203.0.113.9, 198.51.100.2", b"10.0.0.2"], ["198.51.100.2"]),  # each proxy adds a header
        (0, "127.0.0.1", [b"203.0.113.9"], []),  # through a proxy that the settings do not count
    ],
)
def test_pages_of_the_front_are_told_who_asks(
    proxies: int, peer: str, forwarded: list[bytes], asked: list[str]
) -> None:
    found: list[str] = []

    async def page(scope: Any, address: str) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        found.append(address)
        return 200, [], b"own"

    async def scenario() -> list[Any]:
        front = Front(Pool(1), own_pages={"/": page})
        front.configure(ServerSettings(max_body_bytes=1_000, max_request_seconds=0, proxies=proxies))
        headers = [(b"x-forwarded-for", value) for value in forwarded]
        return await responses(front, WHOLE, headers=headers, peer=peer)

    start, *_ = run(scenario())
    assert (found, start["status"]) == (asked, 200 if asked else 503)


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
    front.configure(ServerSettings(max_body_bytes=1_000, max_request_seconds=0, proxies=0, large_bodies=large))
    headers = [] if announced is None else [(b"content-length", str(announced).encode())]
    parts = [b"x" * min(100, length - start) for start in range(0, length, 100)]

    async def receive() -> Any:
        return {"type": "http.request", "body": parts.pop(), "more_body": bool(parts)}

    body = BufferedBody()
    refusal = run(front._read({"method": method, "path": path, "headers": headers}, receive, body))
    assert refusal is None
    assert (body.size, body.stored) == (length, stored)
    body.close()


@pytest.mark.parametrize(
    "tokenizer", [b'{"vocabulary":"v"}', b'{"algorithm":"a"}', b'{"algorithm":"a","vocabulary":"v"}']
)
def test_each_tokenizer_of_a_json_request_counts(tokenizer: bytes) -> None:
    environment = {"REQUEST_METHOD": "POST", "PATH_INFO": "/api/v1/measures", "QUERY_STRING": ""}

    def estimate(count: int) -> float:
        body = b'{"tokenizers":[' + b",".join([tokenizer] * count) + b"]}"
        return Costs().estimate(environment, body, 1_000_000)[1]

    assert estimate(6) == pytest.approx(6 * estimate(1), rel=0.01)
