"""How many links per second the site opens and creates: ``python -m tests.benchmarks.links [SECONDS]``.

Two workers, eight clients on the same machine, each with a persistent connection: first `/healthz`, the ceiling, then
a snapshot of 2 KB that was opened before, then sharing a different text each time. Every acknowledged link is opened
again at the end.
"""

import http.client
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import chain
from multiprocessing import get_context
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

from tests.benchmarks.timing import BELOW
from tests.serving import ROOT, serve

TEXT = ROOT.parent / "shared" / "texts" / "en_pride_and_prejudice.txt"
PROCESSES, THREADS = 2, 4
SECONDS = 30.0
OPENING_GOAL = 1 / 3  # of what /healthz does
SHARING_GOAL = 100.0  # a second


class Load(NamedTuple):
    """What clients measured: responses per second, the 99th percentile in seconds, and the links they received."""

    rate: float
    p99: float
    told: list[str]


def main() -> int:
    """Measure and print the table; return 1 if a goal was missed."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    novel = TEXT.read_text(encoding="utf-8")
    with serve(environment={"WEB_CONCURRENCY": "2"}) as address:
        path = urlsplit(_share(_connected(address), novel[50_000:52_000])).path
        health = load(address, "get", "/healthz", seconds)
        opened = load(address, "get", path, seconds)
        made = load(address, "share", novel, min(seconds, 10.0))
        lost = [link for link in made.told if _status(address, link) != 200]
    share = opened.rate / health.rate
    print(f"{'':44}{'per second':>10}{'p99':>10}{'ratio':>8}{'goal':>8}")
    print(f"{'GET /healthz, the ceiling':44}{health.rate:>10.0f}{health.p99 * 1000:>7.1f} ms")
    print(f"{'GET /s/ID, 2 KB':44}{opened.rate:>10.0f}{opened.p99 * 1000:>7.1f} ms{share:>8.2f}{OPENING_GOAL:>8.2f}")
    print(
        f"{'POST /share, 2 KB each, SQLite':44}{made.rate:>10.0f}{made.p99 * 1000:>7.1f} ms{'':8}{SHARING_GOAL:>8.0f}"
    )
    print(f"links acknowledged {len(made.told):,}, lost {len(lost)}")
    missed = [
        name
        for name, reached in (
            ("opening", share >= OPENING_GOAL),
            ("sharing", made.rate >= SHARING_GOAL),
            ("links lost", not lost),
        )
        if not reached
    ]
    if missed:
        print(f"{BELOW}{', '.join(missed)}")
    return 1 if missed else 0


def load(address: str, kind: str, what: str, seconds: float) -> Load:
    """Return what all clients measure within `seconds` of requesting one path, or of sharing parts of a text."""
    with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:
        jobs = [pool.submit(process, address, kind, what, seconds, number) for number in range(PROCESSES)]
        results = [job.result() for job in jobs]
    times = sorted(chain.from_iterable(times for times, _ in results))
    told = list(chain.from_iterable(told for _, told in results))
    return Load(len(times) / seconds, times[int(len(times) * 0.99)], told)


def process(address: str, kind: str, what: str, seconds: float, number: int) -> tuple[list[float], list[str]]:
    """Run the clients of one process; return the time of each response, and the links they received."""
    with ThreadPoolExecutor(THREADS) as pool:
        numbers = range(number * THREADS, (number + 1) * THREADS)
        results = list(pool.map(lambda client: _client(address, kind, what, seconds, client), numbers))
    return [time for times, _ in results for time in times], [link for _, told in results for link in told]


def _client(address: str, kind: str, what: str, seconds: float, client: int) -> tuple[list[float], list[str]]:
    connection = _connected(address)
    times, told = [], []
    ask: Callable[[int], str] = (
        (lambda _: _get(connection, what))
        if kind == "get"
        else (lambda turn: _share(connection, f"{client} {turn} {what[turn * 7 : turn * 7 + 1_990]}"))
    )
    deadline = time.monotonic() + seconds
    turn = 0
    while (began := time.monotonic()) < deadline:
        link = ask(turn)
        times.append(time.monotonic() - began)
        told += [link] if link else []
        turn += 1
    connection.close()
    return times, told


def _connected(address: str) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)


def _get(connection: http.client.HTTPConnection, path: str) -> str:
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    assert answer.status == 200, answer.status
    return ""


def _share(connection: http.client.HTTPConnection, text: str) -> str:
    body = urlencode({"algorithm": "bpe", "text": text})
    headers = {"Content-Type": "application/x-www-form-urlencoded", "HX-Request-Type": "partial"}
    connection.request("POST", "/share", body, headers)
    answer = connection.getresponse()
    answer.read()
    assert answer.status == 201, answer.status
    return answer.headers["Location"]


def _status(address: str, link: str) -> int:
    connection = _connected(address)
    connection.request("GET", urlsplit(link).path)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


if __name__ == "__main__":
    raise SystemExit(main())
