"""The time limit of a request, and what happens when it is exceeded."""

from __future__ import annotations

import http.client
import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest

from tests.serving import Site, is_healthy, serving

LIMIT = 3
# What a busy machine may add; work that is not stopped takes a minute.
SLACK = 15
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


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


def ask(
    site: Site, path: str, form: dict[str, str] | None = None, headers: dict[str, str] | None = None
) -> tuple[int, str, float]:
    """Return status, body and seconds."""
    connection = http.client.HTTPConnection(urlsplit(site.address).netloc, timeout=30)
    begun = time.monotonic()
    if form is None:
        connection.request("GET", path, headers=headers or {})
    else:
        connection.request("POST", path, urlencode(form), FORM | (headers or {}))
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer.status, body, time.monotonic() - begun


def is_running(process: int) -> bool:
    """Tell whether a process is running."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def has_ended(process_file: Path, seconds: float) -> bool:
    """Tell whether the process that worked last ends within `seconds`."""
    process = int(process_file.read_text())
    deadline = time.monotonic() + seconds
    while is_running(process) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not is_running(process)


@pytest.mark.parametrize("work", ["computing", pytest.param("in_c", marks=pytest.mark.exhaustive)])
def test_work_that_takes_too_long_is_stopped_and_the_text_stays(site: Site, process_file: Path, work: str) -> None:
    text = "研究 <b>生命</b>"
    status, body, seconds = ask(site, f"/{work}", {"text": text, "algorithm": "bpe"})
    assert status == 503
    assert seconds < LIMIT + SLACK
    assert has_ended(process_file, SLACK)
    assert "This took longer than the 3 seconds that a request may take, so the server stopped it." in body
    assert re.search(r"<textarea name=\"text\"[^>]*>\n研究 &lt;b&gt;生命&lt;/b&gt;</textarea>", body)
    assert f'action="/{work}"' in body
    assert '<textarea name="algorithm" hidden>' in body
    assert is_healthy(site.address)


@pytest.mark.exhaustive
def test_the_text_of_an_address_stays_too(site: Site) -> None:
    status, body, _ = ask(site, "/computing?" + urlencode({"text": "生命", "lang": "zh"}))
    assert status == 503
    assert '<html lang="zh-Hans">' in body
    assert re.search(r"<form [^>]*method=\"get\".*生命</textarea>", body, re.DOTALL)


@pytest.mark.exhaustive
def test_timeouts_respond_to_programs_and_htmx_in_their_format(site: Site) -> None:
    status, body, _ = ask(site, "/computing?format=json")
    assert status == json.loads(body)["status"] == 503
    status, body, _ = ask(site, "/computing", {"text": "x"}, {"HX-Request": "true", "HX-Request-Type": "partial"})
    assert status == 503
    assert body.startswith('<div class="notice bad" role="alert">')


@pytest.mark.exhaustive
@pytest.mark.parametrize("work", ["computing", "in_c"])
def test_work_for_a_client_that_has_left_is_stopped(site: Site, process_file: Path, work: str) -> None:
    process_file.unlink(missing_ok=True)
    connection = http.client.HTTPConnection(urlsplit(site.address).netloc, timeout=30)
    connection.request("GET", f"/{work}")
    while not (process_file.exists() and process_file.read_text()):
        time.sleep(0.01)
    connection.close()
    assert has_ended(process_file, LIMIT - 0.5)
    assert is_healthy(site.address)


@pytest.mark.exhaustive
def test_waiting_for_a_worker_counts_towards_the_limit(site: Site) -> None:
    connections = [http.client.HTTPConnection(urlsplit(site.address).netloc, timeout=30) for _ in range(6)]
    begun = time.monotonic()
    for connection in connections:
        connection.request("GET", "/computing")
    assert [connection.getresponse().status for connection in connections] == [503] * 6
    assert time.monotonic() - begun < LIMIT + SLACK
    for connection in connections:
        connection.close()


def test_an_interrupted_response_is_visibly_incomplete(site: Site) -> None:
    connection = http.client.HTTPConnection(urlsplit(site.address).netloc, timeout=30)
    connection.request("GET", "/unfinished")
    answer = connection.getresponse()
    assert answer.read(9) == b"beginning"
    with pytest.raises(http.client.HTTPException):
        answer.read()
    connection.close()


def test_workers_that_are_killed_while_idle_are_replaced(site: Site) -> None:
    connection = http.client.HTTPConnection(urlsplit(site.address).netloc, timeout=30)
    processes = set()
    for _ in range(5):
        connection.request("GET", "/sleeping?seconds=0")
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200
        process = int(answer.headers["X-Process"])
        assert process not in processes
        processes.add(process)
        os.kill(process, 9)
        time.sleep(0.1)
    connection.close()
