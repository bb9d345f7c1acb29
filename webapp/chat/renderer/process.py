"""The process that renders templates.

It waits for requests on standard input, a socket, and answers there. For each it forks a child that takes its limits
upon itself, compiles and renders, and writes a line of JSON for each rendering; this process, which runs no template,
passes the lines on when the child has ended or has been ended. A request and an answer are frames: four bytes of
length, then JSON.
"""

from __future__ import annotations

# Some of these are imported by Jinja when first used: a child cannot, for it opens no files.
import gc
import json
import os
import pprint  # noqa: F401
import resource
import select
import signal
import textwrap  # noqa: F401
import time
import unicodedata  # noqa: F401
from collections.abc import Mapping
from contextlib import suppress
from types import FrameType
from typing import Any

import jinja2
import jinja2.constants
import jinja2.debug

from . import rendering
from .rendering import CPU_SECONDS, WALL_SECONDS, Clock, RenderTimeError, answer, environment, line_now

STOPPING = (signal.SIGPROF, signal.SIGALRM)
# What a renderer does before the first request, so that each child finds it done.
WARMING: Mapping[str, Any] = {
    "source": "{{ '\\u0041' ~ strftime_now('%d %b %Y') }}{{ {'a': 1} | tojson }}{{ 'a b' | wordwrap(1) }}{{ 1 + '' }}",
    "messages": [{"role": "user", "content": "x"}],
    "tools": None,
    "reply": True,
    "variables": {},
    "now": "2026-01-01",
    "base": 0xF0000,
    "marks": 22,
    "extra": [],
}


def limit() -> None:
    """Set the resource limits that this system supports."""
    base = 0
    with suppress(OSError, ValueError, IndexError), open("/proc/self/statm", "rb") as file:
        base = int(file.read().split()[0]) * resource.getpagesize()
    whole = base + rendering.MEMORY if base else 1_000_000_000
    limits = [
        ("RLIMIT_CORE", 0, 0),
        ("RLIMIT_CPU", CPU_SECONDS, CPU_SECONDS + 1),
        ("RLIMIT_AS", whole, whole + rendering.RESERVE),
        ("RLIMIT_FSIZE", 0, 0),
        ("RLIMIT_NPROC", 0, 0),
        ("RLIMIT_NOFILE", 0, 0),
    ]
    for name, soft, hard in limits:
        with suppress(OSError, ValueError, AttributeError):
            resource.setrlimit(getattr(resource, name), (soft, hard))


def more_memory() -> None:
    """Allocate the reserve, so that a memory error can still be reported."""
    with suppress(OSError, ValueError):
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def child(payload: bytes, output: int, made: jinja2.Environment, clock: Clock) -> None:
    """Answer one request within the limits, a line at a time, and never return."""

    def stop(_signal: int, frame: FrameType | None) -> None:
        raise RenderTimeError(line_now(frame))

    def write(line: Mapping[str, Any]) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)  # a line is written whole
        if line.get("kind") == "memory":
            more_memory()
        _write(output, json.dumps(line, ensure_ascii=False).encode(errors="replace") + b"\n")
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)

    try:
        limit()
        # Somewhat before this process is ended, so that it can report the line.
        for number in STOPPING:
            signal.signal(number, stop)
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS - 0.1)
        signal.setitimer(signal.ITIMER_REAL, WALL_SECONDS - 0.5)
        for line in answer(json.loads(payload), made, clock):
            write(line)
    except RenderTimeError as error:
        write({"kind": "time", "line": error.line, "message": ""})
    except MemoryError:
        write({"kind": "memory", "line": None, "message": ""})
    finally:
        os._exit(0)


def serve(payload: bytes, made: jinja2.Environment, clock: Clock) -> bytes:
    """The lines of a child that answers a request; if it ends without any, one that says why."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        for descriptor in (0, 1, reading):
            os.close(descriptor)
        child(payload, writing, made, clock)
    os.close(writing)
    received, ended = _received(reading, time.monotonic() + WALL_SECONDS)
    os.close(reading)
    if not ended:
        os.kill(process, signal.SIGKILL)
    _pid, status, usage = os.wait4(process, 0)
    if lines := received[: received.rfind(b"\n") + 1]:  # after the last is what the child was writing when it was ended
        return lines
    is_late = not ended or os.waitstatus_to_exitcode(status) in (-signal.SIGKILL, -signal.SIGXCPU)
    is_late = is_late or usage.ru_utime + usage.ru_stime >= CPU_SECONDS
    return json.dumps({"kind": "time" if is_late else "memory"}).encode() + b"\n"


def _received(descriptor: int, deadline: float) -> tuple[bytes, bool]:
    """What the child writes until it ends, and whether it does so in time and within the limit."""
    received = bytearray()
    while len(received) <= rendering.MOST_RECEIVED:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([descriptor], [], [], left)[0]:
            return bytes(received), False
        chunk = os.read(descriptor, 1 << 18)
        if not chunk:
            return bytes(received), True
        received += chunk
    return bytes(received), False


def _write(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


def main() -> None:
    """Answer requests until the site closes the socket."""
    clock = Clock()
    made = environment(clock)
    for warming in (WARMING, {"inspect": WARMING["source"]}):
        for _line in answer(warming, made, clock):
            pass
    gc.collect()
    gc.freeze()
    os.environ.clear()
    requests = os.fdopen(0, "rb")
    while size := requests.read(4):
        length = int.from_bytes(size, "big")
        payload = requests.read(min(length, rendering.MOST_REQUEST))
        if len(payload) < length:
            return  # the site is gone, or the request is too long
        content = serve(payload, made, clock)
        _write(0, len(content).to_bytes(4, "big") + content)
