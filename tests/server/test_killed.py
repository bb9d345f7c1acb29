"""Requests whose worker is killed: repeated once where that is safe, and otherwise answered with their text."""

from __future__ import annotations

import http.client
import json
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest

from tests.serving import Site, serving
from tests.storage.killing import FRONT, WORKER, processes_of

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
# Estimated to be heavy: it waits for a slot of the heavy lane.
HEAVY = "研究生命" + "x" * 300_000


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving("tests.server.slow_site:create_app", environment={"WEB_CONCURRENCY": "2"}) as site:
        yield site


def ask(
    site: Site, method: str, path: str, values: dict[str, str], headers: dict[str, str] | None = None
) -> tuple[int, str, http.client.HTTPMessage]:
    """Return status, body and headers."""
    connection = http.client.HTTPConnection(urlsplit(site.address).netloc, timeout=60)
    if method == "POST":
        connection.request(method, path, urlencode(values), FORM | (headers or {}))
    else:
        connection.request(method, f"{path}?{urlencode(values)}", headers=headers or {})
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer.status, body, answer.headers


@pytest.mark.parametrize(
    ("method", "path", "text"),
    [("GET", "/dying", "生命"), ("POST", "/dying", "生命"), ("POST", "/dying", HEAVY), ("GET", "/storing", "生命")],
    ids=["get", "post", "heavy", "get of what stores"],
)
def test_a_request_whose_worker_is_killed_is_given_to_another(
    site: Site, tmp_path: Path, method: str, path: str, text: str
) -> None:
    count = tmp_path / "count"
    status, body, _ = ask(site, method, path, {"text": text, "file": str(count), "times": "1"})
    assert (status, body, count.read_text()) == (200, "alive", "xx")


@pytest.mark.parametrize("text", ["生命", HEAVY], ids=["light", "heavy"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_request_that_kills_its_workers_is_repeated_only_once(
    site: Site, tmp_path: Path, method: str, text: str
) -> None:
    if method == "GET":
        text = text[:1_000]
    count = tmp_path / "count"
    status, body, headers = ask(site, method, "/dying", {"text": text, "file": str(count), "times": "9"})
    assert (status, count.read_text()) == (503, "xx")
    assert int(headers["Retry-After"]) > 0
    assert "Refresh" not in headers  # only the visitor may send it again
    assert "The server was interrupted while it worked on this request." in body
    assert text in body
    assert f'name="file" hidden>\n{count}</textarea>' in body
    assert ask(site, "GET", "/sleeping", {"seconds": "0"})[0] == 200


def test_what_may_have_been_stored_is_not_stored_twice(site: Site, tmp_path: Path) -> None:
    count = tmp_path / "count"
    status, body, headers = ask(site, "POST", "/storing", {"text": "生命", "file": str(count), "times": "1"})
    assert (status, count.read_text()) == (503, "x")
    assert headers["Retry-After"]
    assert "It may have stored what you sent, or not." in body
    assert "生命</textarea>" in body


def test_interruptions_are_told_to_programs_and_htmx_in_their_format(site: Site, tmp_path: Path) -> None:
    values = {"file": str(tmp_path / "count"), "times": "9"}
    status, body, headers = ask(site, "GET", "/dying", values | {"format": "json"})
    assert status == json.loads(body)["status"] == 503
    assert headers["Retry-After"]
    status, body, _ = ask(site, "GET", "/dying", values, {"HX-Request": "true", "HX-Request-Type": "partial"})
    assert status == 503
    assert body.startswith('<div class="notice bad" role="alert">')


@pytest.mark.parametrize("path", ["/dying", "/storing"])
def test_a_request_that_no_worker_has_begun_is_given_to_another_whatever_it_does(
    site: Site, tmp_path: Path, path: str
) -> None:
    """Its worker is killed after the front has sent the request, and before it reads it."""
    count = tmp_path / "count"
    roles = processes_of(site.process.pid)
    (front,) = (pid for pid, role in roles.items() if role == FRONT)
    workers = [pid for pid, role in roles.items() if role == WORKER]
    for pid in workers:
        os.kill(pid, signal.SIGSTOP)
    with ThreadPoolExecutor(1) as clients:
        asked = clients.submit(ask, site, "POST", path, {"file": str(count), "times": "0"})
        time.sleep(1)
        assert not count.exists()
        os.kill(front, signal.SIGSTOP)  # so that it notices the end of all of them at once
        for pid in workers:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.5)  # until the kernel has closed their sockets
        os.kill(front, signal.SIGCONT)
        assert asked.result()[:2] == (200, "alive")
    assert count.read_text() == "x"
