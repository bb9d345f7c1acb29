"""The front's end of a worker process."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerProcess

from webapp.server.frames import LENGTH_BYTES, frame, payload_length


class WorkerGoneError(Exception):
    """A worker ended in the middle of a request."""


@dataclass(frozen=True)
class ServerSettings:
    """The settings of the site that the front needs; `large_bodies` are addresses whose POST has its own limit."""

    max_body_bytes: int
    max_request_seconds: int
    proxies: int
    max_queue_seconds: int = 10
    max_work_seconds: int = 60
    large_bodies: Mapping[str, int] = field(default_factory=dict)

    def most_bytes(self, method: str, path: str) -> int:
        """The longest body of a request that the front stores, in bytes."""
        return self.large_bodies.get(path, self.max_body_bytes) if method == "POST" else self.max_body_bytes


class Worker:
    """A worker process and the front's end of its socket.

    `is_long` says that its request is heavy or takes long, `has_grown` that it has handled a heavy request, and
    `is_too_large` that it was killed for the memory that its request took.
    """

    def __init__(self, process: ForkServerProcess, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.process = process
        self.is_long = self.has_grown = self.is_too_large = False
        self._reader = reader
        self._writer = writer

    async def send(self, *payloads: bytes) -> None:
        """Send each payload as a frame; raises WorkerGoneError if the worker has ended."""
        try:
            self._writer.writelines([frame(payload) for payload in payloads])
            await self._writer.drain()
        except OSError:
            raise WorkerGoneError from None

    async def receive(self) -> bytes:
        """The payload of the next frame; raises WorkerGoneError if the worker has ended."""
        try:
            return await self._reader.readexactly(payload_length(await self._reader.readexactly(LENGTH_BYTES)))
        except (asyncio.IncompleteReadError, OSError):
            raise WorkerGoneError from None

    def kill(self) -> None:
        """Kill the process immediately, even in the middle of a request."""
        if self.process.is_alive():
            self.process.kill()
        self._writer.close()

    @property
    def is_connected(self) -> bool:
        """Whether the process still holds its end of the socket."""
        return not self._reader.at_eof()
