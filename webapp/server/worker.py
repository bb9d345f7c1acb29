"""A worker process: handles one request at a time, and may be killed at any moment."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from socket import socket
from typing import IO, Any
from wsgiref.types import WSGIApplication

from webapp.server.environment import BODY_FILE
from webapp.server.frames import LENGTH_BYTES, LONGEST, frame, payload_length

NICENESS = 5  # lower priority than the front, which only copies bytes and serves all clients
# A worker that has grown by this many bytes ends, and the pool starts a new one. In ordinary use, the caches of a
# worker hold a third of that.
MOST_GROWTH = 600_000_000


def run(connection: socket) -> None:
    """Handle requests from `connection` until the front closes it."""
    from webapp.pages.train.corpora import FORM_BYTES, UPLOAD_ADDRESS
    from webapp.server.application import application

    # Signals stop the front; a worker finishes its request and ends when the front closes the connection.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.nice(NICENESS)
    config = application.config
    incoming, outgoing = connection.makefile("rb"), connection.makefile("wb")
    settings = {
        "max_body_bytes": config["MAX_CONTENT_LENGTH"] + 2 * config["MAX_UPLOAD_BYTES"],
        "max_request_seconds": config["MAX_REQUEST_SECONDS"],
        "proxies": config["PROXIES"],
        "large_bodies": {UPLOAD_ADDRESS: config["MAX_TRAINING_BYTES"] + FORM_BYTES},
    }
    started_with = resident_bytes()
    try:
        outgoing.write(frame(json.dumps(settings).encode()))
        outgoing.flush()
        while (head := _read_frame(incoming)) is not None:
            body = _read_frame(incoming)
            if body is None:
                return
            answer(application.wsgi_app, json.loads(head), body, outgoing)
            if resident_bytes() - started_with > MOST_GROWTH:
                return
    except (BrokenPipeError, ConnectionResetError):  # the front is gone
        return


def answer(application: WSGIApplication, environment: dict[str, Any], body: bytes, stream: IO[bytes]) -> None:
    """Call `application` with the request, and write its response to `stream` as frames."""
    head: list[object] = []

    def start_response(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
        head[:] = [int(status[:3]), headers]
        return None

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
    stream.write(frame(b""))
    stream.flush()


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


def resident_bytes() -> int:
    """The resident memory of this process in bytes, including shared pages; 0 if the system does not report it."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
