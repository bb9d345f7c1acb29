"""Metrics for Prometheus. The front alone counts, so they are right with any number of workers, also killed ones.

Labels have few values: routes are patterns, not paths, and what no worker reported counts under one name.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector, disable_created_metrics
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from webapp.observing.options import Options
from webapp.observing.report import RequestRecord

ADDRESS = "/metrics"
# Seconds, up to the longest that a request may take by default.
SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
# The size classes of requests by the bytes of their bodies: a paragraph, a page, a long text, the longest, a file.
SIZES = ((1_000, "1 KB"), (10_000, "10 KB"), (100_000, "100 KB"), (1_048_576, "1 MB"))
LARGER = "larger"

# What the workers report that they hold, which is added up.
WORKER_GAUGES = {
    "cache_bytes": ("tokenscope_cache_bytes", "Bytes that the caches of all workers hold, by cache.", ["cache"]),
    "vocabularies": (
        "tokenscope_vocabularies_in_workers",
        "Fetched and uploaded vocabularies in all workers' memory.",
        [],
    ),
}


def size_class(size: int) -> str:
    """The class of a request's body by its bytes.

    >>> size_class(0), size_class(1_000), size_class(1_001), size_class(5_000_000)
    ('1 KB', '1 KB', '10 KB', 'larger')
    """
    return next((name for most, name in SIZES if size <= most), LARGER)


class Metrics(Collector):
    """All metrics of a running site. Call it with each finished request; `exposition` is what a scrape reads.

    `workers` returns the workers that live by process id: the bytes of each, its share and with what all share.
    """

    def __init__(self, release: str, workers: Callable[[], Mapping[int, tuple[int, int]]] = dict) -> None:
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
        self._held: dict[int, list[tuple[str, dict[str, str], float]]] = {}
        self._release, self._workers = release, workers
        registry.register(self)
        ProcessCollector(namespace="tokenscope_front", registry=registry)

    def __call__(self, request: RequestRecord) -> None:
        """Count a finished request."""
        route, size, lane = request.route, size_class(request.received_bytes), request.lane
        self._requests.labels(route, request.method, str(request.status), size).inc()
        self._seconds.labels(route, size).observe(request.total_seconds)
        if lane != "front":
            self._queued.labels(lane).observe(request.queued_seconds)
            self._worked.labels(lane).observe(request.worked_seconds)
        if reason := request.reason:
            self._refused.labels(reason).inc()
        self._received.inc(request.received_bytes)
        self._sent.inc(request.sent_bytes)
        report = request.report
        if not report:
            return
        self._cpu.inc(max(report["cpu"], 0.0))
        for phase, seconds in report["phases"].items():
            self._phases.labels(phase).inc(seconds)
        for name, labels, amount in report["counters"]:
            if name in self._reported:
                self._reported[name].labels(**labels).inc(amount)
        self._held[report["pid"]] = report["held"]

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
        """The gauges: what the workers and the system report now."""
        workers = self._workers()
        memory = workers.values()
        self._held = {pid: held for pid, held in list(self._held.items()) if pid in workers}
        build = GaugeMetricFamily("tokenscope_build_info", "Always 1; the label has the release.", labels=["version"])
        build.add_metric([self._release], 1)
        yield build
        for name, text, value in (
            ("workers", "Worker processes.", len(workers)),
            ("workers_memory_bytes", "Memory of all workers; what they share counts once.", sum(m[0] for m in memory)),
            (
                "largest_worker_memory_bytes",
                "Resident memory of the largest worker, with what all workers share.",
                max((m[1] for m in memory), default=0),
            ),
        ):
            yield GaugeMetricFamily(f"tokenscope_{name}", text, value=value)
        for key, (name, text, labels) in WORKER_GAUGES.items():
            family = GaugeMetricFamily(name, text, labels=labels)
            totals: dict[tuple[str, ...], float] = {}
            for reported, values, amount in (each for held in self._held.values() for each in held):
                if reported == key:
                    totals[tuple(values.values())] = totals.get(tuple(values.values()), 0) + amount
            for series, total in totals.items():
                family.add_metric(series, total)
            yield family

    async def page(
        self, options: Options, scope: Mapping[str, Any], client: str
    ) -> tuple[int, list[tuple[bytes, bytes]], bytes] | None:
        """Status, headers and body; None if the address may not see them, so that the site answers as for any other.

        Both the connection's address and the `client` behind proxies must be in the networks of `options`.
        """
        peer = str((scope.get("client") or ("", 0))[0])
        if scope["method"] not in ("GET", "HEAD") or not options.shows_metrics(peer, client):
            return None
        accept = dict(scope["headers"]).get(b"accept", b"").decode("latin-1")
        body, media_type = await asyncio.to_thread(self.exposition, accept)
        headers = [
            (b"content-type", media_type.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
            (b"x-content-type-options", b"nosniff"),
            (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
        ]
        return 200, headers, b"" if scope["method"] == "HEAD" else body
