"""The pool of workers: light and heavy ones, started in advance, assigned to requests, watched and replaced."""

import asyncio
import json
import logging
import math
import multiprocessing
import os
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.process import BaseProcess
from typing import Any, Literal

from webapp.observing.report import RequestRecord
from webapp.processes import HAS_FORK, LENGTH_BYTES, has_proc, lower, memory, resident_bytes, thread_times
from webapp.server import worker
from webapp.server.queues import FairQueue

log = logging.getLogger(__name__)

WorkerLane = Literal["light", "heavy"]
LANES: tuple[WorkerLane, WorkerLane] = ("light", "heavy")
CORES = os.cpu_count() or 1
# The pause between a failed start of a worker and the next attempt, in seconds.
PAUSE = 1.0
# How many workers the pool may start beyond `size`, at least.
LEAST_EXTRA = 4
# How many light requests run at once beyond the number of processors: some wait for the database, for example.
EXTRA_LIGHT = 2
# A light request that has used this much processor time turns out heavy, in seconds.
MOST_LIGHT_SECONDS = 0.3
# A request that has neither used nor waited for a processor for this time is waiting for something else, in seconds.
BLOCKED_SECONDS = 0.5
# Workers beyond the usual number end when none has been started for this time, in seconds.
SURPLUS_SECONDS = 10.0
# The open files with which the front starts: about 12 for each of 16 workers or more, and those of connections.
LEAST_FILES = 1_024
# The most that the running requests may take together, in bytes; and the interval between two looks, in seconds. With
# two workers, a site without requests has 670 MB.
MOST_TOGETHER, LOOK_SECONDS = 530 << 20, 0.05


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


class PoolWorker:
    """A worker process and the front's end of its socket.

    `home` is its lane while it is free. While it is busy, `thread` works on `request` for `client`, and `seconds` is
    the estimate. `is_blocked` says that the request waits for something else than a processor, and `is_too_large` that
    it was killed for its memory.
    """

    request: RequestRecord
    client = ""
    thread = bytes_before = 0
    seconds = begun = 0.0
    is_blocked = is_too_large = False

    def __init__(
        self, process: BaseProcess, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, home: WorkerLane
    ) -> None:
        self.process = process
        self.home = self.lane = home
        self._reader, self._writer = reader, writer

    def begin(self, client: str) -> None:
        """Measure from now on what a request of the client takes."""
        self.client, self.begun, self.bytes_before = client, time.monotonic(), self.resident_bytes
        self.lane, self.thread, self.is_blocked = self.home, 0, False

    def times(self) -> tuple[float, float]:
        """The processor time of the request so far, and the time that it waited for something else, in seconds."""
        elapsed = time.monotonic() - self.begun
        if not has_proc():
            return elapsed, 0.0
        used, queued = thread_times(self.process.pid, self.thread) or (0.0, elapsed)
        return used, elapsed - used - queued

    async def send(self, *payloads: bytes) -> None:
        """Send each payload as a frame; raises WorkerGoneError if the worker has ended."""
        try:
            for payload in payloads:
                self._writer.write(len(payload).to_bytes(LENGTH_BYTES, "big") + payload)
            await self._writer.drain()
        except OSError:
            raise WorkerGoneError from None

    async def receive(self) -> bytes:
        """The payload of the next frame; raises WorkerGoneError if the worker has ended."""
        try:
            prefix = await self._reader.readexactly(LENGTH_BYTES)
            return await self._reader.readexactly(int.from_bytes(prefix, "big"))
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

    @property
    def resident_bytes(self) -> int:
        """The memory of the process."""
        return resident_bytes(self.process.pid or 0)


