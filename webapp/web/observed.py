"""What the site reports about a request: its route, and the time that its response takes to produce.

Neither a log nor a metric may contain a path: it can have a visitor's text or the id of a snapshot. They have the route
instead, the pattern that the path matches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from flask import Request, Response

from webapp.observing import report
from webapp.observing.finished import NO_ROUTE


def route_of(request: Request) -> str:
    """The route of a request, such as `/s/<id>`; `NO_ROUTE` for an unknown address."""
    return request.url_rule.rule if request.url_rule else NO_ROUTE


def name_of(request: Request) -> str:
    """The method and the route of a request, for logs."""
    method = request.method if request.method.isascii() and request.method.isalpha() else "?"
    return f"{method[:16]} {route_of(request)}"


def measure_stream(response: Response) -> None:
    """Measure the parts of a streamed response as the phase "stream" while they are produced."""
    if report.current().is_recording and response.is_streamed and not response.direct_passthrough:
        response.response = _Measured(response.response)


class _Measured:
    """An iterable that reports the time each part takes."""

    def __init__(self, parts: Iterable[Any]) -> None:
        self._parts = parts

    def __iter__(self) -> Iterator[Any]:
        parts = iter(self._parts)
        while True:
            with report.current().phase("stream"):
                try:
                    part = next(parts)
                except StopIteration:
                    return
            yield part

    def close(self) -> None:
        """Close what produces the parts."""
        close = getattr(self._parts, "close", None)
        if close is not None:
            close()
