"""What the observers read of a finished request, which `webapp.server.finished.FinishedRequest` has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

# In place of a route: for a request whose worker did not finish, for one that the front answered without a worker, and
# for one to an unknown address.
UNFINISHED, FRONT, NO_ROUTE = "unfinished", "front", "none"
METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"))
# Why the site itself refused a request, by its status.
REFUSED_BY_SITE = {413: "size", 429: "rate", 507: "storage"}


class Finished(Protocol):
    """A request that has ended; sizes in bytes, times in seconds."""

    @property
    def id(self) -> str:
        """The id, from the client or made by the front."""

    @property
    def method(self) -> str:
        """The method as the client sent it."""

    @property
    def status(self) -> int:
        """The status of the response; 0 if none began."""

    @property
    def received_bytes(self) -> int:
        """The bytes of the body."""

    @property
    def sent_bytes(self) -> int:
        """The bytes of the response that were sent."""

    @property
    def queued_seconds(self) -> float:
        """The time in the queue."""

    @property
    def worked_seconds(self) -> float:
        """The time with a worker."""

    @property
    def total_seconds(self) -> float:
        """The time from the headers to the last byte of the response."""

    @property
    def lane(self) -> str:
        """The queue: "light", "heavy", or "front" if no worker handled the request."""

    @property
    def refused(self) -> str:
        """Why the front refused or stopped the request; empty if it did not."""

    @property
    def client(self) -> str:
        """The address that rate limits use."""

    @property
    def traceparent(self) -> str:
        """The header `traceparent` of the client; empty without one."""

    @property
    def report(self) -> dict[str, Any]:
        """The worker's report (`webapp.observing.report`); empty if no worker finished."""


Observer = Callable[[Finished], None]


def route_of(request: Finished) -> str:
    """The route, a pattern such as `/s/<id>`. A path never appears: it may have a text or the id of a snapshot."""
    if request.report:
        return request.report.get("route") or NO_ROUTE
    return FRONT if request.lane == "front" else UNFINISHED


def method_of(request: Finished) -> str:
    """The method, or "other" for one that the site does not know."""
    return request.method if request.method in METHODS else "other"


def reason_of(request: Finished) -> str:
    """Why the request was refused, by the front or the site; empty if it was not."""
    return request.refused or REFUSED_BY_SITE.get(request.status, "")
