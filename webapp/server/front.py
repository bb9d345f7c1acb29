"""The front: an ASGI application between the connections and the workers.

It does no work of its own, and enforces two time limits:

* for **clients**: the front closes the connection if a body arrives too slowly or the client does not read the
  response;
* for **workers**: after `MAX_REQUEST_SECONDS` the front kills the worker, and another worker renders a page that says
  so and contains the visitor's text. The front also kills the worker when the client disconnects.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Literal

from webapp.server.body import Body
from webapp.server.environment import BODY_FILE, wsgi_environment
from webapp.server.pool import Pool, ServerSettings, Worker, WorkerGoneError, pool_size
from webapp.server.sockets import abort_unread
from webapp.server.spool import Spool
from webapp.web.client_addresses import forwarded_for, rate_limit_key
from webapp.web.stopped import STOPPED

log = logging.getLogger(__name__)

Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

# The time for a body in seconds, plus one second for each `SLOWEST` bytes that have arrived. Apache's mod_reqtimeout
# has the same rule with the same defaults.
BODY_SECONDS = 20.0
SLOWEST = 500
# The front sends a response in parts of `PART` bytes. A client has `READ_SECONDS` to make room for the next one.
PART = 1 << 16
READ_SECONDS = 20.0
# The limit for all buffered bodies, and for all buffered responses, in bytes. Beyond it, the front refuses bodies and
# pauses workers.
MOST_HELD = 2_000_000_000
# The interval at which a paused worker's exchange checks for room.
ROOM_SECONDS = 0.05
# The share of MAX_REQUEST_SECONDS that is reserved for the page about the timeout, and its bounds in seconds.
NOTICE_SHARE = 0.1
NOTICE_SECONDS = (0.5, 3.0)
# After a client disconnects, its worker has this long to finish: replacing a worker costs more than a short response.
LEFT_SECONDS = 1.0
# The interval at which the front checks that its parent process is alive.
PARENT_SECONDS = 1.0

# The headers of plain messages that the front sends itself.
PLAIN_TEXT = [
    (b"content-type", b"text/plain; charset=utf-8"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
]

Reason = Literal["time", "crash"]


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
        self.body.write(sentence.encode())

    def close(self) -> None:
        """Release the buffered body."""
        self.body.close()
        self.head.cancel()


class Front:
    """The application that Granian calls."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._settings: ServerSettings

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Handle one request, or the server's startup and shutdown events."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            with suppress(ClientGoneError):
                await self._request(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        watching: asyncio.Future[Any]
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                try:
                    self._settings = await self._pool.open()
                except WorkerGoneError:
                    await send({"type": "lifespan.startup.failed", "message": "The site could not be loaded."})
                    os.kill(os.getppid(), signal.SIGTERM)  # which would start this process over and over
                    return
                await send({"type": "lifespan.startup.complete"})
                watching = asyncio.gather(_end_with_parent(os.getppid()), abort_unread(READ_SECONDS))
            else:
                watching.cancel()
                with suppress(asyncio.CancelledError):
                    await watching
                self._pool.close()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _request(self, scope: Message, receive: Receive, send: Send) -> None:
        body = Body()
        try:
            if refusal := await self._read(scope, receive, body):
                await _send_plainly(send, *refusal)
                return
            environment = wsgi_environment(scope, _content_length(scope, body))
            content, file = body.for_worker()
            if file:
                environment[BODY_FILE] = file
            left = asyncio.ensure_future(_left(receive))
            try:
                await self._answer(environment, content, left, send)
            finally:
                left.cancel()
        finally:
            body.close()

    async def _read(self, scope: Message, receive: Receive, body: Body) -> tuple[int, str] | None:
        """Read the whole body; return a status and a message if the front should refuse the request instead."""
        loop = asyncio.get_running_loop()
        begun = loop.time()
        most = self._settings.most_bytes(scope["method"], scope["path"])
        is_too_long = _announced_length(scope) > most
        while True:
            try:
                async with asyncio.timeout_at(begun + BODY_SECONDS + body.size / SLOWEST):
                    message = await receive()
            except TimeoutError:
                return 408, "The request took too long to arrive.\n"
            if message["type"] == "http.disconnect":
                # A client that has closed only its sending half still reads: the site tells it what is missing.
                return None
            data = message.get("body", b"")
            body.size += len(data)
            # Read a body that is too long and discard it: only then does the client read the response with the limit.
            if is_too_long or body.size > most:
                body.drop()
                if body.size > 4 * most:
                    return None
            elif data:
                if Body.held + len(data) > MOST_HELD:
                    return 503, "The site is receiving too much at once. Try again in a minute.\n"
                body.write(data)
            if not message.get("more_body"):
                return None

    async def _answer(
        self, environment: dict[str, str], content: bytes, left: asyncio.Future[None], send: Send
    ) -> None:
        """Let a worker handle the request, and send its response to the client."""
        answer = Answer()
        working = asyncio.ensure_future(self._work(environment, content, left, answer))
        try:
            await _send_answer(answer, send)
        finally:
            working.cancel()
            with suppress(asyncio.CancelledError):
                await working
            answer.close()

    async def _work(
        self, environment: dict[str, str], content: bytes, left: asyncio.Future[None], answer: Answer
    ) -> None:
        """Fill `answer` within the time limit, with a second attempt to explain why the first one was stopped."""
        begun = asyncio.get_running_loop().time()
        allowed = float(self._settings.max_request_seconds)
        reserved = min(max(NOTICE_SHARE * allowed, NOTICE_SECONDS[0]), NOTICE_SECONDS[1], allowed / 2)
        try:
            stopped = await self._attempt(environment, content, left, answer, begun + allowed - reserved)
            if stopped and not answer.head.done():
                log.warning("%s %s was stopped: %s", environment["REQUEST_METHOD"], environment["PATH_INFO"], stopped)
                again = environment | {STOPPED: stopped}
                stopped = await self._attempt(again, content, left, answer, begun + allowed, first=True)
            if not stopped or answer.head.done():
                answer.is_cut_off = bool(stopped)
            else:
                answer.fill_plainly(503, "The site did not answer in time. Try again in a minute.\n")
        except ClientGoneError as error:
            answer.is_cut_off = True
            if not answer.head.done():
                answer.head.set_exception(error)
        answer.body.end()

    async def _attempt(
        self,
        environment: dict[str, str],
        content: bytes,
        left: asyncio.Future[None],
        answer: Answer,
        deadline: float,
        *,
        first: bool = False,
    ) -> Reason | None:
        """Let one worker handle the request; return why it was stopped, or None if it finished."""
        forwarded = environment.get("HTTP_X_FORWARDED_FOR", "")
        client = rate_limit_key(forwarded_for(environment["REMOTE_ADDR"], forwarded, self._settings.proxies))
        try:
            async with asyncio.timeout_at(deadline):
                worker = self._pool.take(client) or await self._acquire(client, left, first=first)
        except TimeoutError:
            return "time"
        exchange = asyncio.ensure_future(_exchange(worker, environment, content, answer))
        is_whole = False
        try:
            async with asyncio.timeout_at(deadline):
                await asyncio.wait((exchange, left), return_when=asyncio.FIRST_COMPLETED)
                if not exchange.done():
                    await asyncio.wait((exchange,), timeout=LEFT_SECONDS)
                    if not exchange.done():
                        raise ClientGoneError
                await exchange
                is_whole = True
        except TimeoutError:
            return "time"
        except WorkerGoneError:
            return "crash"
        finally:
            exchange.cancel()
            if is_whole:
                self._pool.release(worker)
            else:
                self._pool.kill(worker)
        return None

    async def _acquire(self, client: str, left: asyncio.Future[None], *, first: bool) -> Worker:
        """Wait for a worker; raises ClientGoneError if the client disconnects first."""
        acquiring = asyncio.ensure_future(self._pool.acquire(client, first=first))
        try:
            await asyncio.wait((acquiring, left), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            # The time limit and the worker may come at once: a worker that nobody takes here would stay busy for ever.
            if acquiring.done():
                self._pool.release(acquiring.result())
            raise
        finally:
            acquiring.cancel()
        if not acquiring.done():
            raise ClientGoneError
        return acquiring.result()


async def _exchange(worker: Worker, environment: dict[str, str], content: bytes, answer: Answer) -> None:
    """Send a request to a worker and copy its response to `answer` as it arrives."""
    await worker.send(json.dumps(environment).encode(), content)
    status, headers = json.loads(await worker.receive())
    answer.head.set_result((status, [(name.lower().encode(), value.encode("latin-1")) for name, value in headers]))
    while part := await worker.receive():
        while Spool.held > MOST_HELD:
            await asyncio.sleep(ROOM_SECONDS)
        answer.body.write(part)


async def _send_answer(answer: Answer, send: Send) -> None:
    """Send a response at the client's pace; raises ClientGoneError if the client does not read it."""
    status, headers = await answer.head
    length = dict(headers).get(b"content-length")
    await _sent(send, {"type": "http.response.start", "status": status, "headers": headers})
    if length is not None and int(length) <= PART:
        data = b"".join([part async for part in answer.body.chunks()])
        if not answer.is_cut_off:
            await _sent(send, {"type": "http.response.body", "body": data, "more_body": False})
            return
    async for part in answer.body.chunks():
        for start in range(0, len(part), PART):
            data = part[start : start + PART]
            await _sent(send, {"type": "http.response.body", "body": data, "more_body": True})
    if answer.is_cut_off:
        raise ClientGoneError  # without a final chunk, so that the client sees an incomplete response
    await _sent(send, {"type": "http.response.body", "body": b"", "more_body": False})


async def _sent(send: Send, message: Message) -> None:
    try:
        async with asyncio.timeout(READ_SECONDS):
            await send(message)
    except TimeoutError:
        raise ClientGoneError from None


async def _send_plainly(send: Send, status: int, sentence: str) -> None:
    """Send a plain message of the front, then let the connection close."""
    headers = [*PLAIN_TEXT, (b"connection", b"close")]
    await _sent(send, {"type": "http.response.start", "status": status, "headers": headers})
    await _sent(send, {"type": "http.response.body", "body": sentence.encode(), "more_body": False})


async def _end_with_parent(parent: int) -> None:
    """Stop this process when its parent has ended; otherwise it would run on and keep the port."""
    while os.getppid() == parent:
        await asyncio.sleep(PARENT_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)


def _announced_length(scope: Message) -> int:
    """The length of the body that the client announces; 0 without one."""
    announced = dict(scope["headers"]).get(b"content-length", b"")
    return int(announced) if announced.isdigit() else 0


def _content_length(scope: Message, body: Body) -> int | None:
    """The length of the body: what arrived, or what was announced if less arrived; None without a body."""
    headers = dict(scope["headers"])
    if b"transfer-encoding" in headers:
        return body.size
    announced = headers.get(b"content-length")
    return None if announced is None else max(int(announced), body.size)


async def _left(receive: Receive) -> None:
    """Return when the client disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass


def application() -> Front:
    """The front with its pool: the application factory for Granian."""
    return Front(Pool(pool_size()))
