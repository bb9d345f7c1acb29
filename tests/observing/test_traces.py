"""OpenTelemetry traces: what a collector receives from a running server with several workers."""

import gzip
import http.client
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote, urlsplit

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from tests.serving import Site, serving

# The start of a server takes long where other processes use the machine too.
pytestmark = pytest.mark.timeout(400)
MARKER = "Geheimtext-7f3a"
TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


class Collector(ThreadingHTTPServer):
    """An OTLP collector on loopback: decodes what it receives, after `delay` seconds."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Receiver)
        self.raw: list[bytes] = []
        self.requests: list[ExportTraceServiceRequest] = []
        self.delay = 0.0

    @property
    def spans(self) -> list[Span]:
        """All spans received so far."""
        return [
            span
            for request in list(self.requests)
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def wait_for(self, id: str) -> Span:
        """The span of the request with this id."""
        for _ in range(600):
            for span in self.spans:
                if attributes(span).get("tokenscope.request_id") == id:
                    return span
            time.sleep(0.05)
        raise AssertionError(f"no span of {id}")


class _Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Collector)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        time.sleep(self.server.delay)
        self.server.raw.append(body)
        if self.path == "/v1/traces" and self.headers["Content-Type"] == "application/x-protobuf":
            self.server.requests.append(ExportTraceServiceRequest.FromString(body))
        answer = ExportTraceServiceResponse().SerializeToString()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_arguments: object) -> None:
        """Print nothing."""


@contextmanager
def collecting() -> Iterator[Collector]:
    with Collector() as collector:
        thread = threading.Thread(target=collector.serve_forever, daemon=True)
        thread.start()
        try:
            yield collector
        finally:
            collector.shutdown()
            thread.join()


def environment(collector: Collector) -> dict[str, str]:
    return {
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_port}",
        "OTEL_BSP_SCHEDULE_DELAY": "100",
        "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=test",
        "WEB_CONCURRENCY": "3",
        "TOKENSCOPE_SLOW_SECONDS": "60",
    }


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    with collecting() as running:
        yield running


@pytest.fixture(scope="module")
def server(collector: Collector) -> Iterator[Site]:
    with serving("tests.server.slow_site:create_app", environment=environment(collector), patience=180) as site:
        yield site


def attributes(span: Span) -> dict[str, object]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value") or "string_value") for each in span.attributes}


def ask(site: Site, path: str, id: str, *, method: str = "GET", body: bytes | None = None, **headers: str) -> int:
    connection = http.client.HTTPConnection(urlsplit(site.address).netloc, timeout=60)
    try:
        connection.request(method, path, body, {"X-Request-ID": id, **headers})
        response = connection.getresponse()
        response.read()
        return response.status
    finally:
        connection.close()


def tokenize(site: Site, id: str, **headers: str) -> int:
    body = json.dumps({"text": MARKER, "vocabulary": "bpe-bytes", "want": ["ids"]}).encode()
    return ask(
        site, "/api/v1/tokenize", id, method="POST", body=body, **{"Content-Type": "application/json", **headers}
    )


def test_a_request_is_a_span_with_its_phases_inside(server: Site, collector: Collector) -> None:
    begun = time.time_ns()
    assert tokenize(server, "first") == 200
    span = collector.wait_for("first")
    assert (span.name, span.kind, span.parent_span_id) == ("POST /api/v1/tokenize", Span.SPAN_KIND_SERVER, b"")
    found = attributes(span)
    assert (found["http.route"], found["http.response.status_code"]) == ("/api/v1/tokenize", 200)
    assert (found["http.request.method"], found["tokenscope.lane"]) == ("POST", "light")
    assert begun <= span.start_time_unix_nano < span.end_time_unix_nano <= time.time_ns()
    inside = {each.span_id: each for each in collector.spans if each.trace_id == span.trace_id and each is not span}
    inside = {id: each for id, each in inside.items() if id != span.span_id}
    assert {"handle", "tokenize"} <= {each.name for each in inside.values()}
    for each in inside.values():
        around = inside.get(each.parent_span_id, span)
        assert around.span_id == each.parent_span_id
        # The worker measures with a clock of its own, and its start to a microsecond.
        assert around.start_time_unix_nano - 2_000_000 <= each.start_time_unix_nano
        assert each.start_time_unix_nano <= each.end_time_unix_nano <= around.end_time_unix_nano + 2_000_000
    handling = next(each for each in inside.values() if each.name == "handle")
    assert next(each for each in inside.values() if each.name == "tokenize").parent_span_id == handling.span_id


def test_the_service_is_named(server: Site, collector: Collector) -> None:
    tokenize(server, "named")
    collector.wait_for("named")
    resource = {
        each.key: each.value.string_value for each in collector.requests[0].resource_spans[0].resource.attributes
    }
    assert resource["service.name"] == "tokenscope"
    assert resource["deployment.environment.name"] == "test"


def test_the_trace_of_the_client_goes_on(server: Site, collector: Collector) -> None:
    assert tokenize(server, "continued", traceparent=f"00-{TRACE}-{PARENT}-01") == 200
    span = collector.wait_for("continued")
    assert (span.trace_id.hex(), span.parent_span_id.hex()) == (TRACE, PARENT)


@pytest.mark.parametrize("given", ["", MARKER, f"00-{'0' * 32}-{PARENT}-01", f"00-{TRACE}-{PARENT}", "00-x-y-01", "é"])
def test_a_broken_trace_of_a_client_is_ignored(server: Site, collector: Collector, given: str) -> None:
    id = f"broken-{abs(hash(given))}"
    assert tokenize(server, id, traceparent=given) == 200
    span = collector.wait_for(id)
    assert span.parent_span_id == b""
    assert span.trace_id.hex() != TRACE


def test_a_client_that_does_not_sample_is_not_traced(server: Site, collector: Collector) -> None:
    tokenize(server, "unsampled", traceparent=f"00-{TRACE}-{PARENT}-00")
    tokenize(server, "sampled")
    collector.wait_for("sampled")
    assert not any(attributes(span).get("tokenscope.request_id") == "unsampled" for span in collector.spans)


def test_every_request_of_every_worker_is_traced_also_one_that_crashed(server: Site, collector: Collector) -> None:
    with ThreadPoolExecutor(6) as pool:
        assert set(pool.map(lambda n: tokenize(server, f"many-{n}"), range(30))) == {200}
    assert ask(server, "/crashing", "crashed") == 503
    for number in range(30):
        collector.wait_for(f"many-{number}")
    crashed = collector.wait_for("crashed")
    assert crashed.status.code == Status.STATUS_CODE_ERROR
    assert attributes(crashed)["tokenscope.refused"] == "crash"


def test_no_span_has_what_a_visitor_sent(server: Site, collector: Collector) -> None:
    hidden = quote(MARKER)
    headers = {"User-Agent": MARKER, "Cookie": f"a={MARKER}", "traceparent": MARKER, "tracestate": f"a={MARKER}"}
    ask(server, f"/?text={hidden}&algorithm=bpe", "hidden-1", **headers)
    ask(server, f"/s/{hidden}", "hidden-2", **headers)
    ask(server, f"/{hidden}", "hidden-3", method=MARKER.replace("-", ""))
    tokenize(server, "hidden-4")
    for number in range(1, 5):
        collector.wait_for(f"hidden-{number}")
    sent = b"".join(collector.raw)
    assert b"hidden-4" in sent
    assert MARKER.encode() not in sent
    assert MARKER.replace("-", "").encode() not in sent


def test_a_slow_collector_delays_no_request_and_the_last_spans_arrive_at_the_end() -> None:
    with collecting() as slow:
        slow.delay = 1.0
        own = environment(slow) | {"OTEL_BSP_SCHEDULE_DELAY": "60000", "TOKENSCOPE_PRELOAD": "false"}
        with serving(environment=own, patience=180) as site:
            for number in range(20):
                assert ask(site, "/healthz", f"quick-{number}") == 200
            assert not slow.requests
        assert len(slow.spans) >= 20
        slow.wait_for("quick-19")


@pytest.mark.exhaustive
def test_traces_can_be_printed() -> None:
    own = {"OTEL_TRACES_EXPORTER": "console", "OTEL_BSP_SCHEDULE_DELAY": "100", "TOKENSCOPE_PRELOAD": "false"}
    with serving(environment=own, patience=180) as site:
        ask(site, "/healthz", "printed-1")
        for _ in range(100):
            if "printed-1" in site.said():
                break
            time.sleep(0.1)
        said = site.said()
    assert '"name": "GET /healthz"' in said
    assert '"tokenscope.request_id": "printed-1"' in said
