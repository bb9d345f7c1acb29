"""A worker: a process that answers one request at a time, and may be killed at any moment."""

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

NICENESS = 5  # the front goes first: it only moves bytes, for everybody
# A worker that has grown by so many bytes makes room for a new one. What the caches of a worker hold in ordinary use
# is a third of that.
MOST_GROWTH = 600_000_000


def run(connection: socket) -> None:
    """Answer requests that come over `connection` until it is closed."""
    from webapp.server.application import application

    # Whoever stops the site stops the front; a worker ends with its connection, after what it is doing.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.nice(NICENESS)
    config = application.config
    incoming, outgoing = connection.makefile("rb"), connection.makefile("wb")
    settings = {
        "max_body_bytes": config["MAX_CONTENT_LENGTH"] + 2 * config["MAX_UPLOAD_BYTES"],
        "max_request_seconds": config["MAX_REQUEST_SECONDS"],
        "proxies": config["PROXIES"],
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
    """Send what `application` answers to the request of `environment` and `body`."""
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
    """The memory of this process that is in use, shared parts included; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
