"""What a request may take: the priority of its thread, and its memory.

Linux has a priority for each thread, and any process of the same user may lower it. A worker handles each request in a
new thread, so lowering it needs no privilege to be undone. The front does it from outside: a thread inside the worker
could not run while a C function holds the interpreter's lock. On other systems, priorities stay as they are.

The limit of a request's memory bounds what nobody has foreseen: beyond it, Python raises MemoryError, and the visitor
gets a page with the text. `pool.MemoryWatch` bounds what all requests take together: the largest of them is stopped.

glibc keeps freed memory for the next request, in one heap for each thread, and raises the size from which it asks the
system for a block of its own with every such block that is freed. A worker then stays as large as its largest request.
`WorkerMemory` gives memory back, and has a worker replaced that grows too much. Other C libraries, such as musl, return
memory by rules of their own; there, only the replacement bounds a worker.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from webapp.observing.report import resident_bytes
from webapp.processes import has_proc, resource

# The niceness of heavy requests where the system does not allow `SCHED_IDLE`. Beside a thread of a worker (niceness 5),
# a thread then gets 4 % of a core, with `SCHED_IDLE` 1 %, and all of an idle core either way.
LOWEST = 19
# A light request that has used this much processor time turns out heavy, in seconds.
MOST_LIGHT_SECONDS = 0.3
# A request that has neither used nor waited for a processor for this time is waiting for something else, in seconds.
BLOCKED_SECONDS = 0.5
# The shortest interval between two checks of a request, and that between two of all memory, in seconds.
INTERVAL = 0.05


def lower(thread: int) -> None:
    """Give `thread` the lowest priority; nothing happens if it has ended or the system does not allow it."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            os.setpriority(os.PRIO_PROCESS, thread, LOWEST)
        with suppress(OSError, AttributeError):
            # Any other thread that wakes up interrupts it at once instead of waiting for the end of its slice of time.
            os.sched_setscheduler(thread, os.SCHED_IDLE, os.sched_param(0))


def processor_seconds(process: int | None, thread: int) -> tuple[float, float] | None:
    """How long `thread` has used a processor and waited for one, in seconds; None if it has ended."""
    try:
        used, waited, _ = Path(f"/proc/{process}/task/{thread}/schedstat").read_text().split()
    except (OSError, ValueError):
        return None
    return int(used) / 1e9, int(waited) / 1e9


class Watch:
    """Watches a light request, and lowers its priority when it turns out heavy.

    `on_heavy` is called then, and `on_blocked` once the request waits for something else than a processor.
    """

    def __init__(
        self, process: int | None, thread: int, on_heavy: Callable[[], None], on_blocked: Callable[[], None]
    ) -> None:
        self._process, self._thread = process, thread
        self._on_heavy, self._on_blocked = on_heavy, on_blocked
        self._is_blocked = False
        self._begun = time.monotonic()
        self._next = asyncio.get_running_loop().call_later(MOST_LIGHT_SECONDS, self._check)

    def end(self) -> None:
        """Stop watching."""
        self._next.cancel()

    def _check(self) -> None:
        elapsed = time.monotonic() - self._begun
        if not has_proc():
            used, waited = elapsed, 0.0
        elif (seconds := processor_seconds(self._process, self._thread)) is not None:
            used, waited = seconds
        else:
            return
        if used >= MOST_LIGHT_SECONDS:
            lower(self._thread)
            self._on_heavy()
            return
        if not self._is_blocked and elapsed - used - waited >= BLOCKED_SECONDS:
            self._is_blocked = True
            self._on_blocked()
        pause = max(MOST_LIGHT_SECONDS - used, INTERVAL)
        self._next = asyncio.get_running_loop().call_later(pause, self._check)


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
        self._started_with = private_bytes()
        self._looked_at = resident_bytes()

    def limit(self) -> None:
        """Let the next request take `MOST_TAKEN` bytes more than the worker has now, if the system can limit that."""
        with suppress(OSError, ValueError, StopIteration, AttributeError):
            lines = Path("/proc/self/status").read_text().splitlines()
            data = next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmData:"))
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
        return private_bytes() - self._started_with > MOST_GROWTH + cached


def private_bytes() -> int:
    """The memory that belongs to this process alone, in bytes; its resident memory where the system does not say."""
    try:
        lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    except OSError:
        return resident_bytes()
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Private_"))


# The most that the running requests may take together, in bytes. With two workers, a site without requests has 670 MB.
MOST_TOGETHER = 530 << 20
