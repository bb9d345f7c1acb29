"""What the front knows about a request: collected while it runs, and read by observers when it has ended."""

from __future__ import annotations

import re
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
# In place of a route: for a request whose worker did not finish, for one that the front answered without a worker, and
# for one to an unknown address.
UNFINISHED, FRONT, NO_ROUTE = "unfinished", "front", "none"
METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"))
# Why the site itself refused a request, by its status.
REFUSED_BY_SITE = {413: "size", 429: "rate", 507: "storage"}


@dataclass
class RequestRecord:
    """A request. All sizes are in bytes, without headers; `path` has no query string.

    `status` is 0 until its response begins, `queued_seconds` is the time in the queue, `worked_seconds` that with a
    worker, `total_seconds` that from the request's headers to the last byte for the client. `client` is the address
    that rate limits use, `report` the worker's report (`webapp.observing.report`), which is empty if no worker finished
    the request. `traceparent` is the client's header of that name (W3C Trace Context).
    """

    id: str
    method: str
    path: str
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
    traceparent: str = ""


Observer = Callable[[RequestRecord], None]


def route_of(request: RequestRecord) -> str:
    """The route, a pattern such as `/s/<id>`. A path never appears: it may have a text or the id of a snapshot."""
    if request.report:
        return request.report.get("route") or NO_ROUTE
    return FRONT if request.lane == "front" else UNFINISHED


def method_of(request: RequestRecord) -> str:
    """The method, or "other" for one that the site does not know."""
    return request.method if request.method in METHODS else "other"


def reason_of(request: RequestRecord) -> str:
    """Why the request was refused, by the front or the site; empty if it was not."""
    return request.refused or REFUSED_BY_SITE.get(request.status, "")


def request_id(headers: Mapping[bytes, bytes]) -> str:
    """The id from the header `X-Request-ID`, or a new one if the header is missing or not a plain id.

    >>> request_id({b"x-request-id": b"4f2a-7"})
    '4f2a-7'
    >>> len(request_id({b"x-request-id": b"a b"}))
    32
    """
    given = headers.get(b"x-request-id", b"")
    return given.decode() if REQUEST_ID.fullmatch(given) else uuid4().hex
