"""Finds the processes of a running site by what they do, and kills one of them."""

import os
import signal
from contextlib import suppress
from pathlib import Path

SERVER, FRONT, FORKER, WORKER = "server", "front", "process that forks workers", "worker"
JOB_WORKER, TRAINING = "job worker", "training"
_MARKS = {
    b"webapp.jobs.training": TRAINING,
    b"webapp.jobs\0--beside": JOB_WORKER,
    b"multiprocessing.forkserver": WORKER,
    b"-m\0webapp\0": FRONT,
}


def processes_of(root: int) -> dict[int, str]:
    """Return the processes that a site consists of by their ids, given the first one: what each of them does.

    The first one replaces the front and the job worker when they end. The processes that help a training to count are
    left out.
    """
    parents = _parents()
    found = {root: SERVER}
    while more := {pid for pid, parent in parents.items() if parent in found and pid not in found}:
        found |= {pid: _role(pid) for pid in more}
    forking = {pid: FORKER for pid, role in found.items() if role == WORKER and found.get(parents[pid]) == FRONT}
    helping = {pid for pid, role in found.items() if role == TRAINING and found.get(parents[pid]) == TRAINING}
    return {pid: role for pid, role in {**found, **forking}.items() if role and pid not in helping}


def kill(pid: int) -> bool:
    """Kill a process at once; False if it has ended already."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def members(group: int) -> list[int]:
    """Return the processes of a process group that are not only waiting to be collected."""
    found = []
    for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))):
        with suppress(OSError):
            if os.getpgid(pid) == group and _stat(pid)[0] != "Z":
                found.append(pid)
    return found


def _parents() -> dict[int, int]:
    parents = {}
    for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))):
        with suppress(OSError):
            parents[pid] = int(_stat(pid)[1])
    return parents


def _stat(pid: int) -> list[str]:
    """The fields of `/proc/PID/stat` after the name: the state, the parent and so on."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _role(pid: int) -> str:
    with suppress(OSError):
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        return next((role for mark, role in _MARKS.items() if mark in command), "")
    return ""
