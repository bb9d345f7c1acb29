"""Lets a worker handle a request, when it is its turn and within its time limit.

A **light** request gets the next free worker. A **heavy** one, by the estimate of `cost.py`, first waits for a slot of
the `HeavyLane`, and then runs with the lowest priority. A light request that turns out heavy continues that way.

A request whose worker ends, because it crashes or something else kills it, is sent to another worker once, unless it
may have stored something or its response has begun.

A request that cannot be handled is sent to a worker again, with the variable `STOPPED`: the worker renders a page that
says why, and contains the visitor's text. This happens after `MAX_REQUEST_SECONDS` and beyond the memory of all
requests (`MemoryWatch`), when the front has killed the worker; when a worker ended and the request is not repeated;
when the heavy lane refuses the request; and when more light requests wait than the workers can handle. The front also
kills the worker when the client disconnects.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from webapp.observing.finished import RequestRecord
from webapp.server.buffers import Answer, ClientGoneError, Spool
from webapp.server.cost import Costs
from webapp.server.limits import Watch, processor_seconds
from webapp.server.pool import MemoryWatch, Pool, ServerSettings, Worker, WorkerGoneError
from webapp.server.queues import HeavyLane, Work
from webapp.web.server_variables import COST, HEAVY, RETRY_AFTER, STOPPED, Reason

log = logging.getLogger(__name__)

T = TypeVar("T")

# Requests with a lower estimate are light, in seconds of processor time; the second number counts while light requests
# wait for workers.
LIGHT_SECONDS, PRESSED_SECONDS = 0.2, 0.08
# The longest that a light request waits for a worker, in seconds: in a moment's crowd, and when requests have been
# waiting all the time for `STANDING_SECONDS`. Then there are more than the workers can handle, and a long queue would
# only delay everybody. (Ben Maurer, Fail at Scale, ACM Queue 13 (8), 2015: "Controlled delay")
LIGHT_QUEUE_SECONDS, STANDING_QUEUE_SECONDS = 3.0, 0.3
STANDING_SECONDS = 0.5
# A client of whom nothing waits yet has its turn soon if no more than so many others wait, however many requests they
# have: it waits as in a moment's crowd.
FEW_CLIENTS = 8
# The longest that the page for a refused light request waits for a worker, and the bounds of the time after which that
# request may come again, in seconds; random, so that those refused together do not come back together.
CROWDED_SECONDS = 1.0
CROWDED_RETRY = (3, 8)
# Heavy requests come back later still: while light ones wait, no further heavy one starts.
HEAVY_CROWDED_RETRY = (5, 15)
# Health checks go before all others: a crowd is no reason to replace the server.
PROBES = ("/healthz", "/readyz")
# What the log says when a worker was stopped.
STOPPED_MESSAGES = {
    "time": "A request was stopped, because it took longer than TOKENSCOPE_MAX_REQUEST_SECONDS",
    "memory": "A request was stopped, because it took most of the memory that all requests may take together",
    "crash": "A worker ended in the middle of a request; another one replaces it",
}
# The limit for all buffered responses in bytes. Beyond it, the front pauses workers.
MOST_HELD = 2_000_000_000
# The interval at which a paused worker's exchange checks for room.
ROOM_SECONDS = 0.05
# The share of MAX_REQUEST_SECONDS that is reserved for the page about the timeout, and its bounds in seconds.
NOTICE_SHARE = 0.1
NOTICE_SECONDS = (0.5, 3.0)
# After a client disconnects, its worker has this long to finish: replacing a worker costs more than a short response.
LEFT_SECONDS = 1.0


@dataclass
class Assignment:
    """A request that a worker should handle.

    `left` is done when the client disconnects. `seconds` is the processor time that the last attempt has used, and
    `stores` says that it may have stored something.
    """

    environment: dict[str, str]
    content: bytes
    left: asyncio.Future[None]
    answer: Answer
    request: RequestRecord
    seconds: float = 0.0
    stores: bool = False


class Attempts:
    """Gets responses from the workers of `pool`."""

    def __init__(self, pool: Pool, settings: ServerSettings) -> None:
        self._pool = pool
        self._settings = settings
        self._costs = Costs()
        self._memory = MemoryWatch()
        self._waiting_since = 0.0  # when a request last found no light one waiting
        self.heavy = HeavyLane(
            pool.heavy_slots, most_queued=settings.max_queue_seconds, most_work=settings.max_work_seconds
        )

    async def work(self, assigned: Assignment) -> None:
        """Fill the answer within the time limit, with a further attempt to explain why the request was stopped."""
        begun = asyncio.get_running_loop().time()
        allowed = float(self._settings.max_request_seconds)
        reserved = min(max(NOTICE_SHARE * allowed, NOTICE_SECONDS[0]), NOTICE_SECONDS[1], allowed / 2)
        answer, request = assigned.answer, assigned.request
        try:
            stopped, retry_after = await self._in_lane(assigned, begun + allowed - reserved)
            request.refused = stopped or ""
            if stopped and not answer.head.done():
                assigned.environment[STOPPED] = stopped
                assigned.environment.pop(HEAVY, None)
                if stopped not in STOPPED_MESSAGES:
                    assigned.environment[RETRY_AFTER] = str(retry_after)
                end, now = begun + allowed, asyncio.get_running_loop().time()
                waiting_end = end if stopped in STOPPED_MESSAGES else min(end, now + CROWDED_SECONDS)
                stopped = await self._attempt(assigned, end, waiting_end, first=True)
            if not stopped or answer.head.done():
                answer.is_cut_off = bool(stopped)
            else:
                answer.fill_plainly(503, "The site did not answer in time. Try again in a minute.\n")
        except ClientGoneError as error:
            answer.is_cut_off = True
            if not answer.head.done():
                answer.head.set_exception(error)
        except Exception:  # the client must not wait for ever
            log.exception("The front could not handle a request", extra={"request_id": request.id})
            request.refused = "error"
            answer.is_cut_off = answer.head.done()
            if not answer.head.done():
                answer.fill_plainly(500, "The server could not handle this request. Try again in a minute.\n")
        answer.body.end()

    async def ask(self, variables: Mapping[str, str]) -> tuple[int, bytes]:
        """Send the site a request of the front itself, with these WSGI variables; return status and body."""
        environment = {
            "REQUEST_METHOD": "GET",
            "SCRIPT_NAME": "",
            "PATH_INFO": "/healthz",
            "QUERY_STRING": "",
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "HTTP_HOST": "localhost",
            "REMOTE_ADDR": "127.0.0.1",
            "wsgi.url_scheme": "http",
            **variables,
        }
        left = asyncio.get_running_loop().create_future()
        assigned = Assignment(environment, b"", left, Answer(), RequestRecord("", "GET", environment["PATH_INFO"]))
        try:
            await self.work(assigned)
            status, _ = await assigned.answer.head
            return status, b"".join([part async for part in assigned.answer.body.chunks()])
        finally:
            assigned.answer.close()

    async def _in_lane(self, assigned: Assignment, deadline: float) -> tuple[Reason | None, int]:
        """Let one worker handle the request, and learn what it costs.

        Returns why the request was stopped, or None if it finished, and after how many seconds it may come again.
        """
        request, environment = assigned.request, assigned.environment
        key, seconds = self._costs.estimate(environment, assigned.content, request.received_bytes)
        seconds = min(seconds, float(self._settings.max_request_seconds))
        environment[COST] = f"{seconds:.3f}"
        retry_after = 0
        if seconds < (PRESSED_SECONDS if self._pool.has_waiting else LIGHT_SECONDS):
            request.lane = "light"
            is_probe = environment["PATH_INFO"] in PROBES
            until = deadline if is_probe else self._light_deadline(deadline, request.client)
            stopped = await self._attempt(assigned, deadline, until, seconds=seconds, first=is_probe)
            if stopped == "busy":
                return "crowded", random.randint(*CROWDED_RETRY)
        else:
            request.lane, environment[HEAVY] = "heavy", "1"
            if self._is_crowded():
                return "busy", random.randint(*HEAVY_CROWDED_RETRY)
            if refused := self.heavy.refusal(request.client, seconds):
                return refused.reason, refused.retry_after
            with self.heavy.entry(request.client, seconds) as work:
                waiting_end = asyncio.get_running_loop().time() + self._settings.max_queue_seconds
                stopped = await self._attempt(assigned, deadline, min(deadline, waiting_end), work=work)
                work.is_whole = stopped in (None, "time")
            retry_after = self.heavy.retry_after(request.client)
        if stopped in STOPPED_MESSAGES:
            log.warning(STOPPED_MESSAGES[stopped], extra={"request_id": request.id})
            # It costs more than what it has used so far.
            assigned.seconds = max(assigned.seconds, seconds)
        head = assigned.answer.head
        # A refusal is cheap, whatever the request costs: otherwise it would be light when it comes again.
        if assigned.seconds and not (head.done() and head.result()[0] == 429):
            self._costs.learn(key, seconds, assigned.seconds)
        return stopped, retry_after

    def _is_crowded(self) -> bool:
        """Whether light requests have been waiting without a break."""
        now = asyncio.get_running_loop().time()
        if not self._pool.has_waiting:
            self._waiting_since = now
        return now - self._waiting_since > STANDING_SECONDS

    def _light_deadline(self, deadline: float, client: str) -> float:
        """Until when a light request of `client` that arrives now may wait for a worker."""
        most = LIGHT_QUEUE_SECONDS
        if self._is_crowded():
            before = self._pool.clients_before(client)
            if before is None or before > FEW_CLIENTS:
                most = STANDING_QUEUE_SECONDS
        return min(deadline, asyncio.get_running_loop().time() + most)

    async def _attempt(
        self,
        assigned: Assignment,
        deadline: float,
        queue_deadline: float,
        *,
        work: Work | None = None,
        seconds: float = 0.0,
        first: bool = False,
    ) -> Reason | None:
        """Let a worker handle the request, and another one if that ends and the request may be repeated.

        Returns why the request was stopped, or None if it finished. A request with `work` runs in a slot of the heavy
        lane; `seconds` is the estimate of one without.
        """
        request = assigned.request
        for may_repeat in (True, False):
            queued = time.monotonic()
            try:
                async with asyncio.timeout_at(queue_deadline):
                    if work and work.begun is None:
                        await _unless_left(self.heavy.slot(work), assigned.left)
                    worker = self._pool.take(request.client, heavy=bool(work))
                    worker = worker or await self.acquire(request.client, assigned.left, first=first)
            except TimeoutError:
                return "time" if queue_deadline == deadline else "busy"
            finally:
                request.queued_seconds += time.monotonic() - queued
            handling = _Handling(self._pool, self.heavy, worker, assigned, work, seconds)
            self._memory.begin(worker)
            try:
                stopped = await handling.result(deadline)
            finally:
                self._memory.end(worker)
                handling.end()
            if stopped != "crash" or assigned.stores or assigned.answer.head.done():
                break
            if may_repeat:
                log.warning("A worker ended, and another one repeats its request", extra={"request_id": request.id})
                queue_deadline, first = deadline, True
        return stopped

    async def acquire(self, client: str, left: asyncio.Future[None], *, first: bool) -> Worker:
        """Wait for a worker; raises ClientGoneError if the client disconnects first."""
        acquiring = asyncio.ensure_future(self._pool.acquire(client, first=first))
        try:
            return await _unless_left(acquiring, left)
        except asyncio.CancelledError:
            # The time limit and the worker may come at once: a worker that nobody takes here would stay busy for ever.
            if acquiring.done() and not acquiring.cancelled():
                self._pool.release(acquiring.result())
            raise


class _Handling:
    """One request in one worker."""

    def __init__(
        self, pool: Pool, heavy: HeavyLane, worker: Worker, assigned: Assignment, work: Work | None, seconds: float
    ) -> None:
        self._pool, self._heavy, self._worker, self._assigned = pool, heavy, worker, assigned
        self._work, self._seconds = work, seconds
        self._joined: Work | None = None  # what this request counts as in the heavy lane since it turned out heavy
        self._thread = 0
        self._watch: Watch | None = None
        self._is_whole = False
        self._begun = time.monotonic()
        if work:
            self._mark_heavy()
        self._exchange = asyncio.ensure_future(_exchange(worker, assigned, self._started))

    async def result(self, deadline: float) -> Reason | None:
        """Why the request was stopped, or None if it finished; raises ClientGoneError if the client disconnects."""
        exchange = self._exchange
        try:
            async with asyncio.timeout_at(deadline):
                await asyncio.wait((exchange, self._assigned.left), return_when=asyncio.FIRST_COMPLETED)
                if not exchange.done():
                    await asyncio.wait((exchange,), timeout=LEFT_SECONDS)
                    if not exchange.done():
                        raise ClientGoneError
                await exchange
                self._is_whole = True
        except TimeoutError:
            return "time"
        except WorkerGoneError:
            return "memory" if self._worker.is_too_large else "crash"
        return None

    def end(self) -> None:
        """Return the worker to the pool if the request has finished, or else kill it."""
        request = self._assigned.request
        request.worked_seconds += time.monotonic() - self._begun
        self._exchange.cancel()
        if self._watch:
            self._watch.end()
        if self._joined:
            self._heavy.finish(self._joined)
        if self._is_whole:
            self._assigned.seconds = float(request.report.get("cpu", 0.0))
            # A worker that says it has grown too much is replaced: it has nothing left to do.
            leaves = request.report.get("leaves", False)
            (self._pool.kill if leaves else self._pool.release)(self._worker)
        else:
            used = processor_seconds(self._worker.process.pid, self._thread)
            self._assigned.seconds = used[0] if used else 0.0
            self._pool.kill(self._worker)

    def _started(self, thread: int) -> None:
        self._thread = thread
        if not self._work:
            blocked = self._mark_long
            self._watch = Watch(self._worker.process.pid, thread, on_heavy=self._join, on_blocked=blocked)

    def _join(self) -> None:
        """Count a request that turned out heavy among the heavy ones."""
        self._assigned.request.lane = "heavy"
        self._joined = self._heavy.join(self._assigned.request.client, self._seconds)
        self._mark_heavy()

    def _mark_heavy(self) -> None:
        self._worker.has_grown = True
        self._mark_long()

    def _mark_long(self) -> None:
        self._pool.mark_long(self._worker)


async def _unless_left(awaited: Coroutine[Any, Any, T] | asyncio.Task[T], left: asyncio.Future[None]) -> T:
    """Wait for `awaited`; raises ClientGoneError if the client disconnects first."""
    waiting = asyncio.ensure_future(awaited)
    try:
        await asyncio.wait((waiting, left), return_when=asyncio.FIRST_COMPLETED)
        if not waiting.done():
            raise ClientGoneError
        return waiting.result()
    finally:
        waiting.cancel()


async def _exchange(worker: Worker, assigned: Assignment, started: Callable[[int], None]) -> None:
    """Send a request to a worker, and copy its response to the answer as it arrives and its report to the request.

    Calls `started` with the number of the worker's thread.
    """
    answer = assigned.answer
    await worker.send(json.dumps(assigned.environment).encode(), assigned.content)
    started(json.loads(await worker.receive()))
    head = await worker.receive()
    if not head:
        assigned.stores = True
        head = await worker.receive()
    status, headers = json.loads(head)
    answer.head.set_result((status, [(name.lower().encode(), value.encode("latin-1")) for name, value in headers]))
    while part := await worker.receive():
        while Spool.held > MOST_HELD:
            await asyncio.sleep(ROOM_SECONDS)
        await answer.body.write(part)
    assigned.request.report = json.loads(await worker.receive())
