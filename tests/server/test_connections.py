"""Between clients and workers: bodies and responses of any length, headers, slow clients, shutdown."""

from __future__ import annotations

import ast
import http.client
import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import pytest

from tests.serving import Site, is_healthy, serving


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    environment = {"WEB_CONCURRENCY": "2", "TOKENSCOPE_MAX_UPLOAD_BYTES": "2000000"}
    with serving("tests.server.slow_site:create_app", environment=environment) as site:
        yield site


@pytest.fixture
def connection(site: Site) -> Iterator[http.client.HTTPConnection]:
    connection = http.client.HTTPConnection(urlsplit(site.address).netloc, timeout=30)
    yield connection
    connection.close()


@pytest.mark.parametrize("length", [0, 1, 100_000, 1 << 20, (1 << 20) + 1, 3_000_000])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_arrives_whole(connection: http.client.HTTPConnection, length: int, chunked: bool) -> None:
    body = iter([b"x" * length]) if chunked else b"x" * length
    connection.request("POST", "/echoed", body, encode_chunked=chunked)
    told = ast.literal_eval(connection.getresponse().read().decode())
    assert told["length"] == length
    assert dict(told["headers"])["Content-Length"] == str(length)


def test_a_body_that_is_too_long_is_refused_with_a_page(connection: http.client.HTTPConnection) -> None:
    connection.request("POST", "/", b"text=" + b"x" * 12_000_000, {"Content-Type": "application/x-www-form-urlencoded"})
    answer = connection.getresponse()
    assert answer.status == 413
    assert b"Request too large" in answer.read()


@pytest.mark.parametrize(("parts", "size"), [(0, 0), (1, 0), (3, 1), (1, 3_000_000), (2_000, 2_000)])
def test_an_answer_arrives_whole(connection: http.client.HTTPConnection, parts: int, size: int) -> None:
    connection.request("GET", f"/counting?parts={parts}&size={size}", headers={"Accept-Encoding": "identity"})
    answer = connection.getresponse()
    assert answer.status == 200
    assert answer.read() == b"x" * parts * size


def test_headers_and_paths_arrive_unchanged(site: Site) -> None:
    host, port = urlsplit(site.address).netloc.split(":")
    with socket.create_connection((host, int(port)), timeout=30) as client:
        client.sendall(
            b"GET /echoed HTTP/1.1\r\nHost: x.example\r\nX-Twice: 1\r\nX-Twice: 2\r\nX_Underscore: 1\r\n"
            b"X-Bytes: \xc3\xa9\xff\r\nCookie: a=1\r\nCookie: b=2\r\nConnection: close\r\n\r\n"
        )
        answer = http.client.HTTPResponse(client)
        answer.begin()
        headers = dict(ast.literal_eval(answer.read().decode())["headers"])
    assert headers["X-Twice"] == "1,2"
    assert headers["Cookie"] == "a=1; b=2"
    assert headers["X-Bytes"] == "Ã©ÿ"
    assert "X-Underscore" not in headers
    assert headers["Host"] == "x.example"


def test_head_has_no_body_and_the_connection_stays_usable(connection: http.client.HTTPConnection) -> None:
    for _ in range(3):
        connection.request("HEAD", "/healthz")
        answer = connection.getresponse()
        assert (answer.status, answer.headers["Content-Length"], answer.read()) == (200, "2", b"")


def test_clients_that_do_not_read_occupy_no_worker(site: Site) -> None:
    host, port = urlsplit(site.address).netloc.split(":")
    lazy = []
    for _ in range(12):
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect((host, int(port)))
        client.sendall(b"GET /counting?parts=160&size=65536 HTTP/1.1\r\nHost: x.example\r\n\r\n")
        lazy.append(client)
    time.sleep(1)
    begun = time.monotonic()
    for _ in range(5):
        assert is_healthy(site.address)
    assert time.monotonic() - begun < 10
    first = lazy[0]
    first.settimeout(30)
    answer = http.client.HTTPResponse(first)
    answer.begin()
    assert len(answer.read()) == 160 * 65536
    for client in lazy:
        client.close()


@pytest.mark.exhaustive
def test_stopping_the_site_finishes_running_requests(tmp_path: Path) -> None:
    process_file = tmp_path / "process"
    environment = {"WEB_CONCURRENCY": "2", "TEST_PROCESS_FILE": str(process_file)}
    with serving("tests.server.slow_site:create_app", environment=environment) as site:
        told: list[bytes] = []

        def ask() -> None:
            connection = http.client.HTTPConnection(urlsplit(site.address).netloc, timeout=30)
            connection.request("GET", "/sleeping?seconds=2")
            told.append(connection.getresponse().read())

        asking = Thread(target=ask)
        asking.start()
        while asking.is_alive() and not process_file.exists():
            time.sleep(0.01)
        site.process.send_signal(signal.SIGTERM)
        asking.join()
        assert told == [b"slept"]
        assert site.process.wait(30) == 0


@pytest.mark.exhaustive
def test_no_process_is_left_when_the_first_is_killed() -> None:
    with serving("tests.server.slow_site:create_app", environment={"WEB_CONCURRENCY": "2"}) as site:
        group = site.process.pid
        os.kill(group, signal.SIGKILL)
        site.process.wait()
        deadline = time.monotonic() + 15
        while is_healthy(site.address) and time.monotonic() < deadline:
            time.sleep(0.1)
        while has_processes(group) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not has_processes(group)


def has_processes(group: int) -> bool:
    """Tell whether any process of the group is running."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.exhaustive
def test_an_invalid_setting_is_named_at_the_start(capfd: pytest.CaptureFixture[str]) -> None:
    with (
        pytest.raises(RuntimeError, match="TOKENSCOPE_MAX_TEXT_BYTES must be a whole number above 0, not 0"),
        serving(environment={"TOKENSCOPE_MAX_TEXT_BYTES": "0"}),
    ):
        pass
    assert "Traceback" not in capfd.readouterr().err
