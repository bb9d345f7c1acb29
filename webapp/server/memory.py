"""Keeps a worker's memory small: a request takes only so much, freed memory goes back to the system, and a worker that
grows too much is replaced.

The limit of a request bounds what nobody has foreseen: beyond it, Python raises MemoryError, and the visitor gets a
page with the text. `memory_watch` bounds what all requests take together.

glibc keeps freed memory for the next request, in one heap for each thread, and raises the size from which it asks the
system for a block of its own with every such block that is freed. A worker then stays as large as its largest request.
Other C libraries, such as musl, return memory by rules of their own; there, only the replacement bounds a worker.
"""

from __future__ import annotations

import ctypes
import gc
import resource
from contextlib import suppress
from pathlib import Path

from webapp.observing.report import resident_bytes

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
        self._libc = ctypes.CDLL(None)
        if hasattr(self._libc, "mallopt"):
            self._libc.mallopt(_ARENA_MAX, 1)  # each request has a thread of its own
            self._libc.mallopt(_MMAP_THRESHOLD, _OWN_BLOCK)
            self._libc.mallopt(_TRIM_THRESHOLD, _OWN_BLOCK)
        self._started_with = private_bytes()
        self._looked_at = resident_bytes()

    def limit(self) -> None:
        """Let the next request take `MOST_TAKEN` bytes more than the worker has now, if the system can limit that."""
        with suppress(OSError, ValueError, StopIteration):
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
