"""Requests whose worker is killed: repeated once where that is safe, and otherwise answered with their text."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.serving import Answer, Site, ask
from tests.storage.killing import FRONT, WORKER, processes_of

# Estimated to be heavy: it waits for a slot of the heavy lane.
HEAVY = "研究生命" + "x" * 300_000


def sent(site: Site, method: str, path: str, values: dict[str, str]) -> Answer:
    """Send values as a form or as a query."""
    return ask(site.address, path, values) if method == "POST" else ask(site.address, f"{path}?{urlencode(values)}")


@pytest.mark.parametrize(
    ("method", "path", "text"),
    [("GET", "/dying", "生命"), ("POST", "/dying", "生命"), ("POST", "/dying", HEAVY), ("GET", "/storing", "生命")],
    ids=["get", "post", "heavy", "get of what stores"],
)
def test_a_request_whose_worker_is_killed_is_given_to_another(
    site: Site, tmp_path: Path, method: str, path: str, text: str
) -> None:
    count = tmp_path / "count"
    answer = sent(site, method, path, {"text": text, "file": str(count), "times": "1"})
    assert (answer.status, answer.text, count.read_text()) == (200, "alive", "xx")


@pytest.mark.parametrize("text", ["生命", HEAVY], ids=["light", "heavy"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_request_that_kills_its_workers_is_repeated_only_once(
    site: Site, tmp_path: Path, method: str, text: str
) -> None:
    if method == "GET":
        text = text[:1_000]
    count = tmp_path / "count"
    answer = sent(site, method, "/dying", {"text": text, "file": str(count), "times": "9"})
    assert (answer.status, count.read_text()) == (503, "xx")
    assert int(answer.headers["Retry-After"]) > 0
    assert "Refresh" not in answer.headers  # only the visitor may send it again
    assert "The server was interrupted while it worked on this request." in answer.text
    assert text in answer.text
    assert f'name="file" hidden>\n{count}</textarea>' in answer.text
    assert ask(site.address, "/sleeping?seconds=0").status == 200


def test_what_may_have_been_stored_is_not_stored_twice(site: Site, tmp_path: Path) -> None:
    count = tmp_path / "count"
    answer = ask(site.address, "/storing", {"text": "生命", "file": str(count), "times": "1"})
    assert (answer.status, count.read_text()) == (503, "x")
    assert answer.headers["Retry-After"]
    assert "It may have stored what you sent, or not." in answer.text
    assert "生命</textarea>" in answer.text


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
        asked = clients.submit(ask, site.address, path, {"file": str(count), "times": "0"})
        time.sleep(1)
        assert not count.exists()
        os.kill(front, signal.SIGSTOP)  # so that it notices the end of all of them at once
        for pid in workers:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.5)  # until the kernel has closed their sockets
        os.kill(front, signal.SIGCONT)
        assert (asked.result().status, asked.result().text) == (200, "alive")
    assert count.read_text() == "x"
