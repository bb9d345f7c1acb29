"""A disk without space for the temporary files of the front: bodies are refused, responses arrive whole."""

from __future__ import annotations

import http.client
import json
import resource
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.serving import Site, ask, serving

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits files of a running process with prlimit")


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    environment = {"WEB_CONCURRENCY": "2", "TOKENSCOPE_LOG": "json"}
    with serving("tests.server.slow_site:create_app", environment=environment) as site:
        for process in (site.process.pid, *children(site.process.pid)):
            # A longer file fails with EFBIG, as one on a full disk with ENOSPC.
            resource.prlimit(process, resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
        yield site


def children(process: int) -> list[int]:
    """Return the ids of a process's children, of which the front is one."""
    threads = Path(f"/proc/{process}/task").iterdir()
    return [int(child) for thread in threads for child in (thread / "children").read_text().split()]


def test_a_body_that_cannot_be_stored_is_refused(site: Site) -> None:
    answer = ask(site.address, "/echoed", body=b"x" * 5_000_000)
    assert (answer.status, answer.text) == (503, "The site cannot store the request. Try again in a minute.\n")
    assert ask(site.address, "/echoed", body=b"x" * 1_000).status == 200


def test_an_answer_that_cannot_be_stored_arrives_at_the_pace_of_its_client(site: Site) -> None:
    address = urlsplit(site.address)
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        client.connect((address.hostname, address.port))
        client.settimeout(20)
        client.sendall(b"GET /counting?parts=10&size=6000000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        time.sleep(2)
        meanwhile = ask(site.address, "/counting?parts=2&size=10")
        assert meanwhile.body == b"x" * 20
        assert meanwhile.seconds < 1
        answer = http.client.HTTPResponse(client)
        answer.begin()
        assert answer.read() == b"x" * 60_000_000
    lines = [json.loads(line) for line in site.said().splitlines() if line.startswith("{")]
    assert [line["refused"] for line in lines if line.get("refused")] == ["body"]
    assert sum("because it cannot be stored: " in line.get("message", "") for line in lines) == 1
