"""Memory and processor time of the site's processes: `python -m tests.load.processes PORT SECONDS` prints CSV rows.

A process of its own, because reading `/proc/PID/smaps_rollup` takes long enough to delay what is measured.
"""

import csv
import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import astuple, dataclass, fields
from statistics import linear_regression

import psutil


@dataclass(frozen=True)
class Usage:
    """What all processes of the site use at `at` (`time.time`).

    Bytes: `total` counts pages that processes share once (PSS), `largest` is the most private memory of one process.
    `cpu` is the seconds since the first sample.
    """

    at: float
    processes: int
    total: int
    largest: int
    cpu: float


def site_at(port: int) -> psutil.Process | None:
    """Return the site's first process: the topmost one of those that run `webapp` and listen on a port of this machine.

    None if it is not found: on another machine, or of another user.
    """
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if any(each.status == psutil.CONN_LISTEN and each.laddr.port == port for each in process.net_connections()):
                while (parent := process.parent()) and "webapp" in parent.cmdline():
                    process = parent
                return process
    return None


def usages(site: psutil.Process, every: float) -> Iterator[Usage]:
    """Yield what the site and its descendants use, every few seconds, until it ends."""
    seconds: dict[tuple[int, float], float] = {}  # by the id of a process and its start; those that ended count too
    start: float | None = None
    due = time.monotonic()
    while site.is_running():
        total = largest = alive = 0
        with suppress(psutil.NoSuchProcess):
            for process in [site, *site.children(recursive=True)]:
                with suppress(psutil.Error):
                    memory, times = process.memory_full_info(), process.cpu_times()
                    total, largest, alive = total + memory.pss, max(largest, memory.uss), alive + 1
                    seconds[process.pid, process.create_time()] = times.user + times.system
        used = sum(seconds.values())
        start = used if start is None else start
        yield Usage(time.time(), alive, total, largest, used - start)
        due += every
        time.sleep(max(0.0, due - time.monotonic()))


def growth(measured: list[Usage]) -> float:
    """Return by how much the largest private memory grew over the second half, in bytes, after a straight line."""
    half = measured[len(measured) // 2 :]
    if len(half) < 2:
        return 0.0
    line = linear_regression([each.at for each in half], [each.largest for each in half])
    return line.slope * (half[-1].at - half[0].at)


def read(lines: Iterator[str]) -> list[Usage]:
    """Return the rows that `main` printed."""
    rows = csv.reader(lines)
    next(rows, None)
    return [Usage(float(row[0]), *map(int, row[1:4]), float(row[4])) for row in rows if len(row) == 5]


def main(port: int, every: float) -> int:
    """Print a row every few seconds until the site ends; return 1 if it is not found."""
    site = site_at(port)
    if site is None:
        return 1
    os.nice(5)
    rows = csv.writer(sys.stdout)
    rows.writerow(field.name for field in fields(Usage))
    for usage in usages(site, every):
        rows.writerow(astuple(usage))
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1]), float(sys.argv[2])))
