"""What the operator sees of requests: reports, log lines, metrics (read with Prometheus's own parser), and settings."""

import io
import json
import logging
import os
import re
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text

from tests.serving import ROOT
from webapp.observing import logs, report
from webapp.observing.metrics import Metrics
from webapp.observing.options import Options, from_environment, options_of
from webapp.observing.report import RequestRecord


def finished(**facts: Any) -> RequestRecord:
    """A finished request, of which `facts` replace some."""
    usual: dict[str, Any] = {
        "id": "4f2a",
        "sent_method": "GET",
        "status": 200,
        "received_bytes": 0,
        "sent_bytes": 5_000,
        "queued_seconds": 0.001,
        "worked_seconds": 0.02,
        "total_seconds": 0.03,
        "lane": "light",
        "refused": "",
        "client": "192.0.2.7",
        "report": reported(),
    }
    return RequestRecord(**{**usual, **facts})


def reported(route: str = "/s/<id>", *, tokens: int = 12, **phases: float) -> dict[str, Any]:
    """The report of a worker that has counted `tokens`."""
    report.start("4f2a")
    report.current().set_route(route)
    report.current().add("tokens_total", tokens, algorithm="bpe")
    report.current().add("cache_hits_total", 3, cache="words")
    return {**report.finish(), "phases": phases or {"tokenize": 0.005, "render": 0.01}}


def test_a_phase_does_not_count_the_phases_inside_it_even_if_they_raise():
    report.start()
    with report.current().phase("render"):
        time.sleep(0.02)
        with suppress(ValueError), report.current().phase("tokenize"):
            time.sleep(0.06)
            raise ValueError
    found = report.finish()["phases"]
    assert 0.06 <= found["tokenize"] < 0.06 + 0.2
    assert 0.02 <= found["render"] < 0.02 + 0.2


# --- the log: what it says, and that it never repeats what a visitor sent

MARKER = "visitor-text-乸"


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    """What the process logs as JSON."""
    root, hooks = logging.getLogger(), (logs.sys.excepthook, logs.threading.excepthook)
    before = list(root.handlers)
    written = io.StringIO()
    logs.configure("json", written)
    yield written
    root.handlers = before
    logging.captureWarnings(False)
    logs.sys.excepthook, logs.threading.excepthook = hooks
    report.finish()


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def logged(options: Options, **facts: object) -> list[str]:
    written = io.StringIO()
    logs.log_request(options, finished(**facts), written)
    return written.getvalue().splitlines()


def test_a_request_is_one_json_line():
    (line,) = logged(Options(log="json"), sent_method="POST", received_bytes=1_234)
    found = json.loads(line)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", found.pop("time"))
    assert found == {
        "event": "request",
        "id": "4f2a",
        "method": "POST",
        "route": "/s/<id>",
        "status": 200,
        "received_bytes": 1_234,
        "sent_bytes": 5_000,
        "queue_ms": 1.0,
        "work_ms": 20.0,
        "total_ms": 30.0,
        "lane": "light",
        "phase": "render",
        "phases": "tokenize 5.0 ms, render 10.0 ms",
    }


def test_a_line_has_what_the_operator_asks_for():
    assert logged(Options()) == []
    (hidden,) = logged(Options(log="json", log_addresses=True), sent_method=MARKER, report=reported(""))
    assert MARKER not in hidden
    assert json.loads(hidden)["method"] == "other"
    assert "192.0.2.7" not in logged(Options(log="json"))[0]
    assert json.loads(logged(Options(log="json", log_addresses=True))[0])["address"] == "192.0.2.7"
    assert json.loads(logged(Options(log="json"), refused="busy", status=503)[0])["refused"] == "busy"
    (line,) = logged(Options(log="text"), refused="much", status=429)
    assert re.match(r"\S+Z GET /s/<id> 429 id=4f2a received_bytes=0 .*lane=light phase=render refused=much$", line)