class Pool:
    """Two pools of workers: light ones, and heavy ones with the lowest priority.

    As many heavy requests run as there are heavy workers. When a light request has turned out heavy, or waits for
    something else than a processor, and another one needs its worker, the pool starts one more. There may be `most`
    workers at once, and no client occupies the light ones for long.

    A request gets the free worker that was used last: its caches are warm, and spare ones stay small.
    """

    def __init__(self, size: int) -> None:
        # One more heavy request than there are cores, so that these are used, and at most half of the workers. With
        # fewer workers than two for each core, there are more workers than `size`.
        heavy = max(min(CORES + 1, size // 2), min(CORES, size))
        self.sizes: dict[WorkerLane, int] = {"light": max(size - heavy, size // 2, CORES + 1), "heavy": heavy}
        self._most = most_workers(size)
        self._context: Any = multiprocessing.get_context("forkserver" if HAS_FORK else "spawn")
        if HAS_FORK:
            self._context.set_forkserver_preload(["webapp.server.application", "webapp.server.worker"])
        self.queues: dict[WorkerLane, FairQueue[PoolWorker]] = {
            lane: FairQueue(partial(self._next_for, lane), self._put) for lane in LANES
        }
        self._free: dict[WorkerLane, list[PoolWorker]] = {lane: [] for lane in LANES}
        self._busy: set[PoolWorker] = set()
        self._starting: dict[asyncio.Task[None], WorkerLane] = {}
        self._extended = 0.0  # when a worker was last started beyond those
        self._is_open = False

    def memory(self) -> dict[int, tuple[int, int]]:
        """The memory of the workers that live by process id; one that was killed may need a moment to end."""
        living = [each.process for each in (*self._all_free(), *self._busy) if each.is_connected]
        return {process.pid: memory(process.pid) for process in living if process.pid and process.is_alive()}

    def running(self, lane: WorkerLane) -> list[PoolWorker]:
        """The workers of a lane that compute."""
        return [each for each in self._busy if each.lane == lane and not each.is_blocked]

    async def open(self) -> ServerSettings:
        """Start the workers; raises WorkerGoneError if the site cannot be loaded."""
        first, settings = await self._started("light")
        self._is_open = True
        self._put(first)
        return settings

    def close(self) -> None:
        """Kill all workers, including those in the middle of a request."""
        self._is_open = False
        for task in self._starting:
            task.cancel()
        for found in (*self._all_free(), *self._busy):
            found.kill()

    async def acquire(
        self, request: RequestRecord, lane: WorkerLane, seconds: float, *, first: bool = False
    ) -> PoolWorker:
        """Wait for a worker for a request with this estimate; a request with `first` goes before all others."""
        found = await self.queues[lane].get(request.client, seconds, first=first)
        found.request, found.seconds = request, seconds
        return found

    def release(self, found: PoolWorker) -> None:
        """Return a worker to the pool after it has finished a request; a surplus one, used longest ago, ends."""
        self._put(found)
        is_surplus = self._alive() > sum(self.sizes.values())
        if is_surplus and self._free[found.home] and time.monotonic() - self._extended > SURPLUS_SECONDS:
            self._free[found.home].pop(0).kill()

    def kill(self, found: PoolWorker) -> None:
        """Kill a worker, also in the middle of a request, and start another one if one is missing."""
        self._busy.discard(found)
        found.kill()
        self._serve()

    async def watch(self) -> None:
        """Look at the running requests, for ever: lower the priority of those that turn out heavy, limit the memory."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            for found in list(self._busy):
                used, blocked = found.times()
                if found.lane == "heavy":
                    continue
                if used >= MOST_LIGHT_SECONDS:
                    lower(found.thread)
                    found.lane = found.request.lane = "heavy"
                    found.is_blocked = False
                    self._serve()
                elif blocked >= BLOCKED_SECONDS and not found.is_blocked:
                    found.is_blocked = True
                    self._serve()
            grown = {found: found.resident_bytes - found.bytes_before for found in self._busy}
            if sum(grown.values()) > MOST_TOGETHER:
                largest = max(grown, key=grown.__getitem__)
                largest.is_too_large = True
                largest.kill()

    def _next_for(self, lane: WorkerLane, client: str) -> PoolWorker | None:
        """The free worker that was used last, if the client may have it now."""
        running = self.running(lane)
        if lane == "light":
            # More would only delay each other, and heavy requests of one client must leave workers for others.
            own = sum(each.client == client for each in self._busy if each.lane == "heavy" or each.is_blocked)
            if len(running) >= CORES + EXTRA_LIGHT or own >= self._most - self.sizes["light"]:
                return None
        else:
            own = sum(each.client == client for each in running)
            others = self.queues[lane].estimates().keys() - {client}
            if len(running) >= self.sizes[lane] or (others and own >= math.ceil(self.sizes[lane] / 2)):
                return None
        while self._free[lane]:
            found = self._free[lane].pop()
            if found.is_connected:
                self._busy.add(found)
                found.begin(client)
                return found
            found.kill()
            asyncio.get_running_loop().call_soon(self._serve)
        if self._ready(lane) < self.sizes[lane] and self._alive() < self._most and self._is_open:
            self._extended = time.monotonic()
            self._begin(lane)
        return None

    def _all_free(self) -> list[PoolWorker]:
        return [each for lane in LANES for each in self._free[lane]]

    def _put(self, found: PoolWorker) -> None:
        self._busy.discard(found)
        self._free[found.home].append(found)
        self._serve()

    def _alive(self) -> int:
        return len(self._all_free()) + len(self._busy) + len(self._starting)

    def _ready(self, lane: WorkerLane) -> int:
        """How many workers of a lane are free, compute or start."""
        starting = sum(each == lane for each in self._starting.values())
        return len(self._free[lane]) + len(self.running(lane)) + starting

    def _serve(self) -> None:
        """Start the workers that are missing, and give free ones to requests that wait."""
        for lane in LANES:
            while self._ready(lane) < self.sizes[lane] and self._alive() < sum(self.sizes.values()) and self._is_open:
                self._begin(lane)
            self.queues[lane].serve()

    def _begin(self, lane: WorkerLane) -> None:
        task = asyncio.get_running_loop().create_task(self._start(lane))
        self._starting[task] = lane
        task.add_done_callback(self._starting.pop)

    async def _start(self, lane: WorkerLane) -> None:
        while self._is_open:
            try:
                found, _ = await self._started(lane)
            except WorkerGoneError:
                log.error("A worker did not start; next attempt in %s s", PAUSE)
                await asyncio.sleep(PAUSE)
                continue
            self._put(found)
            return

    async def _started(self, lane: WorkerLane) -> tuple[PoolWorker, ServerSettings]:
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
        if lane == "heavy" and process.pid:
            lower(process.pid)  # its first thread, which gives the others their priority
        found = PoolWorker(process, reader, writer, lane)
        try:
            return found, ServerSettings(**json.loads(await found.receive()))
        except (WorkerGoneError, asyncio.CancelledError):
            found.kill()
            raise


def pool_size() -> int:
    """The number of workers: `WEB_CONCURRENCY`, or four for each core and at most 16; at least two.

    Raises ValueError, with a message for the operator, if the setting is no number above 0.
    """
    given = os.environ.get("WEB_CONCURRENCY") or str(min(4 * CORES, 16))
    if not given.isascii() or not given.isdecimal() or int(given) < 1:
        raise ValueError(f"WEB_CONCURRENCY must be a whole number above 0, not {given!r}")
    return max(int(given), 2)


def most_workers(size: int) -> int:
    """How many workers the pool runs while requests occupy some of its `size` workers for long."""
    return max(2 * size, size + LEAST_EXTRA)
