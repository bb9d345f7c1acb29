"""The limits of memory: of one request, and of all that run; the visitor gets a page with the text."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.processes import peak_bytes, resident_bytes, workers_of
from tests.serving import Site, ask, is_healthy
from webapp.server.pool import MOST_TOGETHER
from webapp.server.worker import MOST_TAKEN

MEGABYTE = 1_000_000
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
    sizes = [MOST_TOGETHER // 3 // MEGABYTE + more for more in (0, 20, 60)]
    with ThreadPoolExecutor(3) as clients:
        found = list(clients.map(lambda size: hoard(site, tmp_path / str(size), size, 3), sizes))
    assert sorted(status for status, _ in found) == [200, 200, 503]
    assert SENTENCE in next(body for status, body in found if status == 503)
    assert all((tmp_path / str(size)).read_text() == "x" for size in sizes)
    assert is_healthy(site.address)
