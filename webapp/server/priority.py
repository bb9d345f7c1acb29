"""The priority of the threads in which workers handle requests.

Linux has a priority for each thread, and any process of the same user may lower it. A worker handles each request in a
new thread, so lowering it needs no privilege to be undone. The front does it from outside: a thread inside the worker
could not run while a C function holds the interpreter's lock. On other systems, priorities stay as they are.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

# The niceness of heavy requests where the system does not allow `SCHED_IDLE`. Beside a thread of a worker (niceness 5),
# a thread then gets 4 % of a core, with `SCHED_IDLE` 1 %, and all of an idle core either way.
LOWEST = 19
# A light request that has used this much processor time turns out heavy, in seconds.
MOST_LIGHT_SECONDS = 0.3
# A request that has neither used nor waited for a processor for this time is waiting for something else, in seconds.
BLOCKED_SECONDS = 0.5
# The shortest interval between two checks of a request, in seconds.
INTERVAL = 0.05


def lower(thread: int) -> None:
    """Give `thread` the lowest priority; nothing happens if it has ended or the system does not allow it."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, thread, LOWEST)
        with suppress(OSError):
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
        if sys.platform != "linux":
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
