"""A running server with several workers: its metrics add up, and its log has facts but no visitor's text."""

import json
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.serving import Site, ask, serving
from tests.visiting import until
from webapp.server.pool import most_workers

# The start of a server takes long where other processes use the machine too.
pytestmark = pytest.mark.timeout(400)
MARKER = "Geheimtext-7f3a"
JSON = {"Content-Type": "application/json"}
OWN = {"WEB_CONCURRENCY": "3", "TOKENSCOPE_LOG": "json", "TOKENSCOPE_METRICS_NETWORKS": "127.0.0.0/8"}


@pytest.fixture(scope="module")
def server() -> Iterator[Site]:
    with serving("tests.server.slow_site:create_app", environment=OWN, patience=180) as site:
        yield site


@pytest.fixture(scope="module")
def proxied() -> Iterator[Site]:
    own = {"TOKENSCOPE_LOG": "text", "TOKENSCOPE_METRICS_NETWORKS": "127.0.0.1", "TOKENSCOPE_PROXIES": "1"}
    with serving("tests.server.slow_site:create_app", environment=own, patience=180) as site:
        yield site


def scraped(site: Site) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    response = ask(site.address, "/metrics")
    assert response.status == 200
    families = text_string_to_metric_families(response.text)
    return {(s.name, tuple(sorted(s.labels.items()))): s.value for family in families for s in family.samples}


def total(found: dict[Any, float], name: str, **wanted: str) -> float:
    return sum(
        value for (each, labels), value in found.items() if each == name and wanted.items() <= dict(labels).items()
    )


def lines(site: Site) -> list[dict[str, Any]]:
    """Every line that the server has written."""
    return [json.loads(line) for line in site.said().splitlines()]


def line_of(site: Site, id: str) -> dict[str, Any]:
    def found() -> list[dict[str, Any]]:
        return [line for line in lines(site) if line["event"] == "request" and line["id"] == id]

    until(lambda: bool(found()), 5, lambda: f"no line of {id}")
    (line,) = found()
    return line


def tokenized(site: Site, text: str) -> int:
    body = json.dumps({"text": text, "vocabulary": "bpe-bytes", "want": ["ids"]}).encode()
    response = ask(site.address, "/api/v1/tokenize", body=body, headers=JSON)
    assert response.status == 200
    return len(json.loads(response.text)["ids"])


def test_counters_add_up_over_all_workers_also_when_some_are_killed(server: Site) -> None:
    before = scraped(server)
    with ThreadPoolExecutor(3) as pool:
        tokens = list(pool.map(lambda n: tokenized(server, f"low lower {n} " * 20), range(20)))
        # One worker is killed in the middle of a request, and one while it waits.
        assert ask(server.address, "/crashing").status == 503
        idle = int(ask(server.address, "/sleeping?seconds=0").headers["X-Process"])
        os.kill(idle, signal.SIGKILL)
        time.sleep(1)  # until the front has noticed
        tokens += pool.map(lambda n: tokenized(server, f"lowest {n} " * 20), range(20))
    after = scraped(server)

    def grown(name: str, **labels: str) -> float:
        return total(after, name, **labels) - total(before, name, **labels)

    assert grown("tokenscope_requests_total", route="/api/v1/tokenize", status="200", method="POST") == 40
    assert grown("tokenscope_request_seconds_count", route="/api/v1/tokenize") == 40
    assert grown("tokenscope_tokens_encoded_total", algorithm="bpe") == sum(tokens)
    assert grown("tokenscope_refused_requests_total", reason="crash") == 1
    assert grown("tokenscope_requests_total", route="/sleeping") == 1
    assert grown("tokenscope_cache_hits_total", cache="words") > 0
    assert grown("tokenscope_phase_seconds_total", phase="tokenize") > 0
    assert grown("tokenscope_requests_total") == 43  # with the scrape before, without the one after


def test_a_scrape_shows_the_whole_site_and_stored_results(server: Site) -> None:
    before = scraped(server)
    shared = ask(server.address, "/share", {"text": "low lower", "algorithm": "bpe", "vocabulary": "bpe-bytes"})
    link = shared.headers["Location"]
    for _ in range(6):
        assert ask(server.address, link).status == 200
    found = scraped(server)
    misses, hits = (
        total(found, name, cache="pages") - total(before, name, cache="pages")
        for name in ("tokenscope_cache_misses_total", "tokenscope_cache_hits_total")
    )
    assert 1 <= misses <= 3, "each worker has its own cache of pages"
    assert hits >= 3
    assert link.rpartition("/")[2] not in server.said()
    assert 1 <= total(found, "tokenscope_workers") <= most_workers(3)
    assert 20e6 < total(found, "tokenscope_workers_memory_bytes") < 6e9
    assert total(found, "tokenscope_largest_worker_memory_bytes") < 2e9
    assert total(found, "tokenscope_cache_bytes", cache="words") > 0
    assert total(found, "tokenscope_build_info") == 1


