"""Lets a worker handle a request, when it is its turn and within its time limit.

The estimate of `Costs` chooses the lane. A request whose worker ends, because it crashes or something else kills it, is
sent to another worker once, unless it may have stored something or its response has begun.

A request that cannot be handled is sent to a worker again, with the variable `STOPPED`: the worker renders a page that
says why, and contains the visitor's text. This happens after `MAX_REQUEST_SECONDS` and beyond the memory of all
requests (`Pool.watch`), when the front has killed the worker; when a worker ended and the request is not repeated; when
too many heavy requests wait, or their client has too much work; and when more light requests wait than the workers can
handle. Cancelling the task of a request kills its worker.
"""

import asyncio
import json
import logging
import math
import random
import time
from typing import Literal

from webapp.server.buffers import Exchange
from webapp.server.costs import Costs
from webapp.server.pool import Pool, PoolWorker, ServerSettings, WorkerGoneError, WorkerLane
from webapp.web.server_variables import COST, RETRY_AFTER, STOPPED, Reason

log = logging.getLogger(__name__)

# Requests with a lower estimate are light, in seconds of processor time.
LIGHT_SECONDS = 0.2
# The longest that a light request waits for a worker, in seconds: in a moment's crowd, and when requests have been
# waiting all the time for `STANDING_SECONDS`. Then there are more than the workers can handle, and a long queue would
# only delay everybody. (Ben Maurer, Fail at Scale, ACM Queue 13 (8), 2015: "Controlled delay")
LIGHT_QUEUE_SECONDS, STANDING_QUEUE_SECONDS = 3.0, 0.3
STANDING_SECONDS = 0.5
# A client of whom nothing waits yet has its turn soon if no more than so many others wait, however many requests they
# have: it waits as in a moment's crowd.
FEW_CLIENTS = 8
# The longest that the page for a refused request waits for a worker, in seconds.
NOTICE_QUEUE_SECONDS = 1.0
# The bounds of the time after which a refused request may come again, in seconds. Beside a crowd of light requests it
# is random, so that those refused together do not come back together; heavy requests come back later.
RETRY_SECONDS = (2, 60)
CROWDED_RETRY: dict[WorkerLane, tuple[int, int]] = {"light": (3, 8), "heavy": (5, 15)}
# Health checks go before all others: a crowd is no reason to replace the server.
PROBES = ("/healthz", "/readyz")
# What the log says when a worker was stopped.
STOPPED_MESSAGES = {
    "time": "A request was stopped, because it took longer than TOKENSCOPE_MAX_REQUEST_SECONDS",
    "memory": "A request was stopped, because it took most of the memory that all requests may take together",
    "crash": "A worker ended in the middle of a request; another one replaces it",
}
# The share of MAX_REQUEST_SECONDS that is reserved for the page about the timeout, and its bounds in seconds.
NOTICE_SHARE = 0.1
NOTICE_SECONDS = (0.5, 3.0)


