"""The limits of time and memory: of one request, of all that run, and of a worker; the visitor gets the text back."""

import http.client
import json
import os
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.processes import forget_peak, own_bytes, peak_bytes, resident_bytes, workers_of
from tests.serving import Site, ask, is_healthy, serving
from tests.visiting import until
from webapp.server.pool import MOST_TOGETHER
from webapp.server.worker import MOST_TAKEN

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
MEGABYTES = 1_000_000
LIMIT = 3
# What a busy machine may add; work that is not stopped takes a minute.
SLACK = 15


@pytest.fixture(scope="module")
def process_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("slow") / "process"


@pytest.fixture(scope="module")
def limited(process_file: Path) -> Iterator[Site]:
    environment = {
        "TOKENSCOPE_MAX_REQUEST_SECONDS": str(LIMIT),
        "TEST_PROCESS_FILE": str(process_file),
        "WEB_CONCURRENCY": "2",
    }
    with serving("tests.server.slow_site:create_app", environment=environment) as site:
        yield site


def has_ended(process: int) -> bool:
    stat = Path(f"/proc/{process}/stat")
    return not stat.exists() or ") Z " in stat.read_text()


@pytest.mark.parametrize("work", ["computing", pytest.param("in_c", marks=pytest.mark.exhaustive)])
def test_work_that_takes_too_long_is_stopped_and_the_text_stays(limited: Site, process_file: Path, work: str) -> None:
    text = "研究 <b>生命</b>"
    for _ in range(3):  # on a busy machine, the time may be too short for the page as well
        answer = ask(limited.address, f"/{work}", {"text": text, "algorithm": "bpe"})
        if not (body := answer.text).startswith("The site did not answer in time."):
            break
    assert answer.status == 503
    assert answer.seconds < LIMIT + SLACK
    until(lambda: has_ended(int(process_file.read_text())), SLACK)
    assert "This took longer than the 3 seconds that a request may take, so the server stopped it." in body
    assert re.search(r"<textarea name=\"text\"[^>]*>\n研究 &lt;b&gt;生命&lt;/b&gt;</textarea>", body)
    assert f'action="/{work}"' in body
    assert '<textarea name="algorithm" hidden>' in body
    assert is_healthy(limited.address)


@pytest.mark.exhaustive
def test_waiting_for_a_worker_counts_towards_the_limit(limited: Site) -> None:
    with ThreadPoolExecutor(6) as clients:
        answers = list(clients.map(lambda _: ask(limited.address, "/computing"), range(6)))
    assert [answer.status for answer in answers] == [503] * 6
    assert max(answer.seconds for answer in answers) < LIMIT + SLACK


def test_an_interrupted_response_is_visibly_incomplete(limited: Site) -> None:
    connection = http.client.HTTPConnection(urlsplit(limited.address).netloc, timeout=30)
    connection.request("GET", "/unfinished")
    answer = connection.getresponse()
    assert answer.read(9) == b"beginning"
    with pytest.raises(http.client.HTTPException):
        answer.read()
    connection.close()


def test_workers_that_are_killed_while_idle_are_replaced(limited: Site) -> None:
    processes = set()
    for _ in range(5):
        answer = ask(limited.address, "/sleeping?seconds=0")
        assert answer.status == 200
        process = int(answer.headers["X-Process"])
        assert process not in processes
        processes.add(process)
        os.kill(process, 9)
        until(lambda: has_ended(process), 10)  # noqa: B023 (called at once)


# --- memory

SENTENCE = "This needs more memory than the site has for it now, so the server stopped it. Shorten the text"


def hoard(site: Site, file: Path, megabytes: int, seconds: float = 0, path: str = "/hoarding") -> tuple[int, str]:
    form = {"text": "研究 <b>", "file": str(file), "megabytes": str(megabytes), "seconds": str(seconds)}
    answer = ask(site.address, path, form)
    return answer.status, answer.text


def test_a_request_that_takes_too_much_is_stopped_and_the_text_stays(site: Site, tmp_path: Path) -> None:
    before = set(workers_of(site.process.pid))
    assert hoard(site, tmp_path / "a", 400) == (200, "held")
    status, body = hoard(site, tmp_path / "b", 5_000)
    assert status == 503
    assert SENTENCE in body
    assert 'name="text" hidden>\n研究 &lt;b&gt;</textarea>' in body or "研究 &lt;b&gt;</textarea>" in body
    assert (tmp_path / "b").read_text() == "x"  # no second attempt
    after = workers_of(site.process.pid)
    assert before & set(after)  # the worker goes on
    for worker in after:
        assert peak_bytes(worker) < resident_bytes(worker) + MOST_TAKEN
    status, body = hoard(site, tmp_path / "c", 5_000, path="/hoarding?format=json")
    assert (status, json.loads(body)["status"]) == (503, 503)
    assert is_healthy(site.address)


def test_of_requests_that_take_too_much_together_the_largest_is_stopped(site: Site, tmp_path: Path) -> None:
    sizes = [MOST_TOGETHER // 3 // MEGABYTES + more for more in (0, 20, 60)]
    with ThreadPoolExecutor(3) as clients:
        found = list(clients.map(lambda size: hoard(site, tmp_path / str(size), size, 3), sizes))
    assert sorted(status for status, _ in found) == [200, 200, 503]
    assert SENTENCE in next(body for status, body in found if status == 503)
    assert all((tmp_path / str(size)).read_text() == "x" for size in sizes)
    assert is_healthy(site.address)


NULS = "\0" * 300_000


@pytest.mark.exhaustive
def test_long_exports_leave_a_worker_small() -> None:
    with serving(environment={"WEB_CONCURRENCY": "1"}) as site:
        downloaded(site.address, "txt", "low")
        before = {worker: (own_bytes(worker), resident_bytes(worker)) for worker in workers_of(site.process.pid)}
        for worker in before:
            forget_peak(worker)
        for _ in range(2):
            found = json.loads(downloaded(site.address, "json", NULS))
            assert len(found["tokens"]) == len(NULS)
        assert downloaded(site.address, "html", NULS).rstrip().endswith(b"</html>")
        remaining = [worker for worker in workers_of(site.process.pid) if worker in before]
        assert remaining, "every worker was replaced"
        for worker in remaining:
            own, resident = before[worker]
            assert peak_bytes(worker) - resident < 150 * MEGABYTES
            assert own_bytes(worker) - own < 80 * MEGABYTES


def downloaded(address: str, kind: str, text: str) -> bytes:
    return ask(address, f"/download/tokens.{kind}", {"text": text, "algorithm": "bpe"}).body
