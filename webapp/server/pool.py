"""The workers: started ahead of time, one for each request, replaced when one ends."""

from __future__ import annotations

import asyncio
import json
import logging
import multiprocessing
import os
import socket
from dataclasses import dataclass
from multiprocessing.context import ForkServerContext, ForkServerProcess

from webapp.server import worker
from webapp.server.fair_queue import FairQueue
from webapp.server.frames import LENGTH_BYTES, frame, payload_length

log = logging.getLogger(__name__)

# So long after a start that failed, in seconds, the next is tried.
PAUSE = 1.0


class WorkerGoneError(Exception):
    """A worker ended in the middle of a request."""


@dataclass(frozen=True)
class ServerSettings:
    """What the front needs to know of the site's settings."""

    max_body_bytes: int
    max_request_seconds: int
    proxies: int


class Worker:
    """The front's side of one worker."""

    def __init__(self, process: ForkServerProcess, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.process = process
        self._reader = reader
        self._writer = writer

    async def send(self, *payloads: bytes) -> None:
        """Send frames; raises WorkerGoneError."""
        try:
            self._writer.writelines([frame(payload) for payload in payloads])
            await self._writer.drain()
        except OSError:
            raise WorkerGoneError from None

    async def receive(self) -> bytes:
        """The next frame's payload; raises WorkerGoneError."""
        try:
            return await self._reader.readexactly(payload_length(await self._reader.readexactly(LENGTH_BYTES)))
        except (asyncio.IncompleteReadError, OSError):
            raise WorkerGoneError from None

    def kill(self) -> None:
        """End the process at once, whatever it is doing."""
        if self.process.is_alive():
            self.process.kill()
        self._writer.close()

    @property
    def is_connected(self) -> bool:
        """Whether the process still holds its end of the connection."""
        return not self._reader.at_eof()


class Pool:
    """`size` workers. The one that was used last is used next: its caches are warm, and spare ones stay small.

    No client has more than half of them at once.
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
        """Start the workers; raises WorkerGoneError when the site cannot be loaded."""
        first, settings = await self._started()
        self._queue.put(first)
        for _ in range(self._size - 1):
            self._replace()
        return settings

    def close(self) -> None:
        """End all workers. Those in the middle of a request finish it for nobody."""
        self._closed = True
        for task in self._starting:
            task.cancel()
        for found in [*self._queue.drain(), *self._busy]:
            found.kill()

    def take(self, client: str) -> Worker | None:
        """A worker for `client` that has nothing to do; None where it has to wait."""
        while found := self._queue.take(client):
            if self._is_given(found, client):
                return found
        return None

    async def acquire(self, client: str, *, first: bool = False) -> Worker:
        """A worker for `client`, when it is its turn; a request that is `first` goes before all others."""
        while True:
            found = await self._queue.get(client, first=first)
            if self._is_given(found, client):
                return found

    def release(self, found: Worker) -> None:
        """Take back a worker that has answered."""
        client = self._busy.pop(found)
        if found.is_connected:
            self._queue.put(found)
        else:
            self._discard(found)
        self._queue.give_back(client)

    def kill(self, found: Worker) -> None:
        """End a worker in the middle of its work, and start another."""
        client = self._busy.pop(found)
        self._discard(found)
        self._queue.give_back(client)

    def _is_given(self, found: Worker, client: str) -> bool:
        """Note that `client` has the worker, unless it has ended meanwhile."""
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
                log.error("A worker did not start; the next is tried in %s s", PAUSE)
                await asyncio.sleep(PAUSE)
            else:
                self._queue.put(found)
                return

    async def _started(self) -> tuple[Worker, ServerSettings]:
        """A new worker that has loaded the site, and the site's settings; raises WorkerGoneError."""
        own, theirs = socket.socketpair()
        process = self._context.Process(target=worker.run, args=(theirs,), daemon=True)
        try:
            # In a thread: where the process that workers are forked from has to start first, that takes seconds.
            await asyncio.to_thread(process.start)
        except (OSError, EOFError):
            own.close()
            raise WorkerGoneError from None
        finally:
            theirs.close()
        reader, writer = await asyncio.open_unix_connection(sock=own)
        found = Worker(process, reader, writer)
        try:
            return found, ServerSettings(**json.loads(await found.receive()))
        except WorkerGoneError:
            found.kill()
            raise


def pool_size() -> int:
    """How many workers there are: `WEB_CONCURRENCY`, or four for each core and at most 16."""
    return int(os.environ.get("WEB_CONCURRENCY") or min(4 * (os.cpu_count() or 1), 16))
