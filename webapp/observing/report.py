"""What is known of one request: the worker's report and the front's record.

**The report** is filled where things happen: how long each phase took, and counters such as tokens encoded. The worker
starts one before each request and finishes it afterwards, in the thread that handles the request. Code anywhere in the
site adds to the current report. Outside of the server there is none, and everything here does nothing:

>>> current().add("tokens_total", 12, algorithm="bpe")
>>> start("4f2a").request_id
'4f2a'
>>> with current().phase("tokenize"):
...     current().add("tokens_total", 12, algorithm="bpe")
...     current().add("tokens_total", 3, algorithm="bpe")
>>> finish()["counters"]
[['tokens_total', {'algorithm': 'bpe'}, 15]]

**The record** has the report, and what the front sees of the request. Observers get it when the request has ended.
"""

import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import uuid4

# A name with its labels.
_Series = tuple[str, tuple[tuple[str, str], ...]]
# What a worker holds at the moment: measured at the end of each request.
_gauges: dict[_Series, Callable[[], float]] = {}


class RequestReport:
    """The report of one request, with times in seconds.

    One that is not recording, as outside of the server, ignores everything.
    """

    def __init__(self, request_id: str = "", *, is_recording: bool = True) -> None:
        self.request_id, self.is_recording = request_id, is_recording
        self.route = ""
        self._counters: dict[_Series, float] = {}
        self._phases: dict[str, float] = {}
        self._inside = 0.0  # the time of the phases inside the current one
        self._cpu_begun = time.process_time()

    def add(self, name: str, amount: float = 1, **labels: str) -> None:
        """Add `amount` to the counter `name` with these labels, whose values must come from a small fixed set."""
        if self.is_recording:
            key = name, tuple(sorted(labels.items()))
            self._counters[key] = self._counters.get(key, 0) + amount

    def phase(self, name: str) -> AbstractContextManager[None]:
        """A context manager that measures its block as the phase `name`, without the phases inside the block."""
        return self._measured(name) if self.is_recording else _UNMEASURED

    @contextmanager
    def _measured(self, name: str) -> Iterator[None]:
        begun, outer, self._inside = time.perf_counter(), self._inside, 0.0
        try:
            yield
        finally:
            seconds = time.perf_counter() - begun
            self._phases[name] = self._phases.get(name, 0.0) + max(seconds - self._inside, 0.0)
            self._inside = outer + seconds

    def set_route(self, route: str) -> None:
        """Record the address of the request as a pattern, such as `/s/<id>`."""
        if self.is_recording:
            self.route = route

    def as_dict(self) -> dict[str, Any]:
        """The report for the front, ready for JSON.

        * `route`: the pattern of the address; empty if no view handled the request
        * `phases`: seconds for each phase, without the phases inside it
        * `counters`: lists of name, labels and amount
        * `pid`: the worker's process; `cpu`: the processor time in seconds
        * `held`: lists of name, labels and value of what the worker holds now (`measure`)
        """
        return {
            "route": self.route,
            "phases": {name: round(seconds, 6) for name, seconds in self._phases.items()},
            "counters": [[name, dict(labels), amount] for (name, labels), amount in self._counters.items()],
            "pid": os.getpid(),
            "held": [[name, dict(labels), held()] for (name, labels), held in _gauges.items()],
            "cpu": round(time.process_time() - self._cpu_begun, 6),
        }


_UNMEASURED: AbstractContextManager[None] = nullcontext()
_NONE = RequestReport(is_recording=False)
_current: ContextVar[RequestReport] = ContextVar("report", default=_NONE)

# The report of the current request, or one that ignores everything.
current: Callable[[], RequestReport] = _current.get


def start(request_id: str = "") -> RequestReport:
    """Make a new report the current one of this thread; `request_id` goes to the logs."""
    begun = RequestReport(request_id)
    _current.set(begun)
    return begun


def finish() -> dict[str, Any]:
    """End the current report and return it as `RequestReport.as_dict` does; empty without a report."""
    ended = _current.get()
    _current.set(_NONE)
    return ended.as_dict() if ended.is_recording else {}


def measure(name: str, held: Callable[[], float], **labels: str) -> None:
    """Call `held` at the end of each request, and report its value as the gauge `name` of this worker."""
    _gauges[name, tuple(sorted(labels.items()))] = held


# The queue that a request waited in, and the priority of its worker; "front": no worker handled it.
Lane = Literal["light", "heavy", "front"]
# Why a request did not get its result: too many heavy requests are waiting, too much work of one client, too many light
# requests, the time limit, a worker that crashed, a body that did not arrive or could not be stored, a client that has
# left, or an error in the front. Empty: it got its result.
Refusal = Literal["", "busy", "much", "crowded", "time", "memory", "crash", "body", "left", "error"]

REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,128}")
# In place of a route: for a request whose worker did not finish, for one that the front answered without a worker, and
# for one to an unknown address.
UNFINISHED, FRONT, NO_ROUTE = "unfinished", "front", "none"
METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"))
# Why the site itself refused a request, by its status.
REFUSED_BY_SITE = {413: "size", 429: "rate", 507: "storage"}


@dataclass
class RequestRecord:
    """A request as the front sees it. All sizes are in bytes, without headers.

    `status` is 0 until its response begins, `queued_seconds` is the time in the queue, `worked_seconds` that with a
    worker, `total_seconds` that from the request's headers to the last byte for the client. `client` is the address
    that rate limits use, `report` the worker's, which is empty if no worker finished the request.
    """

    id: str
    sent_method: str
    client: str = ""
    status: int = 0
    received_bytes: int = 0
    sent_bytes: int = 0
    queued_seconds: float = 0.0
    worked_seconds: float = 0.0
    total_seconds: float = 0.0
    lane: Lane = "front"
    refused: Refusal = ""
    report: dict[str, Any] = field(default_factory=dict)

    @property
    def route(self) -> str:
        """The pattern of the address, such as `/s/<id>`: a path may have a text or the id of a snapshot."""
        if self.report:
            return self.report.get("route") or NO_ROUTE
        return FRONT if self.lane == "front" else UNFINISHED

    @property
    def method(self) -> str:
        """The method, or "other" for one that the site does not know."""
        return self.sent_method if self.sent_method in METHODS else "other"

    @property
    def reason(self) -> str:
        """Why the request was refused, by the front or the site; empty if it was not."""
        return self.refused or REFUSED_BY_SITE.get(self.status, "")


def request_id(headers: Mapping[bytes, bytes]) -> str:
    """The id from the header `X-Request-ID`, or a new one if the header is missing or not a plain id.

    >>> request_id({b"x-request-id": b"4f2a-7"})
    '4f2a-7'
    >>> len(request_id({b"x-request-id": b"a b"}))
    32
    """
    given = headers.get(b"x-request-id", b"")
    return given.decode() if REQUEST_ID.fullmatch(given) else uuid4().hex
