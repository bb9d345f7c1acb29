"""What one request did, recorded where it happens: how long each phase took, and counters such as tokens encoded.

The server starts a report before each request and finishes it afterwards, in the thread that handles the request. Code
anywhere in the site adds to the current report. Outside of the server there is none, and everything here does nothing:

>>> current().add("tokens_total", 12, algorithm="bpe")
>>> start("4f2a").request_id
'4f2a'
>>> with current().phase("tokenize"):
...     current().add("tokens_total", 12, algorithm="bpe")
...     current().add("tokens_total", 3, algorithm="bpe")
>>> finish()["counters"]
[['tokens_total', {'algorithm': 'bpe'}, 15]]
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from pathlib import Path
from types import TracebackType
from typing import Any

# What a worker holds at the moment, by name and labels: measured at the end of each request.
_gauges: dict[tuple[str, tuple[tuple[str, str], ...]], Callable[[], float]] = {}
# Intervals of phases that one report keeps for traces. Later ones only count in the sums.
MOST_INTERVALS = 64


class Report:
    """The record of one request. All times are in seconds, and intervals relative to the start of the report.

    One that is not recording, as outside of the server, ignores everything.
    """

    def __init__(self, request_id: str = "", *, is_recording: bool = True) -> None:
        self.request_id, self.is_recording = request_id, is_recording
        self.endpoint = self.route = ""
        self.counters: dict[tuple[str, tuple[tuple[str, str], ...]], float] = {}
        self.phases: dict[str, float] = {}
        # (name, begin, end, index of the phase around it or -1)
        self.intervals: list[tuple[str, float, float, int]] = []
        self.began_at = time.time()
        self.begun = time.perf_counter()
        self.cpu_begun = time.process_time()
        self.innermost: _Phase | None = None

    def add(self, name: str, amount: float = 1, **labels: str) -> None:
        """Add `amount` to the counter `name` with these labels, whose values must come from a small fixed set."""
        if self.is_recording:
            key = name, tuple(sorted(labels.items()))
            self.counters[key] = self.counters.get(key, 0) + amount

    def phase(self, name: str) -> AbstractContextManager[None]:
        """A context manager that measures its block as the phase `name`, without the phases inside the block."""
        return _Phase(self, name) if self.is_recording else _UNMEASURED

    def set_route(self, endpoint: str, route: str) -> None:
        """Record which endpoint handles the request, and its address as a pattern, such as `/s/<id>`."""
        if self.is_recording:
            self.endpoint, self.route = endpoint, route

    def as_dict(self) -> dict[str, Any]:
        """The report for the front, ready for JSON.

        * `endpoint`, `route`: Flask's names of what handled the request; empty if nothing did
        * `phases`: seconds for each phase, without the phases inside it
        * `counters`: lists of name, labels and amount
        * `pid`: the worker's process; `rss`: its resident memory in bytes; `cpu`: the processor time in seconds
        * `held`: lists of name, labels and value of what the worker holds now (`measure`)
        * `began`: the start in seconds since 1970; `intervals`: lists of a phase's name, begin, end and the index of
          the phase around it, or -1
        """
        return {
            "endpoint": self.endpoint,
            "route": self.route,
            "phases": {name: round(seconds, 6) for name, seconds in self.phases.items()},
            "counters": [[name, dict(labels), amount] for (name, labels), amount in self.counters.items()],
            "pid": os.getpid(),
            "held": [[name, dict(labels), held()] for (name, labels), held in _gauges.items()],
            "rss": resident_bytes(),
            "cpu": round(time.process_time() - self.cpu_begun, 6),
            "began": round(self.began_at, 6),
            "intervals": [[name, round(begin, 6), round(end, 6), outer] for name, begin, end, outer in self.intervals],
        }


class _Phase:
    """Measures its block for a report."""

    def __init__(self, report: Report, name: str) -> None:
        self._report, self._name = report, name

    def __enter__(self) -> None:
        report = self._report
        self._outer = report.innermost
        self._within = 0.0  # seconds of the phases inside this one
        self._begin = time.perf_counter()
        self._index = -1
        if len(report.intervals) < MOST_INTERVALS:
            self._index = len(report.intervals)
            begin = self._begin - report.begun
            report.intervals.append((self._name, begin, begin, self._outer._index if self._outer else -1))
        report.innermost = self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        report, end = self._report, time.perf_counter()
        seconds = end - self._begin
        report.phases[self._name] = report.phases.get(self._name, 0.0) + max(seconds - self._within, 0.0)
        if self._outer is not None:
            self._outer._within += seconds
        if self._index >= 0:
            name, begin, _, outer = report.intervals[self._index]
            report.intervals[self._index] = (name, begin, end - report.begun, outer)
        report.innermost = self._outer


_UNMEASURED: AbstractContextManager[None] = nullcontext()
_NONE = Report(is_recording=False)
_current: ContextVar[Report] = ContextVar("report", default=_NONE)

# The report of the current request, or one that ignores everything.
current: Callable[[], Report] = _current.get


def start(request_id: str = "") -> Report:
    """Make a new report the current one of this thread; `request_id` goes to the logs."""
    begun = Report(request_id)
    _current.set(begun)
    return begun


def finish() -> dict[str, Any]:
    """End the current report and return it as `Report.as_dict` does; empty without a report."""
    ended = _current.get()
    _current.set(_NONE)
    return ended.as_dict() if ended.is_recording else {}


def measure(name: str, held: Callable[[], float], **labels: str) -> None:
    """Call `held` at the end of each request, and report its value as the gauge `name` of this worker."""
    _gauges[name, tuple(sorted(labels.items()))] = held


def resident_bytes(process: int | str = "self") -> int:
    """The resident memory of a process in bytes, including shared pages; 0 if the system does not report it."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
