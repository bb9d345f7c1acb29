"""The response of a worker on its way to the client."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from webapp.server.finished import RunningRequest
from webapp.server.spool import Spool

Message = Mapping[str, Any]
Send = Callable[[Message], Awaitable[None]]

# The front sends a response in parts of `PART` bytes. A client has `READ_SECONDS` to make room for the next one.
PART = 1 << 16
READ_SECONDS = 20.0
# The headers of plain messages that the front sends itself.
PLAIN_TEXT = [
    (b"content-type", b"text/plain; charset=utf-8"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
]


class ClientGoneError(Exception):
    """The client has closed the connection, or the front closes it because the client is too slow."""


class Answer:
    """The response of a worker, as far as it has arrived."""

    def __init__(self) -> None:
        self.head: asyncio.Future[tuple[int, list[tuple[bytes, bytes]]]] = asyncio.get_running_loop().create_future()
        self.body = Spool()
        self.is_cut_off = False

    def fill_plainly(self, status: int, sentence: str) -> None:
        """Set a plain message of the front as the response."""
        self.head.set_result((status, [*PLAIN_TEXT, (b"retry-after", b"10")]))
        self.body.put(sentence.encode())

    def close(self) -> None:
        """Release the buffered body."""
        self.body.close()
        self.head.cancel()


async def send_answer(answer: Answer, send: Send, request: RunningRequest) -> None:
    """Send a response at the client's pace; raises ClientGoneError if the client does not read it."""
    status, headers = await answer.head
    request.status = status
    length = dict(headers).get(b"content-length")
    headers = [*headers, (b"x-request-id", request.id.encode())]
    await _sent(send, {"type": "http.response.start", "status": status, "headers": headers})
    if length is not None and int(length) <= PART:
        data = b"".join([part async for part in answer.body.chunks()])
        if not answer.is_cut_off:
            await _sent(send, {"type": "http.response.body", "body": data, "more_body": False})
            request.sent_bytes = len(data)
            return
    async for part in answer.body.chunks():
        for start in range(0, len(part), PART):
            data = part[start : start + PART]
            await _sent(send, {"type": "http.response.body", "body": data, "more_body": True})
            request.sent_bytes += len(data)
    if answer.is_cut_off:
        raise ClientGoneError  # without a final chunk, so that the client sees an incomplete response
    await _sent(send, {"type": "http.response.body", "body": b"", "more_body": False})


async def send_plainly(send: Send, status: int, sentence: str, request: RunningRequest) -> None:
    """Send a plain message of the front, then let the connection close."""
    await send_own(send, status, [*PLAIN_TEXT, (b"connection", b"close")], sentence.encode(), request)


async def send_own(
    send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes, request: RunningRequest
) -> None:
    """Send a response that the front has made itself."""
    request.status = status
    headers = [*headers, (b"x-request-id", request.id.encode())]
    await _sent(send, {"type": "http.response.start", "status": status, "headers": headers})
    await _sent(send, {"type": "http.response.body", "body": body, "more_body": False})
    request.sent_bytes = len(body)


async def _sent(send: Send, message: Message) -> None:
    try:
        async with asyncio.timeout(READ_SECONDS):
            await send(message)
    except TimeoutError:
        raise ClientGoneError from None