class Attempts:
    """Gets responses from the workers of `pool`."""

    def __init__(self, pool: Pool, settings: ServerSettings) -> None:
        self._pool = pool
        self._settings = settings
        self._costs = Costs()
        self._waiting_since = 0.0  # when a request last found no light one waiting

    async def work(self, exchange: Exchange) -> None:
        """Fill in the response within the time limit, with a further attempt to explain why the request was stopped."""
        now = asyncio.get_running_loop().time
        allowed = float(self._settings.max_request_seconds)
        reserved = min(max(NOTICE_SHARE * allowed, NOTICE_SECONDS[0]), NOTICE_SECONDS[1], allowed / 2)
        end, request = now() + allowed, exchange.request
        try:
            stopped = await self._in_lane(exchange, end - reserved)
            request.refused = stopped or ""
            if stopped and not exchange.head.done():
                exchange.environment[STOPPED] = stopped
                is_refused = stopped not in STOPPED_MESSAGES
                if is_refused:
                    exchange.environment[RETRY_AFTER] = str(self._retry_after(exchange))
                until = min(end, now() + NOTICE_QUEUE_SECONDS) if is_refused else end
                stopped = await self._attempt(exchange, "light", 0.0, end, until, first=True)
            exchange.is_cut_off = bool(stopped)
            if stopped and not exchange.head.done():
                exchange.fill_plainly(503, "The site did not answer in time. Try again in a minute.\n")
        except Exception:  # the client must not wait for ever
            log.exception("The front could not handle a request", extra={"request_id": request.id})
            request.refused, exchange.is_cut_off = "error", True
            if not exchange.head.done():
                exchange.fill_plainly(500, "The server could not handle this request. Try again in a minute.\n")
        exchange.body.end()

    async def _in_lane(self, exchange: Exchange, deadline: float) -> Reason | None:
        """Let a worker of the lane handle the request, and learn what it costs; return why it was stopped."""
        request, environment = exchange.request, exchange.environment
        key, seconds = self._costs.estimate(environment, exchange.content, request.received_bytes)
        seconds = min(seconds, float(self._settings.max_request_seconds))
        environment[COST] = f"{seconds:.3f}"
        lane: WorkerLane = "light" if seconds < LIGHT_SECONDS else "heavy"
        request.lane = lane
        is_probe = environment["PATH_INFO"] in PROBES
        longest = self._light_patience(request.client) if lane == "light" else self._settings.max_queue_seconds
        until = deadline if is_probe else min(deadline, asyncio.get_running_loop().time() + longest)
        if lane == "heavy" and (refused := self.refusal(request.client, seconds)):
            return refused
        stopped = await self._attempt(exchange, lane, seconds, deadline, until, first=is_probe)
        if stopped == "busy":
            return "busy" if lane == "heavy" else "crowded"
        if stopped:
            log.warning(STOPPED_MESSAGES[stopped], extra={"request_id": request.id})
            # It costs more than what it has used so far.
            exchange.seconds = max(exchange.seconds, seconds)
        # A refusal is cheap, whatever the request costs: otherwise it would be light when it comes again.
        if exchange.seconds and not (exchange.head.done() and exchange.head.result()[0] == 429):
            self._costs.learn(key, seconds, exchange.seconds)
        return stopped

    def _is_crowded(self) -> bool:
        """Whether light requests have been waiting for a while."""
        now = asyncio.get_running_loop().time()
        if not self._pool.queues["light"].estimates():
            self._waiting_since = now
        return now - self._waiting_since > STANDING_SECONDS

    def _light_patience(self, client: str) -> float:
        waiting = self._pool.queues["light"].estimates()
        is_late = self._is_crowded() and (client in waiting or len(waiting) > FEW_CLIENTS)
        return STANDING_QUEUE_SECONDS if is_late else LIGHT_QUEUE_SECONDS

    def refusal(self, client: str, seconds: float) -> Literal["much", "busy"] | None:
        """Why a heavy request of `client` with this estimate must not wait; None if it may.

        "busy": it would wait too long, or light requests wait. "much": its client has too much work running and waiting
        already.
        """
        waiting = self._pool.queues["heavy"].estimates().get(client, [])
        own = [*waiting, *(each.seconds for each in self._pool.running("heavy") if each.client == client)]
        if own and sum(own) + seconds > self._settings.max_work_seconds:
            return "much"
        return "busy" if self._is_crowded() or self.expected_wait(client) > self._settings.max_queue_seconds else None

    def expected_wait(self, client: str) -> float:
        """How long the next heavy request of `client` would wait, in seconds.

        Clients take turns: before the third request of one client, at most three of each other client run.
        """
        running, slots = self._pool.running("heavy"), self._pool.sizes["heavy"]
        if len(running) < slots:
            return 0.0
        waiting = self._pool.queues["heavy"].estimates()
        turns = len(waiting.get(client, ())) + 1
        ahead = sum(sum(estimates[:turns]) for estimates in waiting.values())
        # A request that exceeds its estimate is expected to take a fifth of its time so far.
        elapsed = {each: time.monotonic() - each.begun for each in running}
        left = sum(max(each.seconds - elapsed[each], elapsed[each] / 5) for each in running)
        return (ahead + left) / slots

    def _retry_after(self, exchange: Exchange) -> int:
        """After how many seconds a refused request may come again."""
        lane: WorkerLane = "light" if exchange.request.lane == "light" else "heavy"
        seconds = random.uniform(*CROWDED_RETRY[lane]) if lane == "light" or self._is_crowded() else 0.0
        if lane == "heavy":
            seconds = max(seconds, self.expected_wait(exchange.request.client) - self._settings.max_queue_seconds / 2)
        return math.ceil(min(max(seconds, RETRY_SECONDS[0]), RETRY_SECONDS[1]))

    async def _attempt(
        self, exchange: Exchange, lane: WorkerLane, seconds: float, deadline: float, until: float, *, first: bool
    ) -> Reason | None:
        """Let a worker handle the request, and another one if that ends and the request may be repeated.

        The request waits `until` then. Returns why it was stopped, or None if it finished.
        """
        request = exchange.request
        while True:
            begun = time.monotonic()
            try:
                async with asyncio.timeout_at(until):
                    worker = await self._pool.acquire(request, lane, seconds, first=first)
            except TimeoutError:
                return "time" if until == deadline else "busy"
            finally:
                request.queued_seconds += time.monotonic() - begun
            stopped = await self._handled(worker, exchange, deadline)
            if stopped != "crash" or exchange.is_repeated or exchange.stores or exchange.head.done():
                return stopped
            log.warning("A worker ended, and another one repeats its request", extra={"request_id": request.id})
            exchange.is_repeated, until, first = True, deadline, True

    async def _handled(self, worker: PoolWorker, exchange: Exchange, deadline: float) -> Reason | None:
        """Let `worker` handle the request; return why it was stopped, or None if it finished."""
        exchange.has_worker, is_whole = True, False
        try:
            async with asyncio.timeout_at(deadline):
                await _converse(worker, exchange)
            is_whole = True
        except TimeoutError:
            return "time"
        except WorkerGoneError:
            return "memory" if worker.is_too_large else "crash"
        finally:
            exchange.request.worked_seconds += time.monotonic() - worker.begun
            report = exchange.request.report
            exchange.seconds = float(report.get("cpu", 0.0)) if is_whole else worker.times()[0]
            # A worker that says it has grown too much is replaced: it has nothing left to do.
            is_over = not is_whole or report.get("leaves", False)
            (self._pool.kill if is_over else self._pool.release)(worker)
        return None


async def _converse(worker: PoolWorker, exchange: Exchange) -> None:
    """Send a request to a worker, and copy its response to the exchange as it arrives and its report to the request."""
    await worker.send(json.dumps(exchange.environment).encode(), exchange.content)
    worker.thread = json.loads(await worker.receive())
    head = await worker.receive()
    if not head:
        exchange.stores = True
        head = await worker.receive()
    status, headers = json.loads(head)
    exchange.head.set_result((status, [(name.lower().encode(), value.encode("latin-1")) for name, value in headers]))
    while part := await worker.receive():
        await exchange.body.write(part)
    exchange.request.report = json.loads(await worker.receive())
