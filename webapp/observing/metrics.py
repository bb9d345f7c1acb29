"""Metrics for Prometheus. The front alone counts, so they are right with any number of workers, also killed ones.

Labels have few values: routes are patterns, not paths, and what no worker reported counts under one name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, disable_created_metrics
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from webapp.observing.finished import RequestRecord, method_of, reason_of, route_of

# Seconds, up to the longest that a request may take by default.
SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
# The size classes of requests by the bytes of their bodies: a paragraph, a page, a long text, the longest, a file.
SIZES = ((1_000, "1 KB"), (10_000, "10 KB"), (100_000, "100 KB"), (1_048_576, "1 MB"))
LARGER = "larger"
# The most values of one label: those of a worker come from the site's own code, but nothing may grow without a bound.
MOST_VALUES = 300
OVERFLOW = "other"

# What the site's own figures mean (`webapp.web.figures`), by name: the help text.
SITE_GAUGES = {
    "tokenscope_jobs": "Trainings in the database, by state.",
    "tokenscope_snapshots": "Shared results in the database, by condition; only kept ones have a content.",
    "tokenscope_stored_vocabularies": "Vocabularies in the database, by who needs them.",
    "tokenscope_vocabularies_loaded": "Built-in vocabularies in the memory that all workers share.",
    "tokenscope_database_up": "1 if the site reached its database for this scrape, else 0.",
    "tokenscope_build_info": "Always 1; the label has the release.",
}
# The same for figures that each worker reports, which are added up.
WORKER_GAUGES = {
    "cache_bytes": ("tokenscope_cache_bytes", "Bytes that the caches of all workers hold, by cache."),
    "vocabularies": ("tokenscope_vocabularies_in_workers", "Fetched and uploaded vocabularies in all workers' memory."),
}


def size_class(size: int) -> str:
    """The class of a request's body by its bytes.

    >>> size_class(0), size_class(1_000), size_class(1_001), size_class(5_000_000)
    ('1 KB', '1 KB', '10 KB', 'larger')
    """
    return next((name for most, name in SIZES if size <= most), LARGER)


class Metrics(Collector):
    """All metrics of a running site. Call it with each finished request; `exposition` is what a scrape reads."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = registry = CollectorRegistry()

        def counter(name: str, text: str, *labels: str) -> Counter:
            return Counter(f"tokenscope_{name}", text, labels, registry=registry)

        def histogram(name: str, text: str, *labels: str) -> Histogram:
            return Histogram(f"tokenscope_{name}", text, labels, buckets=SECONDS, registry=registry)

        about = "Finished requests. size is the class of the request's body: up to that many bytes."
        self._requests = counter("requests", about, "route", "method", "status", "size")
        about = "Seconds from a request's headers to the last byte of its response."
        self._seconds = histogram("request_seconds", about, "route", "size")
        self._queued = histogram("queue_seconds", "Seconds that requests waited for a worker, by lane.", "lane")
        self._worked = histogram("work_seconds", "Seconds that requests had a worker, by lane.", "lane")
        self._refused = counter("refused_requests", "Requests that were refused or stopped, by reason.", "reason")
        self._received = counter("received_bytes", "Bytes of requests' bodies.")
        self._sent = counter("sent_bytes", "Bytes of responses' bodies.")
        self._cpu = counter("worker_cpu_seconds", "Processor seconds of finished requests.")
        about = "Seconds of finished requests by phase, without the phases inside it."
        self._phases = counter("phase_seconds", about, "phase")
        self._reported = {
            "tokens_total": counter("tokens_encoded", "Tokens encoded, by algorithm.", "algorithm"),
            "cache_hits_total": counter("cache_hits", "Look-ups that a cache answered, by cache.", "cache"),
            "cache_misses_total": counter("cache_misses", "Look-ups that a cache could not answer.", "cache"),
        }
        self._children: dict[tuple[Any, ...], Any] = {}
        self._values: dict[tuple[int, int], set[str]] = {}
        self._held: dict[int, list[tuple[str, dict[str, str], float]]] = {}
        self._site: list[tuple[str, dict[str, str], float]] = []
        self._workers: list[int] = []
        registry.register(self)
        ProcessCollector(namespace="tokenscope_front", registry=registry)

    def __call__(self, request: RequestRecord) -> None:
        """Count a finished request."""
        route, size, lane = route_of(request), size_class(request.received_bytes), request.lane
        self._child(self._requests, route, method_of(request), str(request.status), size).inc()
        self._child(self._seconds, route, size).observe(request.total_seconds)
        if lane != "front":
            self._child(self._queued, lane).observe(request.queued_seconds)
            self._child(self._worked, lane).observe(request.worked_seconds)
        if reason := reason_of(request):
            self._child(self._refused, reason).inc()
        self._received.inc(request.received_bytes)
        self._sent.inc(request.sent_bytes)
        report = request.report
        if not report:
            return
        self._cpu.inc(max(report["cpu"], 0.0))
        for phase, seconds in report["phases"].items():
            self._child(self._phases, phase).inc(seconds)
        for name, labels, amount in report["counters"]:
            if name in self._reported:
                self._child(self._reported[name], *labels.values()).inc(amount)
        self._held[report["pid"]] = report["held"]

    def set_site(self, gauges: Sequence[tuple[str, dict[str, str], float]]) -> None:
        """Set what the site says of itself: names from `SITE_GAUGES`, labels and values."""
        self._site = [(name, labels, value) for name, labels, value in gauges if name in SITE_GAUGES]

    def set_workers(self, workers: Iterable[int]) -> None:
        """Set the process ids of the workers that live; what others have reported that they hold is forgotten."""
        self._workers = list(workers)
        self._held = {pid: held for pid, held in self._held.items() if pid in set(self._workers)}

    def exposition(self, accept: str = "") -> tuple[bytes, str]:
        """All metrics in the format that `accept`, the header, prefers, and the format's media type.

        Reads the memory of all workers from the system, a millisecond or more for each: call it in a thread.
        """
        encode, media_type = choose_encoder(accept)
        return encode(self._registry), media_type

    def describe(self) -> Iterable[Metric]:
        """Nothing: the gauges are known only when they are collected."""
        return []

    def collect(self) -> Iterable[Metric]:
        """The gauges: what the site, the workers and the system say now."""
        workers = self._workers
        yield GaugeMetricFamily("tokenscope_workers", "Worker processes.", value=len(workers))
        memory = list(map(_memory, workers))
        yield GaugeMetricFamily(
            "tokenscope_workers_memory_bytes",
            "Memory of all workers; what they share counts once.",
            value=sum(proportional for proportional, _ in memory),
        )
        yield GaugeMetricFamily(
            "tokenscope_largest_worker_memory_bytes",
            "Resident memory of the largest worker, with what all workers share.",
            value=max((resident for _, resident in memory), default=0),
        )
        yield from _families(WORKER_GAUGES.values(), self._totals())
        yield from _families(SITE_GAUGES.items(), self._site)

    def _totals(self) -> list[tuple[str, dict[str, str], float]]:
        """What all workers hold together."""
        totals: dict[tuple[str, tuple[tuple[str, str], ...]], float] = {}
        for held in list(self._held.values()):
            for name, labels, value in held:
                if name in WORKER_GAUGES:
                    key = WORKER_GAUGES[name][0], tuple(sorted(labels.items()))
                    totals[key] = totals.get(key, 0) + value
        return [(name, dict(labels), value) for (name, labels), value in totals.items()]

    def _child(self, metric: MetricWrapperBase, *values: str) -> Any:
        """The time series of a metric with these label values; unusual many values of a label become `OVERFLOW`."""
        key = (id(metric), *values)
        found = self._children.get(key)
        if found is None:
            bounded = []
            for place, value in enumerate(values):
                known = self._values.setdefault((id(metric), place), set())
                if len(known) < MOST_VALUES:
                    known.add(value)
                bounded.append(value if value in known else OVERFLOW)
            found = metric.labels(*bounded)
            if bounded == list(values):
                self._children[key] = found
        return found


def _families(
    known: Iterable[tuple[str, str]], found: Sequence[tuple[str, Mapping[str, str], float]]
) -> Iterable[Metric]:
    for name, text in known:
        samples = [(labels, value) for each, labels, value in found if each == name]
        if samples:
            family = GaugeMetricFamily(name, text, labels=sorted(samples[0][0]))
            for labels, value in samples:
                family.add_metric([labels[label] for label in sorted(labels)], value)
            yield family


def _memory(pid: int) -> tuple[int, int]:
    """The memory of a process in bytes: its share of what several processes use, and all that is resident."""
    found = {"Pss": 0, "Rss": 0}
    with suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
            name, _, rest = line.partition(":")
            if name in found:
                found[name] = 1024 * int(rest.split()[0])
        return found["Pss"], found["Rss"]
    with suppress(OSError, ValueError):
        resident = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        return resident, resident
    return 0, 0
