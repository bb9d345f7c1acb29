"""The time limit of a request, and what happens when it is exceeded."""

from __future__ import annotations

import http.client
import os
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.serving import Site, ask, is_healthy, serving

LIMIT = 3
# What a busy machine may add; work that is not stopped takes a minute.
SLACK = 15


@pytest.fixture(scope="module")
def process_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("slow") / "process"


@pytest.fixture(scope="module")
def site(process_file: Path) -> Iterator[Site]:
    environment = {
        "TOKENSCOPE_MAX_REQUEST_SECONDS": str(LIMIT),
        "TEST_PROCESS_FILE": str(process_file),
        "WEB_CONCURRENCY": "2",
    }
    with serving("tests.server.slow_site:create_app", environment=environment) as site:
        yield site


def has_ended(process: int, seconds: float) -> bool:
    """Tell whether a process ends within so many seconds."""
    stat, deadline = Path(f"/proc/{process}/stat"), time.monotonic() + seconds
    while stat.exists() and ") Z " not in stat.read_text() and time.monotonic() < deadline:
        time.sleep(0.05)
    return time.monotonic() < deadline


@pytest.mark.parametrize("work", ["computing", pytest.param("in_c", marks=pytest.mark.exhaustive)])
def test_work_that_takes_too_long_is_stopped_and_the_text_stays(site: Site, process_file: Path, work: str) -> None:
    text = "研究 <b>生命</b>"
    answer = ask(site.address, f"/{work}", {"text": text, "algorithm": "bpe"})
    body = answer.text
    assert answer.status == 503
    assert answer.seconds < LIMIT + SLACK
    assert has_ended(int(process_file.read_text()), SLACK)
    assert "This took longer than the 3 seconds that a request may take, so the server stopped it." in body
    assert re.search(r"<textarea name=\"text\"[^>]*>\n研究 &lt;b&gt;生命&lt;/b&gt;</textarea>", body)
    assert f'action="/{work}"' in body
    assert '<textarea name="algorithm" hidden>' in body
    assert is_healthy(site.address)


@pytest.mark.exhaustive
def test_waiting_for_a_worker_counts_towards_the_limit(site: Site) -> None:
    with ThreadPoolExecutor(6) as clients:
        answers = list(clients.map(lambda _: ask(site.address, "/computing"), range(6)))
    assert [answer.status for answer in answers] == [503] * 6
    assert max(answer.seconds for answer in answers) < LIMIT + SLACK


def test_an_interrupted_response_is_visibly_incomplete(site: Site) -> None:
    connection = http.client.HTTPConnection(urlsplit(site.address).netloc, timeout=30)
    connection.request("GET", "/unfinished")
    answer = connection.getresponse()
    assert answer.read(9) == b"beginning"
    with pytest.raises(http.client.HTTPException):
        answer.read()
    connection.close()


def test_workers_that_are_killed_while_idle_are_replaced(site: Site) -> None:
    processes = set()
    for _ in range(5):
        answer = ask(site.address, "/sleeping?seconds=0")
        assert answer.status == 200
        process = int(answer.headers["X-Process"])
        assert process not in processes
        processes.add(process)
        os.kill(process, 9)
        time.sleep(0.1)
