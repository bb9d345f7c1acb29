"""A running server with several workers: its metrics add up, and its log has facts but no visitor's text."""

import http.client
import json
import os
import re
import signal
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.serving import Site, serving

# The start of a server takes long where other processes use the machine too.
pytestmark = pytest.mark.timeout(400)
MARKER = "Geheimtext-7f3a"
OWN = {"WEB_CONCURRENCY": "3", "TOKENSCOPE_LOG": "json", "TOKENSCOPE_METRICS_NETWORKS": "127.0.0.0/8"}


@pytest.fixture(scope="module")
def server() -> Iterator[Site]:
    with serving("tests.server.slow_site:create_app", environment=OWN, patience=180) as site:
        yield site


@pytest.fixture(scope="module")
def proxied() -> Iterator[Site]:
    own = {
        "TOKENSCOPE_LOG": "text",
        "TOKENSCOPE_METRICS_NETWORKS": "127.0.0.1",
        "TOKENSCOPE_PROXIES": "1",
        "TOKENSCOPE_SLOW_SECONDS": "1",
    }
    with serving("tests.server.slow_site:create_app", environment=own, patience=180) as site:
        yield site


def ask(site: Site, path: str, *, method: str = "GET", body: bytes | None = None, **headers: str) -> Any:
    """The response to a request that no library tidies up, with its body read."""
    host = urlsplit(site.address).netloc
    connection = http.client.HTTPConnection(host, timeout=60)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, named)
        response = connection.getresponse()
        response.content = response.read()
        return response
    finally:
        connection.close()


def scraped(site: Site) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    response = ask(site, "/metrics")
    assert response.status == 200
    families = text_string_to_metric_families(response.content.decode())
    return {(s.name, tuple(sorted(s.labels.items()))): s.value for family in families for s in family.samples}


def total(found: dict[Any, float], name: str, **wanted: str) -> float:
    return sum(
        value for (each, labels), value in found.items() if each == name and wanted.items() <= dict(labels).items()
    )


def lines(site: Site) -> list[dict[str, Any]]:
    """Every line that the server has written."""
    return [json.loads(line) for line in site.said().splitlines()]


def line_of(site: Site, id: str) -> dict[str, Any]:
    for _ in range(100):
        for line in lines(site):
            if line["event"] == "request" and line["id"] == id:
                return line
        time.sleep(0.05)
    raise AssertionError(f"no line of {id}")


def tokenized(site: Site, text: str) -> int:
    body = json.dumps({"text": text, "vocabulary": "bpe-bytes", "want": ["ids"]}).encode()
    response = ask(site, "/api/v1/tokenize", method="POST", body=body, Content_Type="application/json")
    assert response.status == 200
    return len(json.loads(response.content)["ids"])


def test_counters_add_up_over_all_workers_also_when_some_are_killed(server: Site) -> None:
    before = scraped(server)
    with ThreadPoolExecutor(6) as pool:
        tokens = list(pool.map(lambda n: tokenized(server, f"low lower {n} " * 20), range(20)))
        # One worker is killed in the middle of a request, and one while it waits.
        crashed = ask(server, "/crashing")
        assert crashed.status == 503
        idle = int(ask(server, "/sleeping?seconds=0").headers["X-Process"])
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


def test_a_scrape_shows_the_whole_site(server: Site) -> None:
    tokenized(server, "low lower lowest")
    found = scraped(server)
    assert 1 <= total(found, "tokenscope_workers") <= 6
    memory = total(found, "tokenscope_workers_memory_bytes")
    assert 20e6 < memory < 6e9
    assert total(found, "tokenscope_largest_worker_memory_bytes") < 2e9
    assert total(found, "tokenscope_database_up") == 1
    assert {dict(labels)["state"] for name, labels in found if name == "tokenscope_jobs"} == {
        "waiting",
        "running",
        "finished",
        "failed",
        "cancelled",
    }
    assert total(found, "tokenscope_snapshots", condition="kept") >= 0
    assert total(found, "tokenscope_cache_bytes", cache="words") > 0
    assert total(found, "tokenscope_build_info") == 1


def test_stored_results_appear_in_the_metrics_and_the_end_in_the_log() -> None:
    with serving(environment=OWN, patience=180) as site:
        body = b"text=low+lower&algorithm=bpe&vocabulary=bpe-bytes"
        shared = ask(site, "/share", method="POST", body=body, Content_Type="application/x-www-form-urlencoded")
        assert shared.status == 201
        found = scraped(site)
        assert total(found, "tokenscope_snapshots", condition="kept") == 1
        assert total(found, "tokenscope_vocabularies_loaded") == 9
        link = shared.headers["Location"]
        for _ in range(6):
            assert ask(site, link).status == 200
        found = scraped(site)
        # Each worker has its own cache of pages.
        assert 1 <= total(found, "tokenscope_cache_misses_total", cache="pages") <= 3
        assert total(found, "tokenscope_cache_hits_total", cache="pages") >= 3
        assert link not in site.said()
        assert link.rpartition("/")[2] not in site.said()
        site.process.terminate()
        site.process.wait(60)
        told = [line["message"] for line in lines(site) if line["event"] == "server"]
        assert told == [f"Tokenscope is ready at {site.address}", "Tokenscope has stopped"]


def test_without_the_settings_there_are_no_metrics_and_the_log_stays_empty() -> None:
    with serving(environment={"TOKENSCOPE_PRELOAD": "false", "TOKENSCOPE_SLOW_SECONDS": "60"}, patience=180) as site:
        unknown, metrics = ask(site, "/unknown"), ask(site, "/metrics")
        assert (metrics.status, metrics.headers["Content-Type"]) == (404, unknown.headers["Content-Type"])
        assert metrics.content.replace(b"/metrics", b"/unknown") == unknown.content
        assert b"tokenscope_" not in metrics.content
        assert MARKER.encode() in ask(site, f"/?text={MARKER}").content
        assert ask(site, f"/{MARKER}").status == 404
        said = site.said()
    assert said.splitlines() == [f"Tokenscope is ready at {site.address}"]


