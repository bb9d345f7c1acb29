"""OpenTelemetry traces: a span for each request, and one inside it for each measured phase.

The front makes the spans from the worker's report after the request has ended, so that no worker needs the library. A
thread does that, because a span takes about 0.1 ms, and another one exports them in batches: no request waits. A span
has no text: its attributes are those of a request's log line.

OpenTelemetry's own variables configure it: `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_SERVICE_NAME`, `OTEL_TRACES_SAMPLER`
and others. Import this module only if traces are wanted: the extra `telemetry` installs what it needs.
"""

from __future__ import annotations

import logging
import threading
import time
from importlib.metadata import PackageNotFoundError, version
from queue import Full, Queue
from typing import Any

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter
from opentelemetry.trace import Span, SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from webapp.observing.finished import RequestRecord, method_of, reason_of, route_of

log = logging.getLogger(__name__)

# Requests that wait for their spans; beyond it, requests are not traced.
MOST_WAITING = 4_096
NANOSECONDS = 1_000_000_000
SERVICE = "tokenscope"


class Traces:
    """Makes spans of finished requests. Call `close` at the end, which exports the last ones."""

    def __init__(self, exporter: SpanExporter) -> None:
        own = Resource({SERVICE_NAME: SERVICE, SERVICE_VERSION: _version()})
        # `create` adds what the environment says; a service name there replaces ours.
        self._provider = TracerProvider(resource=own.merge(_from_environment()), shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("webapp.observing")
        self._propagator = TraceContextTextMapPropagator()
        self._ended: Queue[tuple[RequestRecord, int] | None] = Queue(MOST_WAITING)
        self._is_full = False
        self._making = threading.Thread(target=self._make_all, name="traces", daemon=True)
        self._making.start()

    def __call__(self, request: RequestRecord) -> None:
        """Have the spans of a finished request made, unless too many wait."""
        try:
            self._ended.put_nowait((request, time.time_ns()))
        except Full:
            if not self._is_full:
                log.warning("Requests are not traced, because %s wait for their spans", MOST_WAITING)
            self._is_full = True
        else:
            self._is_full = False

    def _make_all(self) -> None:
        while (ended := self._ended.get()) is not None:
            try:
                self._make(*ended)
            except Exception:
                log.exception("The spans of a request could not be made")

    def _make(self, request: RequestRecord, end: int) -> None:
        method, route = method_of(request), route_of(request)
        span = self._tracer.start_span(
            f"{method} {route}",
            context=self._propagator.extract({"traceparent": request.traceparent}) if request.traceparent else None,
            kind=SpanKind.SERVER,
            attributes=_attributes(request, method, route),
            start_time=end - round(request.total_seconds * NANOSECONDS),
        )
        if request.status >= 500 or not request.status:
            span.set_status(StatusCode.ERROR)
        if span.is_recording():
            self._phases(request.report, span)
        span.end(end)

    def close(self) -> None:
        """Export the spans that wait, which may take as long as the exporter's time limit."""
        self._ended.put(None)
        self._making.join()
        self._provider.shutdown()

    def _phases(self, report: dict[str, Any], request: Span) -> None:
        began = report.get("began", 0.0)
        spans: list[Span] = []
        for name, begin, _, outer in report.get("intervals", ()):
            around = spans[outer] if 0 <= outer < len(spans) else request
            context = trace.set_span_in_context(around)
            spans.append(self._tracer.start_span(name, context=context, start_time=_moment(began + begin)))
        for span, (_, _, ended, _) in zip(spans, report.get("intervals", ()), strict=True):
            span.end(_moment(began + ended))


def exporter_of(kind: str) -> SpanExporter:
    """The exporter for "otlp" or "console"."""
    return ConsoleSpanExporter() if kind == "console" else OTLPSpanExporter()


def _attributes(request: RequestRecord, method: str, route: str) -> dict[str, str | int | float]:
    """The attributes: OpenTelemetry's names where it has one."""
    found: dict[str, str | int | float] = {
        "http.request.method": method,
        "http.route": route,
        "http.response.status_code": request.status,
        "http.request.body.size": request.received_bytes,
        "http.response.body.size": request.sent_bytes,
        "tokenscope.request_id": request.id,
        "tokenscope.lane": request.lane,
        "tokenscope.queue_seconds": round(request.queued_seconds, 6),
        "tokenscope.work_seconds": round(request.worked_seconds, 6),
    }
    if reason := reason_of(request):
        found["tokenscope.refused"] = reason
    return found


def _version() -> str:
    try:
        return version("tokenscope")
    except PackageNotFoundError:  # a checkout that is not installed
        return ""


def _from_environment() -> Resource:
    """What the environment says of the service: `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`."""
    found = dict(Resource.create().attributes)
    if str(found.get(SERVICE_NAME, "")).startswith("unknown_service"):
        found.pop(SERVICE_NAME)
    return Resource(found)


def _moment(seconds: float) -> int:
    return round(seconds * NANOSECONDS)
