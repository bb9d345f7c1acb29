"""Between clients and workers: bodies and responses of any length, headers, slow clients, shutdown."""

import ast
import http.client
import json
import os
import resource
import signal
import socket
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.attacks.exchange import Answer
from tests.attacks.exchange import ask as ask_raw
from tests.processes import descendants
from tests.serving import Site, ask, is_healthy, serving
from tests.storage.killing import FRONT, JOB_WORKER, SERVER, members, processes_of
from tests.visiting import until

CHUNKED = {"Transfer-Encoding": "chunked"}


@pytest.mark.parametrize("length", [0, 1, 100_000, 1 << 20, (1 << 20) + 1, 3_000_000])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_arrives_whole(site: Site, length: int, chunked: bool) -> None:
    body = iter([b"x" * length]) if chunked else b"x" * length
    told = ast.literal_eval(ask(site.address, "/echoed", body=body, headers=CHUNKED if chunked else {}).text)
    assert (told["length"], dict(told["headers"])["Content-Length"]) == (length, str(length))


def test_a_body_that_is_too_long_is_refused_with_a_page(site: Site) -> None:
    answer = ask(site.address, "/", {"text": "x" * 12_000_000})
    assert (answer.status, "Request too large" in answer.text) == (413, True)


@pytest.mark.parametrize(("parts", "size"), [(0, 0), (1, 0), (3, 1), (1, 3_000_000), (2_000, 2_000)])
def test_an_answer_arrives_whole(site: Site, parts: int, size: int) -> None:
    answer = ask(site.address, f"/counting?parts={parts}&size={size}", headers={"Accept-Encoding": "identity"})
    assert (answer.status, answer.body) == (200, b"x" * parts * size)


def test_headers_and_paths_arrive_unchanged(site: Site) -> None:
    answer = raw(
        site,
        b"GET /echoed HTTP/1.1\r\nHost: x.example\r\nX-Twice: 1\r\nX-Twice: 2\r\nX_Underscore: 1\r\n"
        b"X-Bytes: \xc3\xa9\xff\r\nCookie: a=1\r\nCookie: b=2\r\nX-Request-ID: 4f2a-7.b_c\r\n",
    )
    headers = dict(ast.literal_eval(answer.text)["headers"])
    assert "X-Underscore" not in headers
    assert "X-Request-ID: 4f2a-7.b_c\n" in answer.head.replace("x-request-id", "X-Request-ID")
    wanted = {"X-Twice": "1,2", "Cookie": "a=1; b=2", "X-Bytes": "Ã©ÿ", "Host": "x.example"}
    assert headers.items() >= {**wanted, "X-Request-Id": "4f2a-7.b_c"}.items()


def raw(site: Site, head: bytes) -> Answer:
    """Return the response to lines that no library would send."""
    address = urlsplit(site.address)
    return ask_raw((str(address.hostname), address.port or 0), head + b"Connection: close\r\n\r\n", patience=30)


def test_head_has_no_body_and_the_connection_stays_usable(site: Site) -> None:
    with closing(http.client.HTTPConnection(urlsplit(site.address).netloc, timeout=30)) as connection:
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
    ("head", "status"),
    [
        (b"GARBAGE\r\n", 400),
        (b"G@T / HTTP/1.1\r\nHost: x.example\r\n", 400),
        (b"GET / HTTP/9.9\r\nHost: x.example\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x.example\r\nBad Header\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x.example\r\nContent-Length: 1\r\nContent-Length: 2\r\n", 400),
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: x.example\r\n", 414),
        (b"GET / HTTP/1.1\r\n" + b"X: 1\r\n" * 300, 431),
    ],
)
def test_the_responses_of_granian_itself_have_no_body(site: Site, head: bytes, status: int) -> None:
    """So they need no Content-Security-Policy, which Granian could not send."""
    answer = raw(site, head)
    assert (answer.status, answer.body) == (status, b"")


@pytest.mark.parametrize("given", ["", "a b", "a\tb", '"}{"event":"request"', "x" * 129, "é", "a,b", "<b>"])
def test_an_id_that_is_not_plain_is_replaced(site: Site, given: str) -> None:
    answers = [ask(site.address, "/healthz", headers={"X-Request-ID": given}) for _ in range(2)]
    ids = {answer.headers["X-Request-ID"] for answer in answers}
    assert [len(id) for id in ids] == [32, 32]


