"""The metrics, read with Prometheus's own parser."""

from collections.abc import Mapping

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text

from tests.observing.finished_requests import finished, reported
from webapp.observing.metrics import Metrics

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
