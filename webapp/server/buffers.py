"""Buffers between clients and workers: the body of a request, and the response on its way to the client.

Both are in memory up to a megabyte, and then in a file. Neither a slow sender nor a slow reader occupies a worker.
"""

import asyncio
import logging
import os
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from tempfile import NamedTemporaryFile, TemporaryFile
from typing import IO, Any

from webapp.observing.report import RequestRecord

log = logging.getLogger(__name__)

MOST_IN_MEMORY = 1 << 20  # bytes of one spool; further bytes wait in a temporary file
CHUNK = 1 << 16  # bytes read from the file at once
# The most bytes of all responses, and again of all bodies, that are buffered. Beyond it, workers pause, and the front
# refuses bodies. And the interval at which a paused writer looks for room, in seconds.
MOST_HELD, ROOM_SECONDS = 2_000_000_000, 0.05


class Spool:
    """A queue of bytes: `chunks` waits for more until `end`, and `write` waits while the disk is full.

    It also waits while all spools together hold more than `MOST_HELD` bytes, which `Spool.held` counts.
    """

    held = 0

    def __init__(self) -> None:
        self._memory: deque[bytes] = deque()
        self._in_memory = 0
        self._file: IO[bytes] | None = None
        self._written = self._read = 0  # positions in the file
        self._ended = self._is_full = False
        self._changed = asyncio.Event()  # for the one side that waits

    async def write(self, data: bytes) -> None:
        """Append `data`; what finds no room on the disk waits until the client has read enough of the rest."""
        while Spool.held > MOST_HELD:
            await asyncio.sleep(ROOM_SECONDS)
        while data:
            # While the file has unread bytes, new ones must follow them there.
            is_short = self._in_memory + len(data) <= MOST_IN_MEMORY or not self._memory
            stored = self.put(data) if is_short and self._read == self._written else self._stored(data)
            data = data[stored:]
            if data:
                self._changed.clear()
                await self._changed.wait()

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
            self._changed.set()
            yield data

    def close(self) -> None:
        """Release the memory and delete the file."""
        Spool.held -= self._in_memory + self._written - self._read
        self._in_memory = self._written = self._read = 0
        self._memory.clear()
        if self._file is not None:
            self._file.close()


class BufferedBody:
    """The body of a request, in memory or in a named file that a worker can open.

    `size` is what has arrived, `stored` what is kept of it.
    """

    held = 0  # bytes of all bodies together

    def __init__(self) -> None:
        self.size = self.stored = 0
        self.content = bytearray()
        self._file: Any = None

    @property
    def path(self) -> str:
        """The path of the file with the body; empty if it is in memory."""
        return self._file.name if self._file else ""

    def write(self, data: bytes) -> None:
        """Append `data`; raises OSError if the disk is full."""
        BufferedBody.held += len(data)
        self.stored += len(data)
        self.content += data
        if self._file is None and len(self.content) > MOST_IN_MEMORY:
            self._file = NamedTemporaryFile(prefix="tokenscope-")  # noqa: SIM115 (closed by `close`)
        if self._file is not None:
            self._file.write(self.content)
            self._file.flush()
            self.content.clear()

    def close(self) -> None:
        """Release the memory and delete the file; what is written later starts a new body."""
        BufferedBody.held -= self.stored
        self.stored = 0
        self.content.clear()
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):  # the disk is full, and nobody needs the file any more
                file.close()


Message = Mapping[str, Any]
Headers = list[tuple[bytes, bytes]]
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


@dataclass(eq=False)
class Exchange:
    """A request and its response, on their way between a client and the workers.

    `seconds` is the processor time of the last attempt. `has_worker` says that an attempt has begun, `is_repeated` that
    it is the second one, `stores` that the request may have stored something, and `is_cut_off` that the response is
    incomplete.
    """

    request: RequestRecord
    environment: dict[str, str] = field(default_factory=dict)
    content: bytes = b""
    head: asyncio.Future[tuple[int, Headers]] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    body: Spool = field(default_factory=Spool)
    seconds: float = 0.0
    has_worker: bool = False
    is_repeated: bool = False
    stores: bool = False
    is_cut_off: bool = False

    def fill(self, status: int, headers: Headers, content: bytes) -> None:
        """Set a response of the front itself."""
        self.head.set_result((status, headers))
        self.body.put(content)
        self.body.end()
        self.is_cut_off = False

    def fill_plainly(self, status: int, sentence: str, *headers: tuple[bytes, bytes]) -> None:
        """Set a plain message of the front as the response."""
        self.fill(status, [*PLAIN_TEXT, *(headers or [(b"retry-after", b"10")])], sentence.encode())

    async def send_response(self, send: Send) -> None:
        """Send the response at the client's pace; raises ClientGoneError if the client does not read it."""
        status, headers = await self.head
        self.request.status = status
        headers = [*headers, (b"x-request-id", self.request.id.encode())]
        await _sent(send, {"type": "http.response.start", "status": status, "headers": headers})
        is_short = int(dict(headers).get(b"content-length", PART + 1)) <= PART
        last = b""
        async for part in self.body.chunks():
            self.request.sent_bytes += len(part)
            if is_short:  # in one message, with the mark of the end
                last += part
                continue
            for start in range(0, len(part), PART):
                data = part[start : start + PART]
                await _sent(send, {"type": "http.response.body", "body": data, "more_body": True})
        if self.is_cut_off:
            raise ClientGoneError  # without a final chunk, so that the client sees an incomplete response
        await _sent(send, {"type": "http.response.body", "body": last, "more_body": False})

    def close(self) -> None:
        """Release the buffered response."""
        self.body.close()
        self.head.cancel()


async def _sent(send: Send, message: Message) -> None:
    try:
        async with asyncio.timeout(READ_SECONDS):
            await send(message)
    except TimeoutError:
        raise ClientGoneError from None
