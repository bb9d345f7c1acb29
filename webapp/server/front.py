"""The front: an ASGI application between the connections and the workers.

It reads each request completely, lets `Attempts` get a response from a worker, sends the response at the client's pace,
and closes the connection if a body arrives too slowly or the client does not read. At the end it gives the record of
the request to its observers.
"""

import asyncio
import logging
import os
import signal
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from multiprocessing import parent_process
from typing import Any
from urllib.parse import unquote_to_bytes

from webapp.core import __version__
from webapp.observing.logs import configure, log_request
from webapp.observing.options import from_environment
from webapp.observing.report import RequestRecord, request_id
from webapp.server import buffers
from webapp.server.attempts import Attempts
from webapp.server.listening import abort_unread, own_folder
from webapp.server.pool import Pool, ServerSettings, WorkerGoneError, pool_size
from webapp.web.client_addresses import forwarded_for, rate_limit_key
from webapp.web.server_variables import BODY_FILE


def wsgi_environment(scope: Mapping[str, Any], content_length: int | None) -> dict[str, str]:
    """The WSGI environment of a request whose body has `content_length` bytes; None means that it has no body.

    >>> scope = {"method": "GET", "path": "/é", "raw_path": b"/%C3%A9", "query_string": b"a=1", "http_version": "1.1",
    ...     "headers": [(b"host", b"x.example"), (b"x-a", b"1"), (b"x-a", b"2")], "scheme": "http",
    ...     "client": ("192.0.2.7", 5000), "server": ("127.0.0.1", 8000)}
    >>> environment = wsgi_environment(scope, None)
    >>> environment["PATH_INFO"], environment["HTTP_X_A"], environment["REMOTE_ADDR"]
    ('/Ã©', '1,2', '192.0.2.7')
    """
    server = scope.get("server") or ("127.0.0.1", 80)
    client = scope.get("client") or ("127.0.0.1", 0)
    environment = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        # Bytes decoded as Latin-1, as PEP 3333 requires; `scope["path"]` would lose bytes that are not UTF-8.
        "PATH_INFO": unquote_to_bytes(scope["raw_path"].partition(b"?")[0]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": str(server[0]),
        "SERVER_PORT": str(server[1]),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": str(client[0]),
        "REMOTE_PORT": str(client[1]),
        "wsgi.url_scheme": scope["scheme"],
    }
    for name, value in scope["headers"]:
        if b"_" in name:  # it would become indistinguishable from one with a hyphen, which a proxy may have checked
            continue
        variable = name.decode("latin-1").upper().replace("-", "_")
        variable = variable if variable == "CONTENT_TYPE" else f"HTTP_{variable}"
        separator = "; " if variable == "HTTP_COOKIE" else ","
        before = f"{environment[variable]}{separator}" if variable in environment else ""
        environment[variable] = before + value.decode("latin-1")
    # The front has read the whole body, so its real length replaces that of the headers.
    environment.pop("HTTP_TRANSFER_ENCODING", None)
    environment.pop("HTTP_CONTENT_LENGTH", None)
    if content_length is not None:
        environment["CONTENT_LENGTH"] = str(content_length)
    return environment


log = logging.getLogger(__name__)

Receive = Callable[[], Awaitable[buffers.Message]]

# The time for a body in seconds, plus one second for each `SLOWEST` bytes that have arrived. Apache's mod_reqtimeout
# has the same rule with the same defaults.
BODY_SECONDS = 20.0
SLOWEST = 500
# After a client disconnects, its worker has this long to finish: replacing a worker costs more than a short response.
LEFT_SECONDS = 1.0
Observer = Callable[[RequestRecord], None]
# A page that the front answers itself, without a worker: called with the ASGI scope and the client's address; returns
# status, headers and body, or None if the site should answer.
OwnPage = Callable[[buffers.Message, str], Awaitable[tuple[int, buffers.Headers, bytes] | None]]
# The interval at which the front checks that its parent process is alive.
PARENT_SECONDS = 1.0