@pytest.mark.exhaustive
def test_stopping_the_site_finishes_running_requests_and_accepts_no_others(tmp_path: Path) -> None:
    """Those that run and those that wait: here a text of 1 MB, and more requests than there are workers."""
    process_file = tmp_path / "process"
    environment = {"WEB_CONCURRENCY": "2", "TEST_PROCESS_FILE": str(process_file)}
    with serving("tests.server.slow_site:create_app", environment=environment) as site:
        host, port = urlsplit(site.address).netloc.split(":")
        with ThreadPoolExecutor(4) as clients, socket.create_connection((host, int(port)), timeout=30) as idle:
            idle.sendall(b"GET /healthz HTTP/1.1\r\nHost: x.example\r\n\r\n")
            assert idle.recv(1000).startswith(b"HTTP/1.1 200")
            sleeping = [clients.submit(ask, site.address, "/sleeping?seconds=2") for _ in range(3)]
            text = clients.submit(ask, site.address, "/", {"text": "low lower lowest " * 60_000, "algorithm": "bpe"})
            while not process_file.exists():
                time.sleep(0.01)
            time.sleep(0.5)
            site.process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
            with pytest.raises(OSError, match="refused"):
                socket.create_connection((host, int(port)), timeout=5)
            assert idle.recv(1000) == b""
            assert [asked.result().body for asked in sleeping] == [b"slept"] * 3
            assert text.result().status == 200
            assert text.result().body.rstrip().endswith(b"</html>")
        assert site.process.wait(40) == 0


@contextmanager
def killed(role: str, path: str, body: bytes) -> Iterator[tuple[Site, Path]]:
    """Kill a process of a site of its own in the middle of a request; yield the site and its temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {"WEB_CONCURRENCY": "2", "TMPDIR": folder, "TOKENSCOPE_WORKER": "true"}
        with (
            serving("tests.server.slow_site:create_app", environment=environment) as site,
            socket.create_connection((urlsplit(site.address).hostname, urlsplit(site.address).port or 0)) as client,
        ):
            head = f"POST {path} HTTP/1.1\r\nHost: x.example\r\nContent-Length: {2 * len(body) + 10}\r\n\r\n"
            client.sendall(head.encode() + body)
            until(lambda: JOB_WORKER in processes_of(site.process.pid).values(), 30, lambda: "no job worker")
            until(lambda: not body or bool(files_in(Path(folder))), 30, lambda: "the body did not arrive")
            (chosen,) = (pid for pid, its in processes_of(site.process.pid).items() if its == role)
            os.kill(chosen, signal.SIGKILL)
            yield site, Path(folder)


@pytest.mark.exhaustive
def test_nothing_is_left_when_the_first_process_is_killed() -> None:
    """Even while a client is slow."""
    with killed(SERVER, "/", b"") as (site, folder):
        site.process.wait()
        until(lambda: not members(site.process.pid), 30, lambda: members(site.process.pid))
        assert list(folder.iterdir()) == []


@pytest.mark.exhaustive
def test_an_upload_is_gone_when_the_process_that_received_it_was_killed() -> None:
    with killed(FRONT, "/", b"x" * 3_000_000) as (site, folder):
        until(lambda: is_healthy(site.address), 100, lambda: "no new front")
        assert files_in(folder) == []


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


# --- a disk without space for the temporary files of the front: bodies are refused, responses arrive whole


@pytest.fixture(scope="module")
def full() -> Iterator[Site]:
    environment = {"WEB_CONCURRENCY": "2", "TOKENSCOPE_LOG": "json"}
    with serving("tests.server.slow_site:create_app", environment=environment) as site:
        for process in (site.process.pid, *descendants(site.process.pid)):
            # A longer file fails with EFBIG, as one on a full disk with ENOSPC.
            resource.prlimit(process, resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
        yield site


def test_a_body_that_cannot_be_stored_is_refused(full: Site) -> None:
    answer = ask(full.address, "/echoed", body=b"x" * 5_000_000)
    assert (answer.status, answer.text) == (503, "The site cannot store the request. Try again in a minute.\n")
    assert ask(full.address, "/echoed", body=b"x" * 1_000).status == 200


def test_an_answer_that_cannot_be_stored_arrives_at_the_pace_of_its_client(full: Site) -> None:
    address = urlsplit(full.address)
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        client.connect((address.hostname, address.port))
        client.settimeout(20)
        client.sendall(b"GET /counting?parts=10&size=6000000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        time.sleep(2)
        meanwhile = ask(full.address, "/counting?parts=2&size=10")
        assert meanwhile.body == b"x" * 20
        assert meanwhile.seconds < 1
        answer = http.client.HTTPResponse(client)
        answer.begin()
        assert answer.read() == b"x" * 60_000_000
    lines = [json.loads(line) for line in full.said().splitlines() if line.startswith("{")]
    assert [line["refused"] for line in lines if line.get("refused")] == ["body"]
    assert sum("because it cannot be stored: " in line.get("message", "") for line in lines) == 1