@pytest.mark.exhaustive
def test_without_the_settings_there_are_no_metrics_and_the_log_stays_empty() -> None:
    with serving(environment={"TOKENSCOPE_PRELOAD": "false"}, patience=180) as site:
        unknown, metrics = ask(site.address, "/unknown"), ask(site.address, "/metrics")
        assert (metrics.status, metrics.headers["Content-Type"]) == (404, unknown.headers["Content-Type"])
        assert metrics.text.replace("/metrics", "/unknown") == unknown.text
        assert "tokenscope_" not in metrics.text
        assert MARKER in ask(site.address, f"/?text={MARKER}").text
        assert ask(site.address, f"/{MARKER}").status == 404
        assert site.said().splitlines() == [f"Tokenscope is ready at {site.address}"]


@pytest.mark.parametrize(
    ("method", "forwarded", "statuses"),
    [
        ("GET", "", {200}),
        ("HEAD", "", {200}),
        ("GET", "127.0.0.1", {200}),
        # A visitor who comes through the proxy, whose own address may read them.
        ("GET", "203.0.113.9", {404}),
        ("GET", "127.0.0.1, 203.0.113.9", {404}),
        ("POST", "", {404, 405}),
    ],
)
def test_metrics_are_only_for_the_named_networks(
    proxied: Site, method: str, forwarded: str, statuses: set[int]
) -> None:
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    answer = ask(proxied.address, "/metrics", method=method, headers=headers)
    assert answer.status in statuses
    assert (b"tokenscope_" in answer.body) == (method == "GET" and answer.status == 200)


def test_labels_stay_few_under_hostile_requests(server: Site) -> None:
    def strange(number: int) -> None:
        ask(server.address, f"/{MARKER}-{number}?a={number}")
        ask(server.address, f"/s/{number}")
        ask(server.address, "/", method=f"M{number}")
        ask(server.address, f"/%00%ff{number}", body=b"x" * 10 * number)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(strange, range(40)))
    found = scraped(server)
    labels = Counter(
        (name, value) for series, pairs in found if series == "tokenscope_requests_total" for name, value in pairs
    )
    assert {value for name, value in labels if name == "method"} <= {"GET", "POST", "HEAD", "OPTIONS", "other"}
    assert {value for name, value in labels if name == "size"} <= {"1 KB", "10 KB", "100 KB", "1 MB", "larger"}
    routes = {value for name, value in labels if name == "route"}
    assert {"none", "/s/<id>"} <= routes
    assert len(routes) < 30
    assert not any(MARKER in str(pairs) for _, pairs in found)


def test_every_request_has_a_line_of_json_and_none_has_what_a_visitor_sent(server: Site) -> None:
    hidden = quote(MARKER)
    named = {"User-Agent": MARKER, "Cookie": f"a={MARKER}", "Referer": f"http://x/{hidden}", "X-Marker": MARKER}
    language = {"Accept-Language": MARKER, "X-Forwarded-For": MARKER}
    for path, options in (
        (f"/?text={hidden}&algorithm=bpe", {"headers": named}),
        (f"/{hidden}/{hidden}", {"headers": language}),
        ("/", {"form": {"text": MARKER}}),
        (f"/s/{hidden}", {}),
        (f"/api/v1/{hidden}", {"body": f'{{"text": "{MARKER}'.encode(), "headers": JSON}),
        ("/download/tokens.json", {"form": {"text": MARKER, "algorithm": "unigram"}}),
        ("/", {"method": MARKER.replace("-", "")}),
        ("/", {"headers": {"Host": f"{MARKER}.example:99999"}}),
        (f"/crashing?text={hidden}", {"headers": named}),
        (f"/sleeping?seconds={hidden}", {}),  # an exception whose message repeats the text
    ):
        ask(server.address, path, **options)
    last = ask(server.address, "/", {"text": "low " * 3_000}, headers={"X-Request-ID": "one-4f2a"})
    assert last.headers["X-Request-ID"] == "one-4f2a"
    line = line_of(server, "one-4f2a")
    assert (line["method"], line["route"], line["status"]) == ("POST", "/", last.status)
    assert (line["received_bytes"], line["sent_bytes"]) == (len("text=") + 4 * 3_000, len(last.body))
    assert 0 < line["work_ms"] <= line["total_ms"]
    assert "address" not in line
    assert MARKER not in server.said()
    assert MARKER.replace("-", "") not in server.said()
    assert "192.0.2" not in server.said()
    assert "127.0.0.1" not in server.said().replace(server.address, "")
    found = lines(server)
    assert {line["event"] for line in found} == {"request", "message", "server"}
    failed = [line for line in found if "trace" in line and "/sleeping" in line["message"]]
    assert failed
    assert failed[-1]["trace"].endswith("ValueError")
    assert line_of(server, failed[-1]["id"])["status"] == 500


def test_the_end_of_a_worker_is_told_with_the_request_and_that_of_the_site(proxied: Site) -> None:
    ask(proxied.address, "/crashing", headers={"X-Request-ID": "crash-1"})
    warning = "[crash-1] A worker ended in the middle of a request; another one replaces it"
    until(lambda: warning in proxied.said(), 5, proxied.said)
    proxied.process.terminate()
    proxied.process.wait(60)
    assert proxied.said().rstrip().endswith("Tokenscope has stopped")
