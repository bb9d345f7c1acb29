"""Heavy requests on the real server: their priority, their queue, and light requests beside them."""

import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.serving import Answer, Site, ask, serving

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has priorities of threads")

# On a busy machine, heavy requests wait for processors that others use.
OWN = {"TOKENSCOPE_MAX_REQUEST_SECONDS": "100", "WEB_CONCURRENCY": "2", "TOKENSCOPE_PROXIES": "1"}
HEAVY = "研究生命" + "x" * 600_000


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    environment = OWN | {"TOKENSCOPE_MAX_QUEUE_SECONDS": "2"}
    with serving("tests.server.slow_site:create_app", environment=environment) as site:
        yield site


def asked(site: Site, path: str, form: dict[str, str] | None = None, client: str = "192.0.2.1") -> Answer:
    return ask(site.address, path, form, headers={"X-Forwarded-For": client})


def test_a_light_request_that_turns_out_heavy_loses_its_priority(site: Site) -> None:
    before, after = map(int, asked(site, "/working?seconds=0").text.split())
    assert before == after < 19
    assert asked(site, "/working?seconds=0.5").text == f"{before} 19"


def test_a_worker_has_its_priority_again_for_the_next_request(site: Site) -> None:
    processes = set()
    for _ in range(3):
        processes.add(asked(site, "/working?seconds=0.4").headers["X-Process"])
    for _ in range(6):
        answer = asked(site, "/working?seconds=0")
        assert "19" not in answer.text
        processes.discard(answer.headers["X-Process"])


def test_the_cost_of_a_request_is_remembered(site: Site) -> None:
    path = "/working?seconds=0.45"
    assert not asked(site, path).text.startswith("19")
    assert asked(site, path).text == "19 19"


@pytest.mark.parametrize("clients", [pytest.param(1, marks=pytest.mark.exhaustive), 3])
def test_light_requests_find_a_worker_beside_heavy_ones(site: Site, clients: int) -> None:
    """Also beside more heavy requests than the site has workers, whose cost it does not know before."""
    with ThreadPoolExecutor(3) as crowd:
        paths = [f"/working?seconds=1.{clients}{number}" for number in range(3)]
        heavy = [crowd.submit(asked, site, path, None, f"192.0.2.{i % clients}") for i, path in enumerate(paths)]
        meanwhile = []
        while not any(each.done() for each in heavy):
            meanwhile.append(asked(site, "/working?seconds=0").status)
        assert meanwhile[:-1].count(200) > 3
        assert [each.result().status for each in heavy] == [200] * 3


def test_heavy_requests_beyond_the_queue_are_told_to_come_back(site: Site) -> None:
    form = {"text": HEAVY, "seconds": "0.5"}
    with ThreadPoolExecutor(12) as crowd:
        answers = list(crowd.map(lambda number: asked(site, "/working", form, f"192.0.2.{number}"), range(12)))
    refused = [answer for answer in answers if answer.status != 200]
    assert 0 < len(refused) < 12
    for answer in refused:
        assert answer.status == 503
        assert 2 <= int(answer.headers["Retry-After"]) <= 60
        assert "研究生命" in answer.text
    assert min(answer.text for answer in answers if answer.status == 200) == "19 19"


@pytest.mark.exhaustive
def test_one_address_may_have_only_so_much_work() -> None:
    environment = OWN | {"TOKENSCOPE_MAX_QUEUE_SECONDS": "50", "TOKENSCOPE_MAX_WORK_SECONDS": "3"}
    with (
        serving("tests.server.slow_site:create_app", environment=environment) as site,
        ThreadPoolExecutor(6) as crowd,
    ):
        form = {"text": HEAVY, "seconds": "0.5"}
        heavy = [crowd.submit(asked, site, "/working", form) for _ in range(5)]
        assert asked(site, "/working", form, "192.0.2.2").status == 200
        answers = [each.result() for each in heavy]
    assert {answer.status for answer in answers} == {200, 429}
    refused = next(answer for answer in answers if answer.status == 429)
    assert "研究生命" in refused.text
    assert int(refused.headers["Retry-After"]) >= 2


@pytest.mark.exhaustive
def test_the_crowd_of_one_client_turns_nobody_else_away(site: Site) -> None:
    with ThreadPoolExecutor(120) as crowd:
        many = [crowd.submit(asked, site, f"/working?seconds=0.19&number={number}") for number in range(120)]
        time.sleep(0.8)
        paths = [f"/working?seconds=0&other={number}" for number in range(5)]
        assert [asked(site, path, None, "192.0.2.99").status for path in paths] == [200] * 5
        assert 503 in [each.result().status for each in many]