def test_an_exception_is_logged_with_its_place_but_without_its_message(stream: io.StringIO):
    report.start("4f2a")
    try:
        try:
            {}[MARKER]
        except KeyError as error:
            raise ValueError(f"no {MARKER}") from error
    except ValueError:
        logging.getLogger("webapp.web.errors").exception("GET / failed")
    (line,) = lines(stream)
    assert (line["id"], line["level"], line["message"]) == ("4f2a", "error", "GET / failed")
    trace = str(line["trace"])
    assert MARKER not in trace
    assert "KeyError\nThe above exception was the direct cause" in trace
    assert trace.endswith("ValueError")
    assert "test_observers.py" in trace


def test_the_systems_own_reasons_are_logged(stream: io.StringIO):
    try:
        open(f"/nowhere/{MARKER}")  # noqa: SIM115
    except OSError:
        logging.getLogger("webapp").exception("A file is missing")
    (line,) = lines(stream)
    assert str(line["trace"]).endswith("FileNotFoundError: No such file or directory")
    assert MARKER not in stream.getvalue()


def test_exceptions_in_a_loop_of_causes_end(stream: io.StringIO):
    first, second = ValueError(), KeyError()
    first.__context__, second.__context__ = second, first
    logging.getLogger("webapp").error("odd", exc_info=first)
    assert str(lines(stream)[0]["trace"]).endswith("ValueError")


def test_a_message_stays_on_one_line(stream: io.StringIO):
    logging.getLogger("webapp").warning('one\ntwo\r\n{"event": "request"}')
    (line,) = lines(stream)
    assert line["message"] == 'one two {"event": "request"}'
    written = io.StringIO()
    logs.configure("text", written)
    logging.getLogger("webapp").warning("one\ntwo")
    assert written.getvalue().count("\n") == 1


def test_warnings_of_libraries_are_lines_too(stream: io.StringIO):
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(True)
        warnings.warn("old", DeprecationWarning, stacklevel=1)
    assert lines(stream)[0]["logger"] == "py.warnings"


# --- metrics

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def samples(metrics: Metrics) -> Samples:
    text = metrics.exposition()[0].decode()
    return {(s.name, tuple(sorted(s.labels.items()))): s.value for family in parse_text(text) for s in family.samples}


def value(found: Samples, name: str, **labels: str) -> float:
    return found[name, tuple(sorted(labels.items()))]


def test_requests_are_counted_by_route_method_status_and_size():
    metrics = Metrics("1.0")
    for _ in range(3):
        metrics(finished())
    metrics(finished(sent_method="POST", status=422, received_bytes=50_000, report=reported("/")))
    found = samples(metrics)
    assert value(found, "tokenscope_requests_total", route="/s/<id>", method="GET", status="200", size="1 KB") == 3
    assert value(found, "tokenscope_requests_total", route="/", method="POST", status="422", size="100 KB") == 1
    assert value(found, "tokenscope_request_seconds_bucket", route="/s/<id>", size="1 KB", le="0.05") == 3
    assert value(found, "tokenscope_request_seconds_bucket", route="/s/<id>", size="1 KB", le="0.025") == 0
    assert value(found, "tokenscope_tokens_encoded_total", algorithm="bpe") == 48
    assert value(found, "tokenscope_cache_hits_total", cache="words") == 12
    assert value(found, "tokenscope_phase_seconds_total", phase="render") == pytest.approx(0.04)
    assert value(found, "tokenscope_queue_seconds_count", lane="light") == 4
    assert value(found, "tokenscope_received_bytes_total") == 50_000
    assert value(found, "tokenscope_sent_bytes_total") == 20_000


