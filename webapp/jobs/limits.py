"""Limits of a training's processes: low priority, and memory, disk and time that they cannot exceed.

Two limits hold for memory. The kernel refuses a process more than the limit for its data (`RLIMIT_DATA`: of all limits
that the kernel knows, the one that counts what a process may write, not what it only maps). And the worker adds up the
resident memory of all processes of a training several times a second, and stops them when it is over the limit.
"""

from __future__ import annotations

import os
import resource
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

GREATEST_NICENESS = 19
_SECRET = ("DATABASE_URL", "REDIS_URL", "TOKENSCOPE_")  # settings that a process of a job need not know


@dataclass(frozen=True)
class Limits:
    """What one training may take: seconds, and bytes."""

    seconds: int
    memory: int
    disk: int
    text: int  # of the corpus after decompression
    gently: bool = True  # with the lowest priority


def job_environment(folder: str) -> dict[str, str]:
    """The environment of a job's process: without the site's settings, with its temporary files in `folder`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_SECRET)}
    package = str(Path(__file__).resolve().parents[2])
    return kept | {"TMPDIR": folder, "PYTHONPATH": package, "PYTHONDONTWRITEBYTECODE": "1"}


def lower_priority(niceness: int = GREATEST_NICENESS) -> None:
    """Give this process, the first of its session, and its children only the time that no other process wants.

    With `SCHED_IDLE`, the kernel also lets their reads and writes wait for those of others. Where it groups processes
    by session to share the time, niceness counts within a session only, so the session gets one as well. With a lower
    niceness than the greatest, there is some time for the process on a busy machine, too.
    """
    with suppress(OSError):
        os.nice(niceness)
    if niceness == GREATEST_NICENESS and hasattr(os, "SCHED_IDLE"):
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    for _ in range(20):
        try:
            Path("/proc/self/autogroup").write_text(str(niceness))
            break
        except BlockingIOError:  # the kernel takes only ten such changes a second, of all processes together
            time.sleep(0.05)
        except OSError:
            break
    with suppress(OSError):  # if the machine has no memory left, the kernel ends these processes first
        Path("/proc/self/oom_score_adj").write_text("1000")


def limit_resources(memory: int, disk: int) -> None:
    """Limit the data of this process, and of each child, and the size of the files that it writes."""
    for name, most in ((resource.RLIMIT_DATA, memory), (resource.RLIMIT_FSIZE, disk), (resource.RLIMIT_CORE, 0)):
        with suppress(OSError, ValueError):  # a lower limit is in force already
            resource.setrlimit(name, (most, most))


def resident_bytes(session: int) -> int:
    """The resident memory of all processes of a session; 0 where the system does not tell."""
    total = 0
    page = os.sysconf("SC_PAGE_SIZE")
    with suppress(OSError):
        for name in os.listdir("/proc"):
            if not name.isdecimal():
                continue
            with suppress(OSError, ValueError, IndexError):  # it may end at any moment
                if os.getsid(int(name)) == session:
                    total += int(Path("/proc", name, "statm").read_text().split()[1]) * page
    return total


def processors() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
