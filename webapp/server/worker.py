"""A worker process: handles one request at a time, and may be killed at any moment.

The front and a worker exchange frames, each a length followed by that many bytes. A request is two frames: its WSGI
environment as JSON, and its body, which is empty if the environment names a file with the body. A response begins with
one frame with the number of the thread that handles the request, as JSON, and an empty one if the request is about to
store something (`STORES`). It continues with one frame with status and headers as JSON, one for each part of the body,
an empty one, and one with the worker's report as JSON (`webapp/observing/report.py`). Before its first request, a
worker sends one frame with its settings as JSON.
"""

from __future__ import annotations

import io
import json
import logging
import os
import signal
import struct
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from socket import socket
from typing import IO, Any
from wsgiref.types import WSGIApplication

from webapp.observing import report
from webapp.server.limits import WorkerMemory, lower
from webapp.web.server_variables import BODY_FILE, HEAVY, STORES

_LENGTH = struct.Struct("!I")
LENGTH_BYTES = _LENGTH.size
LONGEST = 1 << 20  # bytes in one frame of a body


def frame(payload: bytes) -> bytes:
    r"""`payload` as a frame: its length as four bytes, big-endian, and its content.

    >>> frame(b"ok")
    b'\x00\x00\x00\x02ok'
    """
    return _LENGTH.pack(len(payload)) + payload


def payload_length(prefix: bytes) -> int:
    r"""The length of the payload, from the first four bytes of a frame.

    >>> payload_length(b"\0\0\0\2")
    2
    """
    (length,) = _LENGTH.unpack(prefix)
    return int(length)


log = logging.getLogger(__name__)

NICENESS = 5  # lower priority than the front, which only copies bytes and serves all clients
# The stack of the thread that handles a request, in bytes: as much as the main thread has on most systems.
STACK_BYTES = 8 << 20


def run(connection: socket) -> None:
    """Handle requests from `connection` until the front closes it."""
    from webapp.pages.train.corpora import FORM_BYTES, UPLOAD_ADDRESS
    from webapp.server.application import application

    # Signals stop the front; a worker finishes its request and ends when the front closes the connection.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with suppress(OSError, AttributeError):
        os.nice(NICENESS)
    threading.stack_size(STACK_BYTES)
    config = application.config
    incoming, outgoing = connection.makefile("rb"), connection.makefile("wb")
    settings = {
        "max_body_bytes": config["MAX_CONTENT_LENGTH"] + 2 * config["MAX_UPLOAD_BYTES"],
        "max_request_seconds": config["MAX_REQUEST_SECONDS"],
        "proxies": config["PROXIES"],
        "max_queue_seconds": config["MAX_QUEUE_SECONDS"],
        "max_work_seconds": config["MAX_WORK_SECONDS"],
        "large_bodies": {UPLOAD_ADDRESS: config["MAX_TRAINING_BYTES"] + FORM_BYTES},
    }
    memory = WorkerMemory()
    try:
        outgoing.write(frame(json.dumps(settings).encode()))
        outgoing.flush()
        while (head := _read_frame(incoming)) is not None:
            body = _read_frame(incoming)
            if body is None:
                return
            handling = Handling(application.wsgi_app, json.loads(head), body, outgoing, memory)
            handling.start()
            handling.join()
            if handling.error is not None:
                raise handling.error
    except (BrokenPipeError, ConnectionResetError):  # the front is gone
        return
    except Exception:
        log.exception("A worker ended in the middle of a request")


class Handling(threading.Thread):
    """The thread that handles one request. Its priority may be lowered, and ends with it.

    `error` is the exception that ended it, if any.
    """

    def __init__(
        self,
        application: WSGIApplication,
        environment: dict[str, Any],
        body: bytes,
        stream: IO[bytes],
        memory: WorkerMemory,
    ) -> None:
        super().__init__(daemon=True)
        self._application, self._environment, self._body, self._stream = application, environment, body, stream
        self._memory = memory
        self.error: BaseException | None = None

    def run(self) -> None:
        """Write the response, from the thread's number to the report."""
        try:
            if self._environment.get(HEAVY) and self.native_id:
                lower(self.native_id)
            self._stream.write(frame(json.dumps(self.native_id).encode()))
            self._stream.flush()
            self._memory.limit()
            report.start(self._environment.get("HTTP_X_REQUEST_ID", ""))
            answer(self._application, self._environment, self._body, self._stream)
            self._environment, self._body = {}, b""
            finished = report.finish()
            cached = sum(value for name, _labels, value in finished["held"] if name == "cache_bytes")
            finished["leaves"] = self._memory.tidy(cached)
            self._stream.write(frame(b"") + frame(json.dumps(finished).encode()))
            self._stream.flush()
        except BaseException as error:
            self.error = error


def answer(application: WSGIApplication, environment: dict[str, Any], body: bytes, stream: IO[bytes]) -> None:
    """Call `application` with the request, and write its response to `stream` as frames, without the empty one."""
    head: list[object] = []

    def start_response(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
        head[:] = [int(status[:3]), headers]
        return None

    def tell_storing() -> None:
        stream.write(frame(b""))
        stream.flush()

    file = environment.pop(BODY_FILE, None)
    with Path(file).open("rb") if file else io.BytesIO(body) as content:
        environment |= {
            "wsgi.version": (1, 0),
            "wsgi.input": content,
            "wsgi.input_terminated": True,
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": False,
            "wsgi.multiprocess": True,
            "wsgi.run_once": False,
            STORES: tell_storing,
        }
        parts: Iterable[bytes] = application(environment, start_response)
        try:
            for part in parts:
                _send_head(stream, head)
                for start in range(0, len(part), LONGEST):
                    stream.write(frame(part[start : start + LONGEST]))
                stream.flush()
            _send_head(stream, head)
        finally:
            if hasattr(parts, "close"):
                parts.close()


def _send_head(stream: IO[bytes], head: list[object]) -> None:
    if head:
        stream.write(frame(json.dumps(head).encode()))
        head.clear()


def _read_frame(stream: IO[bytes]) -> bytes | None:
    prefix = stream.read(LENGTH_BYTES)
    if len(prefix) < LENGTH_BYTES:
        return None
    length = payload_length(prefix)
    payload = stream.read(length)
    return payload if len(payload) == length else None
