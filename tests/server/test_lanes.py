"""Heavy requests on the real server: their priority, their queue, and light requests beside them."""

from __future__ import annotations

import http.client
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode, urlsplit

import pytest

from tests.serving import Site, serving

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has priorities of threads")

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
# On a busy machine, heavy requests wait for processors that others use.
PATIENT = {"TOKENSCOPE_MAX_REQUEST_SECONDS": "100"}


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    environment = {"WEB_CONCURRENCY": "2", "TOKENSCOPE_PROXIES": "1", "TOKENSCOPE_MAX_QUEUE_SECONDS": "2"} | PATIENT
    with serving("tests.server.slow_site:create_app", environment=environment) as site:
        yield site


def ask(
    site: Site, path: str, form: dict[str, str] | None = None, client: str = "192.0.2.1"
) -> tuple[int, str, float, http.client.HTTPMessage]:
    """Return status, body, seconds and headers."""
    connection = http.client.HTTPConnection(urlsplit(site.address).netloc, timeout=60)
    begun = time.monotonic()
    headers = {"X-Forwarded-For": client} | (FORM if form else {})
    connection.request("POST" if form else "GET", path, urlencode(form) if form else None, headers)
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer.status, body, time.monotonic() - begun, answer.headers


def test_a_light_request_that_turns_out_heavy_loses_its_priority(site: Site) -> None:
    _, light, *_ = ask(site, "/working?seconds=0")
    before, after = map(int, light.split())
    assert before == after < 19
    _, heavy, *_ = ask(site, "/working?seconds=0.5")
    assert heavy == f"{before} 19"


def test_a_worker_has_its_priority_again_for_the_next_request(site: Site) -> None:
    processes = set()
    for _ in range(3):
        *_, headers = ask(site, "/working?seconds=0.4")
        processes.add(headers["X-Process"])
    for _ in range(6):
        _, told, _, headers = ask(site, "/working?seconds=0")
        assert "19" not in told
        processes.discard(headers["X-Process"])


def test_the_cost_of_a_request_is_remembered(site: Site) -> None:
    path = "/working?seconds=0.45"
    assert not ask(site, path)[1].startswith("19")
    assert ask(site, path)[1] == "19 19"


@pytest.mark.parametrize("clients", [1, 3])
def test_light_requests_find_a_worker_beside_heavy_ones(site: Site, clients: int) -> None:
    """Also beside more heavy requests than the site has workers, whose cost it does not know before."""
    with ThreadPoolExecutor(3) as crowd:
        paths = [f"/working?seconds=1.{clients}{number}" for number in range(3)]
        heavy = [crowd.submit(ask, site, path, None, f"192.0.2.{i % clients}") for i, path in enumerate(paths)]
        meanwhile = []
        while not any(asked.done() for asked in heavy):
            meanwhile.append(ask(site, "/working?seconds=0")[0])
        assert meanwhile[:-1].count(200) > 3
        assert [asked.result()[0] for asked in heavy] == [200] * 3


def test_heavy_requests_beyond_the_queue_are_told_to_come_back(site: Site) -> None:
    text = "研究生命" + "x" * 600_000
    with ThreadPoolExecutor(12) as crowd:
        form = {"text": text, "seconds": "0.5"}
        heavy = [crowd.submit(ask, site, "/working", form, f"192.0.2.{number}") for number in range(12)]
        answers = [asked.result() for asked in heavy]
    refused = [answer for answer in answers if answer[0] != 200]
    assert 0 < len(refused) < 12
    for status, body, _, headers in refused:
        assert status == 503
        assert 2 <= int(headers["Retry-After"]) <= 60
        assert "研究生命" in body
    assert sorted(answer[1] for answer in answers if answer[0] == 200)[0] == "19 19"


def test_one_address_may_have_only_so_much_work() -> None:
    environment = PATIENT | {
        "WEB_CONCURRENCY": "2",
        "TOKENSCOPE_PROXIES": "1",
        "TOKENSCOPE_MAX_QUEUE_SECONDS": "50",
        "TOKENSCOPE_MAX_WORK_SECONDS": "3",
    }
    with (
        serving("tests.server.slow_site:create_app", environment=environment) as site,
        ThreadPoolExecutor(6) as crowd,
    ):
        form = {"text": "研究生命" + "x" * 600_000, "seconds": "0.5"}
        heavy = [crowd.submit(ask, site, "/working", form) for _ in range(5)]
        other = crowd.submit(ask, site, "/working", form, "192.0.2.2")
        answers = [asked.result() for asked in heavy]
        assert other.result()[0] == 200
    statuses = [answer[0] for answer in answers]
    assert set(statuses) == {200, 429}
    _, body, _, headers = answers[statuses.index(429)]
    assert "研究生命" in body
    assert int(headers["Retry-After"]) >= 2


def test_the_crowd_of_one_client_turns_nobody_else_away(site: Site) -> None:
    with ThreadPoolExecutor(120) as crowd:
        many = [crowd.submit(ask, site, f"/working?seconds=0.19&number={number}") for number in range(120)]
        time.sleep(0.8)
        others = [ask(site, f"/working?seconds=0&other={number}", None, "192.0.2.99")[0] for number in range(5)]
        refused = [one.result()[0] for one in many].count(503)
    assert others == [200] * 5
    assert refused
