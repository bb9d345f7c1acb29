"""The pool of workers: starts them in advance, assigns one to each request and replaces those that end."""

from __future__ import annotations

import asyncio
import json
import logging
import multiprocessing
import os
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from typing import Any
from weakref import WeakSet

from webapp.observing.report import resident_bytes
from webapp.processes import HAS_FORK
from webapp.server import worker
from webapp.server.limits import INTERVAL, MOST_TOGETHER
from webapp.server.queues import FairQueue
from webapp.server.worker import LENGTH_BYTES, frame, payload_length


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

    def __init__(self, process: BaseProcess, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
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


log = logging.getLogger(__name__)

# The pause between a failed start of a worker and the next attempt, in seconds.
PAUSE = 1.0
# How many workers the pool may start beyond `size`, at least.
LEAST_EXTRA = 4
# How many light requests run at once beyond the number of processors: some wait for the database, for example.
EXTRA_LIGHT = 2
# Workers beyond `size` end when they have not been needed for this time, in seconds.
SURPLUS_SECONDS = 10.0
# The open files with which the front starts: about 12 for each of 16 workers or more, and those of connections.
LEAST_FILES = 1_024


class Pool:
    """`size` workers, and up to `most` while some of them are occupied for long.

    At most `heavy_slots` requests are heavy by estimate, and others turn out heavy. Besides their workers there are
    always `light_workers` others, which the pool starts when it needs them.

    The pool prefers the worker that was used last: its caches are warm, and spare ones stay small. Heavy requests go to
    workers that have handled heavy ones before, so that few workers use much memory.

    Clients take turns, and none of them occupies the last `light_workers` of the workers that the pool may start for
    long.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self.heavy_slots = heavy_slots(size)
        self.light_workers = max(size - self.heavy_slots, size // 2, (os.cpu_count() or 1) + 1)
        self._context: Any = multiprocessing.get_context("forkserver" if HAS_FORK else "spawn")
        if HAS_FORK:
            self._context.set_forkserver_preload(["webapp.server.application", "webapp.server.worker"])
        self._most = most_workers(size)
        # What counts as a client's are workers occupied for long. The others are free again in a moment.
        self._queue: FairQueue[Worker] = FairQueue(most_each=self._most - self.light_workers, is_open=self._may_start)
        self._busy: dict[Worker, str] = {}
        self._starting: set[asyncio.Task[None]] = set()
        self._closed = False
        self._all: WeakSet[Worker] = WeakSet()
        self._last_needed = 0.0  # when all workers were needed

    @property
    def has_waiting(self) -> bool:
        """Whether a request waits for a worker."""
        return not self._queue.is_empty

    def clients_before(self, client: str) -> int | None:
        """How many clients have a turn before a new request of `client`; None if requests of its own wait already."""
        return self._queue.clients_before(client)

    def process_ids(self) -> list[int]:
        """The process ids of the workers that live; one that was killed may need a moment to end."""
        alive = [found.process for found in list(self._all) if found.is_connected and found.process.is_alive()]
        return [process.pid for process in alive if process.pid]

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

    def take(self, client: str, *, heavy: bool = False) -> Worker | None:
        """A free worker for `client`; None if the client has to wait."""
        while found := self._queue.take(client, last=heavy):
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
        self._end(found)
        if not found.is_connected:
            self._discard(found)
        elif self._is_surplus():
            found.kill()
        else:
            self._queue.put(found, last=found.has_grown)

    def kill(self, found: Worker) -> None:
        """Kill a worker in the middle of a request, and start another one."""
        self._end(found)
        self._discard(found)

    def mark_long(self, found: Worker) -> None:
        """Count a busy worker as occupied for long, and start another one if there are too few for light requests."""
        if not found.is_long:
            found.is_long = True
            self._queue.hold(self._busy[found])
            self._fill()
            self._queue.serve()

    def _may_start(self, arriving: int) -> bool:
        """Whether another light request may start, beside those that run and `arriving` ones.

        More of them than there are processors would only delay each other, and spread to more workers.
        """
        running = sum(not found.is_long for found in self._busy)
        return running + arriving < (os.cpu_count() or 1) + EXTRA_LIGHT

    def _end(self, found: Worker) -> None:
        """Record that the client does not have the worker any more."""
        client = self._busy.pop(found)
        if found.is_long:
            found.is_long = False
            self._queue.give_back(client)
        self._queue.serve()

    def _assign(self, found: Worker, client: str) -> bool:
        """Record that `client` has the worker, and return True; False if the worker has ended meanwhile."""
        if found.is_connected:
            self._busy[found] = client
        else:
            self._discard(found)
        self._queue.give_back(client)
        return found in self._busy

    def _discard(self, found: Worker) -> None:
        found.kill()
        self._fill()

    def _wanted(self) -> int:
        """The number of workers that the requests of this moment need."""
        long = sum(found.is_long for found in self._busy)
        return min(max(self._size, long + self.light_workers), self._most)

    def _alive(self) -> int:
        return self._queue.free + len(self._busy) + len(self._starting)

    def _is_surplus(self) -> bool:
        """Whether one more worker than needed has been alive for a while, besides those in the pool."""
        now = time.monotonic()
        if self._alive() < self._wanted():
            self._last_needed = now
        return self._alive() >= self._size and now - self._last_needed > SURPLUS_SECONDS

    def _fill(self) -> None:
        """Start the workers that are missing."""
        while self._alive() < self._wanted() and not self._closed:
            self._last_needed = time.monotonic()
            self._replace()

    def _replace(self) -> None:
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
                if task := asyncio.current_task():
                    self._starting.discard(task)
                self._queue.put(found)
                return

    async def _started(self) -> tuple[Worker, ServerSettings]:
        """Start a worker; return it with the site's settings, or raise WorkerGoneError if it cannot load the site."""
        own, theirs = socket.socketpair()
        process = self._context.Process(target=worker.run, args=(theirs,), daemon=True)
        try:
            # In a thread, because the first start also starts the fork server and loads the site, which takes seconds.
            await asyncio.to_thread(process.start)
            reader, writer = await getattr(asyncio, "open_unix_connection", asyncio.open_connection)(sock=own)
        except (OSError, EOFError):
            own.close()
            raise WorkerGoneError from None
        except asyncio.CancelledError:
            own.close()  # the thread may still start the worker, which then ends because its socket is closed
            raise
        finally:
            theirs.close()
        found = Worker(process, reader, writer)
        self._all.add(found)
        try:
            return found, ServerSettings(**json.loads(await found.receive()))
        except (WorkerGoneError, asyncio.CancelledError):
            found.kill()
            raise


def pool_size() -> int:
    """The number of workers: `WEB_CONCURRENCY`, or `default_pool_size`; at least two.

    Raises ValueError, with a message for the operator, if the setting is no number above 0.
    """
    given = os.environ.get("WEB_CONCURRENCY") or str(default_pool_size())
    if not given.isascii() or not given.isdecimal() or int(given) < 1:
        raise ValueError(f"WEB_CONCURRENCY must be a whole number above 0, not {given!r}")
    return max(int(given), 2)


def most_workers(size: int) -> int:
    """How many workers the pool runs while heavy requests occupy some of its `size` workers for long."""
    return max(2 * size, size + LEAST_EXTRA)


def default_pool_size() -> int:
    """The number of workers without a setting: four for each core, at most 16."""
    return min(4 * (os.cpu_count() or 1), 16)


def heavy_slots(size: int) -> int:
    """The number of heavy requests that run at once: one more than there are cores, so that these are used.

    At most half of `size`, the number of workers. With fewer workers than two for each core, it may be all of them: the
    pool then starts others for light requests.
    """
    cores = os.cpu_count() or 1
    return max(min(cores + 1, size // 2), min(cores, size))


class MemoryWatch:
    """Watches how much the workers have grown since they began with their requests."""

    def __init__(self) -> None:
        self._before: dict[Worker, int] = {}
        self._next: asyncio.TimerHandle | None = None

    def begin(self, worker: Worker) -> None:
        """Watch a worker that begins with a request."""
        self._before[worker] = resident_bytes(worker.process.pid or 0)
        self._next = self._next or asyncio.get_running_loop().call_later(INTERVAL, self._check)

    def end(self, worker: Worker) -> None:
        """Stop watching it."""
        self._before.pop(worker, None)

    def _check(self) -> None:
        grown = {worker: resident_bytes(worker.process.pid or 0) - before for worker, before in self._before.items()}
        if sum(grown.values()) > MOST_TOGETHER:
            largest = max(grown, key=lambda worker: grown[worker])
            largest.is_too_large = True
            largest.kill()
            self.end(largest)
        self._next = asyncio.get_running_loop().call_later(INTERVAL, self._check) if self._before else None
