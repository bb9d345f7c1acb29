"""Compares the number of workers and the limits with the processors, memory and open files of this machine."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from webapp.command_line.doctor.finding import Finding, Installation, ok, size, warn
from webapp.server.beside import is_wanted
from webapp.server.pool import most_workers

# The figures of OPERATING.md, "Overload and limits". What all workers share (the site, the built-in vocabularies), and
# the front:
SHARED_BYTES = 450_000_000
# What a worker takes at most besides fetched and uploaded vocabularies (MAX_LOADED_BYTES), between requests.
WORKER_BYTES = 220_000_000
MOST_PER_PROCESSOR = 8
# Two for each of the 8,192 connections of the server, and its own.
FILES = 17_408
CONTROL_GROUP = Path("/sys/fs/cgroup")


def check(installation: Installation) -> Iterator[Finding]:
    """The findings on capacity."""
    workers, available = installation.workers, processors()
    if workers > MOST_PER_PROCESSOR * max(1, available):
        yield warn(
            f"{workers} workers share {available:g} processors.",
            f"Set WEB_CONCURRENCY to about {max(2, round(4 * available))}; in a container, the default counts the "
            "machine's processors.",
        )
    else:
        yield ok(f"{workers} workers have {available:g} processors.")
    most = memory()
    most_at_once = most_workers(workers)
    needed = SHARED_BYTES + most_at_once * (WORKER_BYTES + int(installation.config["MAX_LOADED_BYTES"]))
    told = f"{workers} workers, under load {most_at_once}, may use {size(needed)}"
    if is_wanted():
        trainings = int(installation.config["MAX_TRAININGS"])
        needed += trainings * int(installation.config["MAX_TRAINING_MEMORY_BYTES"])
        told = f"{workers} workers, under load {most_at_once}, and {trainings} trainings may use {size(needed)}"
    if most is not None and needed > most:
        yield warn(
            f"{told} of memory at most; there are {size(most)}.",
            "Lower WEB_CONCURRENCY, TOKENSCOPE_MAX_LOADED_BYTES or TOKENSCOPE_MAX_TRAINING_MEMORY_BYTES, or set "
            "TOKENSCOPE_WORKER=false.",
        )
    elif most is not None:
        yield ok(f"{told} of {size(most)} of memory, at most.")
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if files != resource.RLIM_INFINITY and files < FILES:
        yield warn(
            f"A process may open {files} files, so the server holds fewer connections.",
            f"Raise the hard limit to {FILES} (ulimit -Hn, LimitNOFILE of systemd).",
        )


def processors() -> float:
    """The processors that this process may use: those of the machine, or the share of its control group."""
    counted = float(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    with suppress(OSError, ValueError):
        quota, period = (CONTROL_GROUP / "cpu.max").read_text().split()
        counted = min(counted, int(quota) / int(period))
    return counted


def memory() -> int | None:
    """The memory that this process may use, in bytes; None if the system does not tell."""
    found: list[int] = []
    with suppress(OSError, ValueError):
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(OSError, ValueError):
        found.append(int((CONTROL_GROUP / "memory.max").read_text()))
    return min(found, default=None)
