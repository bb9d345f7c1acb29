"""A worker process: handles one request at a time, and may be killed at any moment.

The front and a worker exchange frames, each a length followed by that many bytes. A request is two frames: its WSGI
environment as JSON, and its body, which is empty if the environment names a file with the body. A response begins with
one frame with the number of the thread that handles the request, as JSON, and an empty one if the request is about to
store something (`STORES`). It continues with one frame with status and
headers as JSON, one for each part of the body, an empty one, and one with the worker's report as JSON
(`webapp/observing/report.py`). Before its first request, a worker sends one frame with its settings as JSON.

The limit of a request's memory bounds what nobody has foreseen: beyond it, Python raises MemoryError, and the visitor
gets a page with the text. glibc keeps freed memory for the next request, in one heap for each thread, and raises
the size from which it asks the system for a block of its own with every such block that is freed. A worker would then
stay as large as its largest request. `WorkerMemory` gives memory back, and has a worker replaced that grows too much.
Other C libraries, such as musl, return memory by rules of their own; there, only the replacement bounds a worker.
"""

import ctypes
import gc
import io
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from socket import socket
from typing import IO, Any
from wsgiref.types import WSGIApplication

from webapp.observing import report
from webapp.processes import bytes_in, read_frame, resident_bytes, resource, send_frames
from webapp.web.server_variables import BODY_FILE, FORM_BYTES, STORES, UPLOAD_ADDRESS

# Bytes in one frame: of a part of the response, and at most of what the front sends.
LONGEST, MOST_SENT = 1 << 20, 1 << 28

log = logging.getLogger(__name__)

NICENESS = 5  # lower priority than the front, which only copies bytes and serves all clients
# The stack of the thread that handles a request, in bytes: as much as the main thread has on most systems.
STACK_BYTES = 8 << 20
# A worker is replaced if its memory, apart from what it shares with the others, has grown by this many bytes more than
# its caches count: by heaps with holes, or by objects that no cache counts, such as compiled patterns, descriptions of
# vocabularies, and shared pages that are copied because their objects are used.
MOST_GROWTH = 160 << 20
# Bytes by which a worker must have grown since the last look before it looks for memory to give back: that takes 5 to
# 20 ms, and after most requests there is none.
LOOKED_FOR = 16 << 20
# The most that a request may take, in bytes of address space for data. Six tokenizers on a megabyte take 530 MB, more
# than any other page.
MOST_TAKEN = 600 << 20
# The numbers of the options of `mallopt`, from <malloc.h>.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
_OWN_BLOCK = 256 << 10  # bytes; setting it also stops glibc from raising it


class WorkerMemory:
    """The memory of the worker process that creates it."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None if os.name == "posix" else "msvcrt")
        if hasattr(self._libc, "mallopt"):
            self._libc.mallopt(_ARENA_MAX, 1)  # each request has a thread of its own
            self._libc.mallopt(_MMAP_THRESHOLD, _OWN_BLOCK)
            self._libc.mallopt(_TRIM_THRESHOLD, _OWN_BLOCK)
        self._started_with = _own_bytes()
        self._looked_at = resident_bytes()

    def limit(self) -> None:
        """Let the next request take `MOST_TAKEN` bytes more than the worker has now, if the system can limit that."""
        with suppress(OSError, ValueError, AttributeError):
            if data := bytes_in("self", "status", "VmData:"):
                _, hard = resource.getrlimit(resource.RLIMIT_DATA)
                resource.setrlimit(resource.RLIMIT_DATA, (data + MOST_TAKEN, hard))

    def tidy(self, cached: float) -> bool:
        """Give memory back after a request, and return whether the worker has grown too much to go on.

        `cached` are the bytes that its caches hold by their own count.
        """
        if resident_bytes() - self._looked_at < LOOKED_FOR:
            return False
        gc.collect()
        if hasattr(self._libc, "malloc_trim"):
            self._libc.malloc_trim(0)
        self._looked_at = resident_bytes()
        return _own_bytes() - self._started_with > MOST_GROWTH + cached


def _own_bytes() -> int:
    """The memory that belongs to this process alone, in bytes; its resident memory where the system does not say."""
    return bytes_in("self", "smaps_rollup", "Private_") or resident_bytes()


def run(connection: socket) -> None:
    """Handle requests from `connection` until the front closes it."""
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
    send_frames(outgoing, json.dumps(settings).encode())
    while (head := read_frame(incoming, MOST_SENT)) and (body := read_frame(incoming, MOST_SENT)) is not None:
        # A thread of its own, whose priority may be lowered: Linux lets nobody raise it again.
        given = (application.wsgi_app, json.loads(head), body, outgoing, memory)
        handling = threading.Thread(target=_handle, args=given, daemon=True)
        handling.start()
        del given, head, body
        handling.join()


def _handle(
    application: WSGIApplication, environment: dict[str, Any], body: bytes, stream: IO[bytes], memory: WorkerMemory
) -> None:
    """Write the response, from the thread's number to the report; end the process if that fails."""
    try:
        send_frames(stream, json.dumps(threading.get_native_id()).encode())
        memory.limit()
        report.start(environment.get("HTTP_X_REQUEST_ID", ""))
        answer(application, environment, body, stream)
        del environment, body
        finished = report.finish()
        cached = sum(value for name, _labels, value in finished["held"] if name == "cache_bytes")
        finished["leaves"] = memory.tidy(cached)
        send_frames(stream, b"", json.dumps(finished).encode())
    except BaseException as error:
        if not isinstance(error, BrokenPipeError | ConnectionResetError):  # the front is gone
            log.exception("A worker ended in the middle of a request")
        os._exit(1)


def answer(application: WSGIApplication, environment: dict[str, Any], body: bytes, stream: IO[bytes]) -> None:
    """Call `application` with the request, and write its response to `stream` as frames, without the empty one."""
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
            STORES: lambda: send_frames(stream, b""),
        }
        parts: Iterable[bytes] = application(environment, start_response)
        try:
            for part in parts:
                _send_head(stream, head)
                send_frames(stream, *(part[start : start + LONGEST] for start in range(0, len(part), LONGEST)))
            _send_head(stream, head)
        finally:
            if hasattr(parts, "close"):
                parts.close()


def _send_head(stream: IO[bytes], head: list[object]) -> None:
    if head:
        send_frames(stream, json.dumps(head).encode())
        head.clear()