def test_metrics_are_only_for_the_named_networks(proxied: Site) -> None:
    assert ask(proxied, "/metrics").status == 200
    assert ask(proxied, "/metrics", X_Forwarded_For="127.0.0.1").status == 200
    # A visitor who comes through the proxy, whose own address may read them.
    assert ask(proxied, "/metrics", X_Forwarded_For="203.0.113.9").status == 404
    assert ask(proxied, "/metrics", X_Forwarded_For="127.0.0.1, 203.0.113.9").status == 404
    assert ask(proxied, "/metrics", method="POST", body=b"a=b").status in (404, 405)
    head = ask(proxied, "/metrics", method="HEAD")
    assert (head.status, head.content) == (200, b"")


@pytest.mark.parametrize(
    "header", ["tokenscope.gauges", "Tokenscope-Gauges", "TOKENSCOPE_GAUGES", "HTTP_TOKENSCOPE.GAUGES"]
)
def test_no_visitor_reaches_the_figures_of_the_site(server: Site, header: str) -> None:
    connection = http.client.HTTPConnection(urlsplit(server.address).netloc, timeout=60)
    connection.request("GET", "/healthz", headers={header: "1"})
    assert connection.getresponse().read() == b"ok"
    connection.close()


def test_labels_stay_few_under_hostile_requests(server: Site) -> None:
    def strange(number: int) -> None:
        ask(server, f"/{MARKER}-{number}?a={number}")
        ask(server, f"/s/{number}")
        ask(server, "/", method=f"M{number}")
        ask(server, f"/%00%ff{number}", method="POST", body=b"x" * 10 * number)

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


def test_every_line_is_json_and_none_has_what_a_visitor_sent(server: Site) -> None:
    hidden = quote(MARKER)
    form = {"Content_Type": "application/x-www-form-urlencoded"}
    ask(server, f"/?text={hidden}&algorithm=bpe", User_Agent=MARKER, Cookie=f"a={MARKER}", Referer=f"http://x/{hidden}")
    ask(server, f"/{hidden}/{hidden}", Accept_Language=MARKER, X_Forwarded_For=MARKER)
    ask(server, "/", method="POST", body=f"text={hidden}".encode(), **form)
    ask(server, f"/s/{hidden}")
    ask(
        server,
        f"/api/v1/{hidden}",
        method="POST",
        body=f'{{"text": "{MARKER}'.encode(),
        Content_Type="application/json",
    )
    ask(server, "/download/tokens.json", method="POST", body=f"text={hidden}&algorithm=unigram".encode(), **form)
    ask(server, "/", method=MARKER.replace("-", ""))
    ask(server, "/", Host=f"{MARKER}.example:99999")
    ask(server, f"/crashing?text={hidden}", X_Marker=MARKER)
    ask(server, f"/sleeping?seconds={hidden}")  # an exception whose message repeats the text
    ask(server, "/healthz", traceparent=MARKER, tracestate=MARKER)
    last = ask(server, "/healthz").headers["X-Request-ID"]
    line_of(server, last)
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


def test_a_request_has_one_line_with_its_figures(server: Site) -> None:
    body = b"text=" + b"low+" * 3_000
    response = ask(
        server, "/", method="POST", body=body, Content_Type="application/x-www-form-urlencoded", X_Request_ID="one-4f2a"
    )
    assert response.headers["X-Request-ID"] == "one-4f2a"
    found = line_of(server, "one-4f2a")
    assert (found["method"], found["status"], found["received_bytes"]) == ("POST", response.status, len(body))
    assert found["sent_bytes"] == len(response.content)
    assert found["route"] == "/"
    assert 0 < found["work_ms"] <= found["total_ms"]
    assert "address" not in found
    assert len([line for line in lines(server) if line.get("id") == "one-4f2a" and line["event"] == "request"]) == 1


@pytest.mark.parametrize(
    "given", ["", "a b", "a\tb", '"}{"event":"request"', "x" * 129, "ключ".encode().decode("latin-1"), "a,b", "<b>"]
)
def test_an_id_that_is_not_plain_is_replaced(server: Site, given: str) -> None:
    told = ask(server, "/healthz", X_Request_ID=given).headers["X-Request-ID"]
    assert told != given
    assert len(told) == 32
    assert line_of(server, told)["route"] == "/healthz"


def test_a_worker_that_ends_is_told_with_the_request(proxied: Site) -> None:
    ask(proxied, "/crashing", X_Request_ID="crash-1")
    warning = "[crash-1] A worker ended in the middle of a request; another one replaces it"
    for _ in range(100):
        if warning in proxied.said():
            break
        time.sleep(0.05)
    assert warning in proxied.said()


def test_a_slow_request_is_named_with_its_phase(proxied: Site) -> None:
    ask(proxied, "/sleeping?seconds=1.5", X_Request_ID="slow-1")
    ask(proxied, "/healthz", X_Request_ID="after-1")
    for _ in range(100):
        if "after-1" in proxied.said():
            break
        time.sleep(0.05)
    said = proxied.said()
    assert re.search(
        r"WARNING webapp.observing.logs \[slow-1\] A slow request: GET /sleeping worked for 1\.[5-9] s", said
    )
    assert "of which 'handle' took " in said
    assert " GET /sleeping 200 id=slow-1 " in said
