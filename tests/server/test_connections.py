"""Between clients and workers: bodies and responses of any length, headers, slow clients, shutdown."""

from __future__ import annotations

import ast
import http.client
import os
import signal
import socket
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest

from tests.serving import Site, is_healthy, serving
from tests.storage.killing import FRONT, processes_of


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


@pytest.mark.parametrize(
    ("request_head", "status"),
    [
        (b"GARBAGE\r\n\r\n", 400),
        (b"G@T / HTTP/1.1\r\nHost: x.example\r\n\r\n", 400),
        (b"GET / HTTP/9.9\r\nHost: x.example\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x.example\r\nBad Header\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x.example\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: x.example\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\n" + b"X: 1\r\n" * 300 + b"\r\n", 431),
    ],
)
def test_the_responses_of_granian_itself_have_no_body(site: Site, request_head: bytes, status: int) -> None:
    """So they need no Content-Security-Policy, which Granian could not send."""
    host, port = urlsplit(site.address).netloc.split(":")
    with socket.create_connection((host, int(port)), timeout=30) as client:
        client.sendall(request_head)
        answer = http.client.HTTPResponse(client)
        answer.begin()
        assert (answer.status, answer.headers["Content-Length"], answer.read()) == (status, "0", b"")


def test_the_id_of_a_request_comes_back(connection: http.client.HTTPConnection) -> None:
    connection.request("GET", "/echoed", headers={"X-Request-ID": "4f2a-7.b_c"})
    answer = connection.getresponse()
    told = ast.literal_eval(answer.read().decode())
    assert answer.headers["X-Request-ID"] == "4f2a-7.b_c"
    assert dict(told["headers"])["X-Request-Id"] == "4f2a-7.b_c"


@pytest.mark.parametrize("given", ["", "a b", "é", "x" * 129])
def test_an_id_that_is_not_plain_is_replaced(connection: http.client.HTTPConnection, given: str) -> None:
    ids = set()
    for _ in range(2):
        connection.request("GET", "/healthz", headers={"X-Request-ID": given.encode()})
        answer = connection.getresponse()
        answer.read()
        ids.add(answer.headers["X-Request-ID"])
    assert len(ids) == 2
    assert all(len(one) == 32 for one in ids)


@pytest.mark.exhaustive
def test_stopping_the_site_finishes_running_requests_and_accepts_no_others(tmp_path: Path) -> None:
    """Those that run and those that wait: here a text of 1 MB, and more requests than there are workers."""
    process_file = tmp_path / "process"
    environment = {"WEB_CONCURRENCY": "2", "TEST_PROCESS_FILE": str(process_file)}
    with serving("tests.server.slow_site:create_app", environment=environment) as site:
        host, port = urlsplit(site.address).netloc.split(":")

        def ask(path: str, body: str | None = None) -> tuple[int, bytes]:
            connection = http.client.HTTPConnection(host, int(port), timeout=60)
            headers = {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
            connection.request("POST" if body else "GET", path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()

        with ThreadPoolExecutor(4) as clients, socket.create_connection((host, int(port)), timeout=30) as idle:
            idle.sendall(b"GET /healthz HTTP/1.1\r\nHost: x.example\r\n\r\n")
            assert idle.recv(1000).startswith(b"HTTP/1.1 200")
            sleeping = [clients.submit(ask, "/sleeping?seconds=2") for _ in range(3)]
            text = clients.submit(ask, "/", urlencode({"text": "low lower lowest " * 60_000, "algorithm": "bpe"}))
            while not process_file.exists():
                time.sleep(0.01)
            time.sleep(0.5)
            site.process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
            with pytest.raises(OSError, match="refused"):
                socket.create_connection((host, int(port)), timeout=5)
            assert idle.recv(1000) == b""
            assert [asked.result() for asked in sleeping] == [(200, b"slept")] * 3
            status, page = text.result()
            assert status == 200
            assert page.rstrip().endswith(b"</html>")
        assert site.process.wait(40) == 0


@pytest.mark.exhaustive
def test_nothing_is_left_when_the_first_process_is_killed() -> None:
    """Even while a client is slow."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serving("tests.server.slow_site:create_app", environment={"WEB_CONCURRENCY": "2", "TMPDIR": folder}) as site,
        socket.create_connection((urlsplit(site.address).hostname, urlsplit(site.address).port or 0)) as slow,
    ):
        slow.sendall(b"POST / HTTP/1.1\r\nHost: x.example\r\nContent-Length: 1000\r\n\r\n")
        group = site.process.pid
        os.kill(group, signal.SIGKILL)
        site.process.wait()
        deadline = time.monotonic() + 10
        while is_healthy(site.address) and time.monotonic() < deadline:
            time.sleep(0.1)
        while has_processes(group) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not has_processes(group)
        assert os.listdir(folder) == []


@pytest.mark.exhaustive
def test_an_upload_is_gone_when_the_process_that_received_it_was_killed() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        serving("tests.server.slow_site:create_app", environment={"WEB_CONCURRENCY": "2", "TMPDIR": folder}) as site,
        socket.create_connection((urlsplit(site.address).hostname, urlsplit(site.address).port or 0)) as client,
    ):
        client.sendall(b"POST / HTTP/1.1\r\nHost: x.example\r\nContent-Length: 4000000\r\n\r\n" + b"x" * 3_000_000)
        while not files_in(folder):
            time.sleep(0.1)
        (front,) = (pid for pid, role in processes_of(site.process.pid).items() if role == FRONT)
        os.kill(front, signal.SIGKILL)
        deadline = time.monotonic() + 100
        while not is_healthy(site.address) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert files_in(folder) == []


def files_in(folder: str) -> list[Path]:
    return [path for path in Path(folder).rglob("*") if path.is_file()]


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
