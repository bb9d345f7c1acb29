"""What observes requests in the front, as the settings say; and `/metrics`, the page that Prometheus reads."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from webapp.observing.finished import Observer
from webapp.observing.logs import RequestLog
from webapp.observing.options import Options

if TYPE_CHECKING:
    from webapp.observing.metrics import Metrics

log = logging.getLogger(__name__)

ADDRESS = "/metrics"
# The WSGI variable of the request for the site's own figures (`webapp.web.figures`). A client cannot set it: its
# headers become variables whose names begin with `HTTP_`.
FIGURES = "tokenscope.gauges"
# How long a scrape waits for the site's figures, and how long they count as new, in seconds. A busy or broken site
# must not delay the other metrics, which say that it is busy.
PATIENCE = 2.0
FRESH = 5.0

Ask = Callable[[Mapping[str, str]], Awaitable[tuple[int, bytes]]]
OwnAnswer = tuple[int, list[tuple[bytes, bytes]], bytes]


class MetricsPage:
    """The page; `workers` returns the process ids of the workers that live."""

    def __init__(self, metrics: Metrics, options: Options, workers: Callable[[], Iterable[int]]) -> None:
        self._metrics = metrics
        self._options = options
        self._workers = workers
        self._refreshing: asyncio.Task[None] | None = None
        self._refreshed_at = -FRESH

    async def __call__(self, scope: Mapping[str, Any], client: str, ask: Ask) -> OwnAnswer | None:
        """Status, headers and body; None if the address may not see them, so that the site answers as for any other.

        Both the connection's address and the `client` behind proxies must be in the networks.
        """
        peer = str((scope.get("client") or ("", 0))[0])
        if scope["method"] not in ("GET", "HEAD") or not self._options.shows_metrics(peer, client):
            return None
        await self._refresh(ask)
        self._metrics.set_workers(self._workers())
        accept = dict(scope["headers"]).get(b"accept", b"").decode("latin-1")
        body, media_type = await asyncio.to_thread(self._metrics.exposition, accept)
        headers = [
            (b"content-type", media_type.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
            (b"x-content-type-options", b"nosniff"),
            (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
        ]
        return 200, headers, b"" if scope["method"] == "HEAD" else body

    async def _refresh(self, ask: Ask) -> None:
        """Ask the site for its figures, once at a time; without an answer in time, the latest ones stay."""
        if self._refreshing is None and time.monotonic() - self._refreshed_at >= FRESH:
            self._refreshing = asyncio.create_task(self._ask(ask))
        if self._refreshing is not None:
            # Shielded: cancelling the request would end the worker that answers it.
            await asyncio.wait({self._refreshing}, timeout=PATIENCE)

    async def _ask(self, ask: Ask) -> None:
        try:
            status, body = await ask({FIGURES: "1"})
            self._metrics.set_site(json.loads(body) if status == 200 else [])
        except Exception:
            log.exception("The figures of the site could not be read")
            self._metrics.set_site([])
        finally:
            self._refreshing, self._refreshed_at = None, time.monotonic()


@dataclass
class Observing:
    """The observers of finished requests, the pages by address that the front answers itself, and what to close."""

    observers: list[Observer]
    own_pages: dict[str, MetricsPage] = field(default_factory=dict)
    closers: list[Callable[[], None]] = field(default_factory=list)

    def close(self) -> None:
        """Finish what waits, such as spans to export. May take seconds."""
        for close in self.closers:
            close()


def observing(options: Options, workers: Callable[[], Iterable[int]]) -> Observing:
    """What `options` ask for; `workers` returns the process ids of the workers that live.

    Imports only what is used: without metrics and traces, the front needs neither library.
    """
    found = Observing([RequestLog(options)])
    if options.metrics_networks:
        from webapp.observing.metrics import Metrics

        metrics = Metrics()
        found.observers.append(metrics)
        found.own_pages[ADDRESS] = MetricsPage(metrics, options, workers)
    if options.traces:
        from webapp.observing.traces import Traces, exporter_of

        traces = Traces(exporter_of(options.traces))
        found.observers.append(traces)
        found.closers.append(traces.close)
    return found
