"""Buffers between clients and workers: the body of a request, and the response on its way to the client.

Both are in memory up to a megabyte, and then in a file. Neither a slow sender nor a slow reader occupies a worker.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from tempfile import NamedTemporaryFile, TemporaryFile
from typing import IO, Any

from webapp.observing.finished import RequestRecord

log = logging.getLogger(__name__)

MOST_IN_MEMORY = 1 << 20  # bytes of one spool; further bytes wait in a temporary file
CHUNK = 1 << 16  # bytes read from the file at once


class Spool:
    """A queue of bytes: `write` waits only while the disk is full, and `chunks` waits for more until `end`.

    `Spool.held` counts the bytes in all spools, so that writers can pause while it is too high.
    """

    held = 0

    def __init__(self) -> None:
        self._memory: deque[bytes] = deque()
        self._in_memory = 0
        self._file: IO[bytes] | None = None
        self._written = self._read = 0  # positions in the file
        self._ended = self._is_full = False
        self._changed = asyncio.Event()
        self._taken = asyncio.Event()

    async def write(self, data: bytes) -> None:
        """Append `data`; what finds no room on the disk waits until the client has read enough of the rest."""
        while data:
            # While the file has unread bytes, new ones must follow them there.
            is_short = self._in_memory + len(data) <= MOST_IN_MEMORY or not self._memory
            stored = self.put(data) if is_short and self._read == self._written else self._stored(data)
            data = data[stored:]
            if data:
                self._taken.clear()
                await self._taken.wait()

    def put(self, data: bytes) -> int:
        """Append `data` in memory; return its length."""
        self._memory.append(data)
        self._in_memory += len(data)
        Spool.held += len(data)
        self._changed.set()
        return len(data)

    def _stored(self, data: bytes) -> int:
        """Append to the file as much of `data` as the disk takes; return how many bytes."""
        stored, why = 0, "the disk took only a part"
        try:
            self._file = self._file or TemporaryFile(prefix="tokenscope-", buffering=0)  # noqa: SIM115 (see `close`)
            stored = os.pwrite(self._file.fileno(), data, self._written)
        except OSError as error:
            why = error.strerror or str(error)
        if stored < len(data) and not self._is_full:
            log.warning("A long response waits for its client, because it cannot be stored: %s", why)
            self._is_full = True
        self._written += stored
        Spool.held += stored
        self._changed.set()
        return stored

    def end(self) -> None:
        """Mark the end: there will be no more writes."""
        self._ended = True
        self._changed.set()

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the written bytes in order, and remove them from the queue."""
        while True:
            if self._memory:
                data = self._memory.popleft()
                self._in_memory -= len(data)
            elif self._file is not None and self._read < self._written:
                data = os.pread(self._file.fileno(), CHUNK, self._read)
                self._read += len(data)
            elif self._ended:
                return
            else:
                self._changed.clear()
                await self._changed.wait()
                continue
            Spool.held -= len(data)
            self._taken.set()
            yield data

    def close(self) -> None:
        """Release the memory and delete the file."""
        Spool.held -= self._in_memory + self._written - self._read
        self._in_memory = self._written = self._read = 0
        self._memory.clear()
        if self._file is not None:
            self._file.close()


# The worker receives bodies up to this length in bytes over the socket, and longer ones as a file.
MOST_OVER_SOCKET = 1 << 20


class Body:
    """The body of a request, in memory or in a named file that a worker can open."""

    held = 0  # bytes of all bodies together

    def __init__(self) -> None:
        self.size = 0
        self.stored = 0
        self._memory = bytearray()
        self._file: Any = None

    def write(self, data: bytes) -> None:
        """Append `data`; raises OSError if the disk is full."""
        Body.held += len(data)
        self.stored += len(data)
        if self._file is None and len(self._memory) + len(data) > MOST_OVER_SOCKET:
            self._file = NamedTemporaryFile(prefix="tokenscope-")  # noqa: SIM115 (closed by `close`)
            self._file.write(self._memory)
            self._memory.clear()
        if self._file is None:
            self._memory += data
        else:
            self._file.write(data)
            self._file.flush()

    def drop(self) -> None:
        """Discard the content: the body is too long for any page."""
        self.close()
        self._file, self._memory = None, bytearray()

    def close(self) -> None:
        """Release the memory and delete the file."""
        Body.held -= self.stored
        self.stored = 0
        if self._file is not None:
            with suppress(OSError):  # the disk is full, and nobody needs the file any more
                self._file.close()

    def for_worker(self) -> tuple[bytes, str]:
        """The content and an empty path, or no content and the path of the file."""
        if self._file is None:
            return bytes(self._memory), ""
        return b"", self._file.name


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


async def send_answer(answer: Answer, send: Send, request: RequestRecord) -> None:
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


async def send_plainly(send: Send, status: int, sentence: str, request: RequestRecord) -> None:
    """Send a plain message of the front, then let the connection close."""
    await send_own(send, status, [*PLAIN_TEXT, (b"connection", b"close")], sentence.encode(), request)


async def send_own(
    send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes, request: RequestRecord
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