@pytest.mark.parametrize(
    ("facts", "route", "reason"),
    [
        ({"refused": "busy", "status": 503}, "/s/<id>", "busy"),
        ({"status": 429}, "/s/<id>", "rate"),
        ({"status": 413}, "/s/<id>", "size"),
        ({"status": 507}, "/s/<id>", "storage"),
        ({"report": {}, "refused": "crash", "status": 500}, "unfinished", "crash"),
        ({"report": {}, "lane": "front", "status": 408, "refused": "body"}, "front", "body"),
        ({"report": reported(""), "status": 404}, "none", ""),
    ],
)
def test_refusals_are_counted_by_reason_and_have_a_route(facts: Mapping[str, object], route: str, reason: str):
    metrics = Metrics("1.0")
    metrics(finished(**facts))
    found = samples(metrics)
    assert [dict(labels)["route"] for name, labels in found if name == "tokenscope_requests_total"] == [route]
    refused = {
        labels: number for (name, labels), number in found.items() if name == "tokenscope_refused_requests_total"
    }
    assert refused == ({(("reason", reason),): 1} if reason else {})


def test_gauges_of_workers_that_have_ended_are_forgotten():
    workers = {1: (50, 100), 2: (50, 100)}
    metrics = Metrics("1.0", lambda: workers)
    for pid, held in ((1, 100), (2, 20)):
        metrics(finished(report={**reported(), "pid": pid, "held": [["cache_bytes", {"cache": "words"}, held]]}))
    assert value(samples(metrics), "tokenscope_cache_bytes", cache="words") == 120
    del workers[1]
    found = samples(metrics)
    assert value(found, "tokenscope_cache_bytes", cache="words") == 20
    assert value(found, "tokenscope_workers") == 1


def test_openmetrics_is_offered_to_those_who_ask():
    metrics = Metrics("1.0")
    metrics(finished())
    body, media_type = metrics.exposition("application/openmetrics-text; version=1.0.0,text/plain;q=0.5")
    assert media_type.startswith("application/openmetrics-text; version=1.0.0")
    families = {family.name for family in parse_openmetrics(body.decode())}
    assert {"tokenscope_requests", "tokenscope_request_seconds", "tokenscope_workers"} <= families
    assert not any(name.endswith("_created") for name in families)


# --- settings: what they mean, and the reason for those that cannot be used


@pytest.mark.parametrize(
    ("networks", "address", "shown"),
    [
        ("", "127.0.0.1", False),
        *(
            ("127.0.0.1 10.0.0.0/8, 2001:db8::/32", address, shown)
            for shown, addresses in {
                True: ("127.0.0.1", "10.255.0.1", "::ffff:10.1.1.1", "2001:db8::5"),
                False: ("fe80::1%eth0", "11.0.0.1", "2001:db9::5", "", "unix:", "10.0.0.1, 10.0.0.2"),
            }.items()
            for address in addresses
        ),
    ],
)
def test_metrics_are_for_the_named_networks(networks: str, address: str, shown: bool):
    options = from_environment({"TOKENSCOPE_METRICS_NETWORKS": networks})
    assert options.shows_metrics(address) is shown
    assert not options.shows_metrics(address, "203.0.113.9")


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"METRICS_NETWORKS": "10.0.0.1/8"}, "TOKENSCOPE_METRICS_NETWORKS .* 10.0.0.1/8 has host bits set"),
        ({"METRICS_NETWORKS": "localhost"}, "TOKENSCOPE_METRICS_NETWORKS .* 'localhost'"),
        ({"LOG": "json names"}, "TOKENSCOPE_LOG must be"),
    ],
)
def test_an_invalid_setting_is_refused_with_the_reason(settings: dict[str, object], why: str):
    with pytest.raises(ValueError, match=why):
        options_of(settings)


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("TOKENSCOPE_LOG", "xml", "TOKENSCOPE_LOG must be json, text, json addresses or empty"),
        ("WEB_CONCURRENCY", "-3", "WEB_CONCURRENCY must be a whole number above 0, not '-3'"),
    ],
)
def test_the_server_does_not_start_with_an_invalid_setting(name: str, value: str, why: str):
    environment = {**os.environ, name: value, "PORT": "1", "TOKENSCOPE_WORKER": "false"}
    command = [sys.executable, "-m", "webapp"]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert run.returncode == 1
    assert run.stderr.startswith("Tokenscope cannot start: ")
    assert why in run.stderr
    assert "Traceback" not in run.stderr
