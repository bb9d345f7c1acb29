"""The pool of workers: starts them in advance, assigns one to each request and replaces those that end."""

from __future__ import annotations

import asyncio
import json
import logging
import multiprocessing
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerContext, ForkServerProcess

from webapp.server import worker
from webapp.server.fair_queue import FairQueue
from webapp.server.frames import LENGTH_BYTES, frame, payload_length

log = logging.getLogger(__name__)

# The pause between a failed start of a worker and the next attempt, in seconds.
PAUSE = 1.0


class WorkerGoneError(Exception):
    """A worker ended in the middle of a request."""


@dataclass(frozen=True)
class ServerSettings:
    """The settings of the site that the front needs; `large_bodies` are addresses whose POST has its own limit."""

    max_body_bytes: int
    max_request_seconds: int
    proxies: int
    large_bodies: Mapping[str, int] = field(default_factory=dict)

    def most_bytes(self, method: str, path: str) -> int:
        """The longest body of a request that the front stores, in bytes."""
        return self.large_bodies.get(path, self.max_body_bytes) if method == "POST" else self.max_body_bytes


class Worker:
    """A worker process and the front's end of its socket."""

    def __init__(self, process: ForkServerProcess, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.process = process
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


class Pool:
    """`size` workers. The pool prefers the one that was used last: its caches are warm, and spare ones stay small.

    No client occupies more than half of the workers.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._context: ForkServerContext = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["webapp.server.application"])
        self._queue: FairQueue[Worker] = FairQueue(most_each=max(1, size // 2))
        self._busy: dict[Worker, str] = {}
        self._starting: set[asyncio.Task[None]] = set()
        self._closed = False

    async def open(self) -> ServerSettings:
        """Start the workers; raises WorkerGoneError if the site cannot be loaded."""
        first, settings = await self._started()
        self._queue.put(first)
        for _ in range(self._size - 1):
            self._replace()
        return settings

    def close(self) -> None:
        """Kill all workers, including those in the middle of a request."""
        self._closed = True
        for task in self._starting:
            task.cancel()
        for found in [*self._queue.drain(), *self._busy]:
            found.kill()

    def take(self, client: str) -> Worker | None:
        """A free worker for `client`; None if the client has to wait."""
        while found := self._queue.take(client):
            if self._assign(found, client):
                return found
        return None

    async def acquire(self, client: str, *, first: bool = False) -> Worker:
        """Wait for the client's turn and return a worker; a request with `first` goes before all others."""
        while True:
            found = await self._queue.get(client, first=first)
            if self._assign(found, client):
                return found

    def release(self, found: Worker) -> None:
        """Return a worker to the pool after it has finished a request."""
        client = self._busy.pop(found)
        if found.is_connected:
            self._queue.put(found)
        else:
            self._discard(found)
        self._queue.give_back(client)

    def kill(self, found: Worker) -> None:
        """Kill a worker in the middle of a request, and start another one."""
        client = self._busy.pop(found)
        self._discard(found)
        self._queue.give_back(client)

    def _assign(self, found: Worker, client: str) -> bool:
        """Record that `client` has the worker, and return True; False if the worker has ended meanwhile."""
        if found.is_connected:
            self._busy[found] = client
            return True
        self._discard(found)
        self._queue.give_back(client)
        return False

    def _discard(self, found: Worker) -> None:
        found.kill()
        self._replace()

    def _replace(self) -> None:
        if self._closed:
            return
        task = asyncio.get_running_loop().create_task(self._start())
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)

    async def _start(self) -> None:
        while not self._closed:
            try:
                found, _ = await self._started()
            except WorkerGoneError:
                log.error("A worker did not start; next attempt in %s s", PAUSE)
                await asyncio.sleep(PAUSE)
            else:
                self._queue.put(found)
                return

    async def _started(self) -> tuple[Worker, ServerSettings]:
        """Start a worker; return it with the site's settings, or raise WorkerGoneError if it cannot load the site."""
        own, theirs = socket.socketpair()
        process = self._context.Process(target=worker.run, args=(theirs,), daemon=True)
        try:
            # In a thread, because the first start also starts the fork server and loads the site, which takes seconds.
            await asyncio.to_thread(process.start)
            reader, writer = await asyncio.open_unix_connection(sock=own)
        except (OSError, EOFError):
            own.close()
            raise WorkerGoneError from None
        except asyncio.CancelledError:
            own.close()  # the thread may still start the worker, which then ends because its socket is closed
            raise
        finally:
            theirs.close()
        found = Worker(process, reader, writer)
        try:
            return found, ServerSettings(**json.loads(await found.receive()))
        except (WorkerGoneError, asyncio.CancelledError):
            found.kill()
            raise


def pool_size() -> int:
    """The number of workers: `WEB_CONCURRENCY`, or by default four for each core and at most 16."""
    return int(os.environ.get("WEB_CONCURRENCY") or min(4 * (os.cpu_count() or 1), 16))
