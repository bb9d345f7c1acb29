"""What the front knows about a request: collected while it runs, and passed to observers when it has ended."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import uuid4

# The queue that a request waited in, and the priority of its worker; "front": no worker handled it.
Lane = Literal["light", "heavy", "front"]
# Why a request did not get its result: too many heavy requests are waiting, too much work of one client, too many light
# requests, the time limit, a worker that crashed, a body that did not arrive or could not be stored, a client that has
# left, or an error in the front. Empty: it got its result.
Refusal = Literal["", "busy", "much", "crowded", "time", "memory", "crash", "body", "left", "error"]

REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,128}")


@dataclass(frozen=True)
class FinishedRequest:
    """A request that has ended. All sizes are in bytes, without headers; `path` has no query string.

    `queued_seconds` is the time in the queue, `worked_seconds` that with a worker, `total_seconds` that from the
    request's headers to the last byte for the client. `client` is the address that rate limits use, `report` the
    worker's report (`webapp/observing/report.py`), which is empty if no worker finished the request.
    `traceparent` is the client's header of that name (W3C Trace Context).
    """

    id: str
    method: str
    path: str
    status: int
    received_bytes: int
    sent_bytes: int
    queued_seconds: float
    worked_seconds: float
    total_seconds: float
    lane: Lane
    refused: Refusal
    client: str
    report: dict[str, Any] = field(default_factory=dict)
    traceparent: str = ""


Observer = Callable[[FinishedRequest], None]


@dataclass
class RunningRequest:
    """The same facts about a request that has not ended; `status` is 0 until its response begins."""

    id: str
    method: str
    path: str
    client: str = ""
    status: int = 0
    received_bytes: int = 0
    sent_bytes: int = 0
    queued_seconds: float = 0.0
    worked_seconds: float = 0.0
    lane: Lane = "front"
    refused: Refusal = ""
    report: dict[str, Any] = field(default_factory=dict)
    traceparent: str = ""
    begun: float = field(default_factory=time.monotonic)

    def finished(self) -> FinishedRequest:
        """The request as it ends now."""
        facts = {name: value for name, value in vars(self).items() if name != "begun"}
        return FinishedRequest(**facts, total_seconds=time.monotonic() - self.begun)


def request_id(headers: Mapping[bytes, bytes]) -> str:
    """The id from the header `X-Request-ID`, or a new one if the header is missing or not a plain id.

    >>> request_id({b"x-request-id": b"4f2a-7"})
    '4f2a-7'
    >>> len(request_id({b"x-request-id": b"a b"}))
    32
    """
    given = headers.get(b"x-request-id", b"")
    return given.decode() if REQUEST_ID.fullmatch(given) else uuid4().hex
