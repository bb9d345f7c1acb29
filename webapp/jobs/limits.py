"""Limits of a training's processes: their priority, and memory, disk and time that they cannot exceed.

Two limits hold for memory. The kernel refuses a process more than the limit for its data (`RLIMIT_DATA`: of all limits
that the kernel knows, the one that counts what a process may write, not what it only maps). And the worker adds up the
resident memory of all processes of a training several times a second, and stops them when it is over the limit.
"""

from __future__ import annotations

import os
import resource
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

GREATEST_NICENESS = 19
_SECRET = ("DATABASE_URL", "REDIS_URL", "TOKENSCOPE_")  # settings that a process of a job need not know


@dataclass(frozen=True)
class Limits:
    """What one training may take: seconds of processor time, and bytes."""

    seconds: int
    memory: int
    disk: int
    text: int  # of the corpus after decompression
    gently: bool = True  # with the lowest priority, as long as it gets its share


def job_environment(folder: str) -> dict[str, str]:
    """The environment of a job's process: without the site's settings, with its temporary files in `folder`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_SECRET)}
    package = str(Path(__file__).resolve().parents[2])
    return kept | {"TMPDIR": folder, "PYTHONPATH": package, "PYTHONDONTWRITEBYTECODE": "1"}


def set_priority(process: int, niceness: int) -> bool:
    """Set the priority of a process and of its session, as far as the system allows; False if trying again may help.

    With the greatest niceness it is `SCHED_IDLE`, where the kernel also lets reads and writes wait for those of others.
    A user may lower a priority, but raise it only with RLIMIT_NICE. Where the kernel groups processes by session to
    share the time, niceness counts within a session only, so the session gets one as well, which any user may raise.
    """
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, process, niceness)
    if hasattr(os, "SCHED_IDLE"):
        policy = os.SCHED_IDLE if niceness == GREATEST_NICENESS else os.SCHED_OTHER
        with suppress(OSError):
            os.sched_setscheduler(process, policy, os.sched_param(0))
    try:
        Path(f"/proc/{process}/autogroup").write_text(str(niceness))
    except BlockingIOError:  # the kernel takes only ten such changes a second, of all processes together
        return False
    except OSError:
        pass
    return True


def limit_resources(memory: int, disk: int) -> None:
    """Limit the data of this process, and of each child, and the size of the files that it writes."""
    for name, most in ((resource.RLIMIT_DATA, memory), (resource.RLIMIT_FSIZE, disk), (resource.RLIMIT_CORE, 0)):
        with suppress(OSError, ValueError):  # a lower limit is in force already
            resource.setrlimit(name, (most, most))
    with suppress(OSError):  # if the machine has no memory left, the kernel ends these processes first
        Path("/proc/self/oom_score_adj").write_text("1000")


def resident_bytes(session: int) -> int:
    """The resident memory of all processes of a session; 0 where the system does not tell."""
    return os.sysconf("SC_PAGE_SIZE") * sum(_fields(process, "statm")[1] for process in processes_of(session))


def processor_seconds(session: int) -> float:
    """The processor time of all processes of a session, and of those that have ended; 0 where the system does not tell.

    A process that has ended counts with its parent, which has waited for it.
    """
    return sum(sum(_fields(process, "stat")[11:15]) for process in processes_of(session)) / os.sysconf("SC_CLK_TCK")


def processes_of(session: int) -> list[int]:
    """The processes of a session; none where the system does not tell."""
    found = []
    with suppress(OSError):
        for name in filter(str.isdecimal, os.listdir("/proc")):
            with suppress(OSError):  # it may end at any moment
                if os.getsid(int(name)) == session:
                    found.append(int(name))
    return found


def _fields(process: int, file: str) -> list[int]:
    """The numbers in a file of a process, after its name and state; zeros if it has ended."""
    try:
        content = Path("/proc", str(process), file).read_text()
    except OSError:
        return [0] * 15
    return [int(field) if field.lstrip("-").isdecimal() else 0 for field in content.rpartition(")")[2].split()]


def processors() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
