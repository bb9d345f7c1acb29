"""Everything that observes requests in the front, as the operator's settings ask for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from webapp.observing.finished import Observer
from webapp.observing.logs import RequestLog
from webapp.observing.metrics_page import ADDRESS, MetricsPage
from webapp.observing.options import Options


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
