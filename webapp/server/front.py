"""The front: an ASGI application between the connections and the workers.

It never computes anything itself. Two bounds on time hold here:

* what a **client** does: a body that arrives too slowly, or an answer that nobody reads, ends the connection;
* what a **worker** does: after `MAX_REQUEST_SECONDS` its work is stopped by killing it, and another worker tells the
  visitor so, with the text that was sent; when the client has left, the work is stopped as well.
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
from webapp.web.client_addresses import counted_as, forwarded_for
from webapp.web.stopped import STOPPED

log = logging.getLogger(__name__)

Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

# A body may take so long, in seconds, plus one second for each `SLOWEST` bytes of it that have arrived: Apache's
# mod_reqtimeout has the same rule with the same numbers.
BODY_SECONDS = 20.0
SLOWEST = 500
# An answer is sent in parts of so many bytes, and a client may take so many seconds to make room for the next.
PART = 1 << 16
READ_SECONDS = 20.0
# All bodies that are held at once, and all answers, in bytes. Beyond it, bodies are refused, and workers wait.
MOST_HELD = 2_000_000_000
# How often a worker that waits looks whether there is room.
ROOM_SECONDS = 0.05
# The share of MAX_REQUEST_SECONDS that is left for telling the visitor that the time was up; its bounds in seconds.
TELLING = 0.1
TELLING_SECONDS = (0.5, 3.0)
# A client that has left is waited for as long: stopping a worker costs more than a short answer that nobody reads.
LEFT_SECONDS = 1.0
# How often the front looks whether the process that started it is still there.
PARENT_SECONDS = 1.0

# The headers of a sentence that the front sends itself.
PLAIN_TEXT = [
    (b"content-type", b"text/plain; charset=utf-8"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
]

Reason = Literal["time", "crash"]


class ClientGoneError(Exception):
    """The client has closed the connection, or is cut off."""


class Answer:
    """What a worker answers, as far as it has arrived."""

    def __init__(self) -> None:
        self.head: asyncio.Future[tuple[int, list[tuple[bytes, bytes]]]] = asyncio.get_running_loop().create_future()
        self.body = Spool()
        self.is_cut_off = False

    def fill_plainly(self, status: int, sentence: str) -> None:
        """Answer with a sentence of the front's own."""
        self.head.set_result((status, [*PLAIN_TEXT, (b"retry-after", b"10")]))
        self.body.write(sentence.encode())

    def close(self) -> None:
        """Give back what is held."""
        self.body.close()
        self.head.cancel()


class Front:
    """The application that Granian calls."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._settings: ServerSettings

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request, or the server's word that it starts or stops."""
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
                self._pool.close()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _request(self, scope: Message, receive: Receive, send: Send) -> None:
        body = Body()
        try:
            if refusal := await self._read(receive, body):
                await _send_plainly(send, *refusal)
                return
            announced = any(name in (b"content-length", b"transfer-encoding") for name, _ in scope["headers"])
            environment = wsgi_environment(scope, body.size if announced else None)
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

    async def _read(self, receive: Receive, body: Body) -> tuple[int, str] | None:
        """Read the body to its end; return status and sentence where the connection is to be closed instead."""
        loop = asyncio.get_running_loop()
        begun = loop.time()
        most = self._settings.max_body_bytes
        while True:
            try:
                async with asyncio.timeout_at(begun + BODY_SECONDS + body.size / SLOWEST):
                    message = await receive()
            except TimeoutError:
                return 408, "The request took too long to arrive.\n"
            if message["type"] == "http.disconnect":
                raise ClientGoneError
            data = message.get("body", b"")
            body.size += len(data)
            # What is too long is read, so that the answer can be, but not kept; the site says what is allowed.
            if body.size > most:
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
        """Have a worker answer, and pass the answer on."""
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
        """Fill `answer` within the time there is."""
        begun = asyncio.get_running_loop().time()
        allowed = float(self._settings.max_request_seconds)
        telling = min(max(TELLING * allowed, TELLING_SECONDS[0]), TELLING_SECONDS[1], allowed / 2)
        try:
            stopped = await self._attempt(environment, content, left, answer, begun + allowed - telling)
            if stopped and not answer.head.done():
                log.warning("%s %s was stopped: %s", environment["REQUEST_METHOD"], environment["PATH_INFO"], stopped)
                again = environment | {STOPPED: stopped}
                stopped = await self._attempt(again, content, left, answer, begun + allowed, first=True)
            if stopped and not answer.head.done():
                answer.fill_plainly(503, "The site did not answer in time. Try again in a minute.\n")
            answer.is_cut_off = bool(stopped)
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
        """Have one worker try; returns why it was stopped, None where it came to its end."""
        forwarded = environment.get("HTTP_X_FORWARDED_FOR", "")
        client = counted_as(forwarded_for(environment["REMOTE_ADDR"], forwarded, self._settings.proxies))
        try:
            async with asyncio.timeout_at(deadline):
                found = self._pool.take(client) or await _unless(left, self._pool.acquire(client, first=first))
        except TimeoutError:
            return "time"
        exchange = asyncio.ensure_future(_exchange(found, environment, content, answer))
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
                self._pool.release(found)
            else:
                self._pool.kill(found)
        return None


async def _exchange(found: Worker, environment: dict[str, str], content: bytes, answer: Answer) -> None:
    """Send a request to a worker and take its answer as it comes."""
    await found.send(json.dumps(environment).encode(), content)
    status, headers = json.loads(await found.receive())
    answer.head.set_result((status, [(name.lower().encode(), value.encode("latin-1")) for name, value in headers]))
    while part := await found.receive():
        while Spool.held > MOST_HELD:
            await asyncio.sleep(ROOM_SECONDS)
        answer.body.write(part)


async def _send_answer(answer: Answer, send: Send) -> None:
    """Pass an answer on at the client's pace; raises ClientGoneError for one that does not read."""
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
        raise ClientGoneError  # without an end, so that nobody takes it for whole
    await _sent(send, {"type": "http.response.body", "body": b"", "more_body": False})


async def _sent(send: Send, message: Message) -> None:
    try:
        async with asyncio.timeout(READ_SECONDS):
            await send(message)
    except TimeoutError:
        raise ClientGoneError from None


async def _send_plainly(send: Send, status: int, sentence: str) -> None:
    """An answer of the front's own, for a connection that is closed after it."""
    headers = [*PLAIN_TEXT, (b"connection", b"close")]
    await _sent(send, {"type": "http.response.start", "status": status, "headers": headers})
    await _sent(send, {"type": "http.response.body", "body": sentence.encode(), "more_body": False})


async def _end_with_parent(parent: int) -> None:
    """End this process when the one that started it is gone: nobody else could stop it, and it holds the port."""
    while os.getppid() == parent:
        await asyncio.sleep(PARENT_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)


async def _left(receive: Receive) -> None:
    """Return when the client has left."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _unless(left: asyncio.Future[None], wanted: Awaitable[Worker]) -> Worker:
    """What is `wanted`; raises ClientGoneError when the client leaves before it is there."""
    task = asyncio.ensure_future(wanted)
    try:
        await asyncio.wait((task, left), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientGoneError
        return task.result()
    finally:
        task.cancel()


def application() -> Front:
    """The front with its pool, for Granian."""
    return Front(Pool(pool_size()))