class Front:
    """The application that Granian calls.

    It calls each of `observers` with each request that has ended. `own_pages` are pages by path that it answers itself,
    and `delete` deletes temporary files before a sudden end.
    """

    def __init__(
        self,
        pool: Pool,
        observers: Iterable[Observer] = (),
        own_pages: Mapping[str, OwnPage] | None = None,
        delete: Callable[[], object] = lambda: None,
    ) -> None:
        self._pool = pool
        self._delete = delete
        self._own_pages = own_pages or {}
        self._observers = list(observers)
        self._settings: ServerSettings
        self._attempts: Attempts

    async def __call__(self, scope: buffers.Message, receive: Receive, send: buffers.Send) -> None:
        """Handle one request, or the server's startup and shutdown events."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._observed(scope, receive, send)

    def configure(self, settings: ServerSettings) -> None:
        """Take over the settings of the site, which the first worker sends."""
        self._settings = settings
        self._attempts = Attempts(self._pool, settings)

    async def _live(self, receive: Receive, send: buffers.Send) -> None:
        await receive()
        try:
            self.configure(await self._pool.open())
        except WorkerGoneError:
            await send({"type": "lifespan.startup.failed", "message": "The site could not be loaded."})
            os.kill(os.getppid(), signal.SIGTERM)  # which would start this process over and over
            return
        await send({"type": "lifespan.startup.complete"})
        watching = asyncio.gather(self._end_with_parent(), abort_unread(buffers.READ_SECONDS), self._pool.watch())
        await receive()
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        self._pool.close()
        await send({"type": "lifespan.shutdown.complete"})

    async def _end_with_parent(self) -> None:
        """End this process when the one that started it has ended; otherwise it would run on and keep the port."""
        parent = parent_process()
        while parent and os.getppid() == parent.pid:
            await asyncio.sleep(PARENT_SECONDS)
        self._pool.close()
        self._delete()
        os._exit(1)

    async def _observed(self, scope: buffers.Message, receive: Receive, send: buffers.Send) -> None:
        """Handle one request, then tell the observers about it."""
        begun, headers = time.monotonic(), dict(scope["headers"])
        client = rate_limit_key(self._address(scope))
        request = RequestRecord(request_id(headers), scope["method"], client)
        try:
            await self._request(scope, receive, send, request)
        except buffers.ClientGoneError:
            request.refused = request.refused or "left"
        finally:
            request.total_seconds = time.monotonic() - begun
            for observe in self._observers:
                try:
                    observe(request)
                except Exception:
                    log.exception("An observer of finished requests failed")

    def _address(self, scope: buffers.Message) -> str:
        """The client's address, also behind the proxies that the settings count."""
        peer = str((scope.get("client") or ("127.0.0.1", 0))[0])
        return forwarded_for(peer, _forwarded(scope), self._settings.proxies)

    async def _request(
        self, scope: buffers.Message, receive: Receive, send: buffers.Send, request: RequestRecord
    ) -> None:
        body, exchange = buffers.BufferedBody(), buffers.Exchange(request)
        try:
            refusal = await self._read(scope, receive, body)
            request.received_bytes = body.size
            if refusal:
                request.refused = "body"
                exchange.fill_plainly(*refusal, (b"connection", b"close"))
            # Behind a proxy that the settings do not count, nobody knows who asks.
            elif (own := self._own_pages.get(scope["path"])) and (
                (self._settings.proxies or not _forwarded(scope)) and (page := await own(scope, self._address(scope)))
            ):
                exchange.fill(*page)
            if exchange.head.done():
                await exchange.send_response(send)
                return
            exchange.environment = wsgi_environment(scope, _content_length(scope, body))
            exchange.environment["HTTP_X_REQUEST_ID"] = request.id
            if body.path:
                exchange.environment[BODY_FILE] = body.path
            exchange.content = bytes(body.content)
            await self._answer(exchange, receive, send)
        finally:
            body.close()
            exchange.close()

    async def _read(
        self, scope: buffers.Message, receive: Receive, body: buffers.BufferedBody
    ) -> tuple[int, str] | None:
        """Read the whole body; return a status and a message if the front should refuse the request instead."""
        loop = asyncio.get_running_loop()
        begun = loop.time()
        most = self._settings.most_bytes(scope["method"], scope["path"])
        is_too_long, is_lost = _announced_length(scope) > most, False
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
            # A body that is too long or cannot be stored is read to its end: only then does the client read the answer.
            if is_too_long or body.size > most:
                body.close()
                if body.size > 4 * most:
                    return None
            elif data and not is_lost:
                if buffers.BufferedBody.held + len(data) > buffers.MOST_HELD:
                    return 503, "The site is receiving too much at once. Try again in a minute.\n"
                try:
                    body.write(data)
                except OSError:
                    log.exception("The body of a request could not be stored")
                    body.close()
                    is_lost = True
            if not message.get("more_body"):
                return (503, "The site cannot store the request. Try again in a minute.\n") if is_lost else None

    async def _answer(self, exchange: buffers.Exchange, receive: Receive, send: buffers.Send) -> None:
        """Let a worker handle the request, and send its response to the client."""
        working = asyncio.ensure_future(self._attempts.work(exchange))
        sending = asyncio.ensure_future(exchange.send_response(send))
        left = asyncio.ensure_future(_left(receive))
        try:
            await asyncio.wait((sending, left), return_when=asyncio.FIRST_COMPLETED)
            if not sending.done():
                await asyncio.wait((working,), timeout=LEFT_SECONDS if exchange.has_worker else 0)
                if not working.done():
                    raise buffers.ClientGoneError
            await sending
        finally:
            for task in (left, sending, working):
                task.cancel()
            await asyncio.gather(left, sending, working, return_exceptions=True)


def _forwarded(scope: buffers.Message) -> str:
    """The header `X-Forwarded-For`, joined in order if it occurs several times: some proxies add one of their own."""
    return b",".join(value for name, value in scope["headers"] if name == b"x-forwarded-for").decode("latin-1")


def _announced_length(scope: buffers.Message) -> int:
    """The length of the body that the client announces; 0 without one."""
    announced = dict(scope["headers"]).get(b"content-length", b"")
    return int(announced) if announced.isdigit() else 0


def _content_length(scope: buffers.Message, body: buffers.BufferedBody) -> int | None:
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
    options = from_environment()
    configure(options.log)
    delete = own_folder()
    pool = Pool(pool_size())
    observers: list[Observer] = [partial(log_request, options)]
    own_pages: dict[str, OwnPage] = {}
    if options.metrics_networks:
        from webapp.observing.metrics import ADDRESS, Metrics  # which need an extra

        metrics = Metrics(__version__, pool.memory)
        observers.append(metrics)
        own_pages[ADDRESS] = partial(metrics.page, options)
    return Front(pool, observers, own_pages, delete)
