"""Other servers against the one in use, with the same site and the same slow clients.

    pip install gunicorn gevent waitress
    python -m tests.benchmarks.servers [SERVER ...]

For each: pages per second with eight clients, the median time to the first byte and to the end of a megabyte's result,
and the page loads of a visitor while 500 slow clients of each kind are connected, with how many of them the server has
cut off 25 s after they became slow. Servers that are not installed are skipped and named. `ours` is `python -m webapp`.
"""

from __future__ import annotations

import http.client
import importlib.util
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from threading import Thread
from urllib.parse import quote, urlencode

from tests.attacks.crowd import KINDS, Crowd
from tests.attacks.findings import percentile
from tests.attacks.site import held_at
from tests.attacks.slow_clients import visits
from tests.serving import ROOT, free_port

Address = tuple[str, int]

APP = "webapp:create_app()"
GUNICORN = f"gunicorn --preload --workers 2 --timeout 30 --bind 127.0.0.1:{{port}} {APP} -k "
# The package that has to be installed, and the arguments of `python -m`.
SERVERS = {
    "ours": ("granian", "webapp"),
    "gunicorn gthread": ("gunicorn", GUNICORN + "gthread --threads 4"),
    "gunicorn sync": ("gunicorn", GUNICORN + "sync"),
    "gunicorn gevent": ("gevent", GUNICORN + "gevent"),
    "waitress": (
        "waitress",
        "waitress --listen=127.0.0.1:{port} --threads=8 --channel-timeout=20 --connection-limit=4000 "
        "--call webapp:create_app",
    ),
    "granian wsgi": (
        "granian",
        "granian --interface wsgi --port {port} --workers 2 --blocking-threads 4 --http1-header-read-timeout 20000 "
        "--backlog 4096 --factory webapp:create_app",
    ),
}
SECONDS = 5.0
CUT_OFF = 25.0
COUNT = 500


@contextmanager
def running(command: str) -> Iterator[Address]:
    """Start a server with the site; yield its address."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "wb") as nowhere:
        settings = {
            "TOKENSCOPE_HUB": "http://127.0.0.1:9",
            "TOKENSCOPE_RATE_READING": "",
            "TOKENSCOPE_RATE_STORING": "",
            "TOKENSCOPE_RATE_WORK": "",
            "TOKENSCOPE_PRELOAD": "true",
            "TOKENSCOPE_DATABASE_FILE": f"{folder}/site.sqlite",
            "TOKENSCOPE_VOCABULARY_FOLDER": folder,
        }
        process = subprocess.Popen(
            [sys.executable, "-m", *command.format(port=port).split()],
            cwd=ROOT,
            env={**os.environ, **settings, "PORT": str(port)},
            stdout=nowhere,
            stderr=nowhere,
            start_new_session=True,
        )
        try:
            _wait(("127.0.0.1", port))
            yield ("127.0.0.1", port)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _wait(address: Address) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            connection = http.client.HTTPConnection(*address, timeout=5)
            connection.request("GET", "/?text=" + quote("warm 研究生命"))
            connection.getresponse().read()
            connection.close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def pages_a_second(address: Address, path: str) -> float:
    """Return the responses per second of eight clients with persistent connections."""
    counts = [0] * 8
    deadline = time.monotonic() + SECONDS

    def ask(number: int) -> None:
        connection = http.client.HTTPConnection(*address, timeout=30)
        while time.monotonic() < deadline:
            connection.request("GET", path)
            connection.getresponse().read()
            counts[number] += 1
        connection.close()

    threads = [Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / SECONDS


def megabyte(address: Address) -> tuple[float, float]:
    """Return the seconds to the first and the last byte of a megabyte's result, streamed; medians of five."""
    text = ("The quick brown fox jumps over the lazy dog. " * 24_000)[:1_000_000]
    body = urlencode({"text": text, "algorithm": "bpe"})
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/event-stream"}
    headers |= {"HX-Request": "true", "HX-Request-Type": "partial"}
    first, last = [], []
    for _ in range(5):
        connection = http.client.HTTPConnection(*address, timeout=60)
        begun = time.monotonic()
        connection.request("POST", "/", body, headers)
        answer = connection.getresponse()
        answer.read(1)
        first.append(time.monotonic() - begun)
        answer.read()
        last.append(time.monotonic() - begun)
        connection.close()
    return median(first), median(last)


def besieged(address: Address, kind: str) -> tuple[list[float], int]:
    """Return a visitor's page loads while slow clients of a kind are connected, and how many of those are cut off."""
    crowd = Crowd(kind, address, COUNT)
    crowd.open()
    begun = time.monotonic()
    over = False

    def drive() -> None:
        while not over:
            crowd.step()
            time.sleep(0.1)

    driver = Thread(target=drive)
    driver.start()
    while not crowd.settled and time.monotonic() < begun + 20:
        time.sleep(0.1)
    settled = time.monotonic()
    seconds = visits_at(address, 6)
    time.sleep(max(0.0, settled + CUT_OFF - time.monotonic()))
    over = True
    driver.join()
    crowd.look(held_at(address[1]))
    crowd.close()
    return seconds, len(crowd.closed_after)


def visits_at(address: Address, seconds: float) -> list[float]:
    """Return a visitor's page loads, in seconds."""

    class Target:
        def __init__(self) -> None:
            self.address = address

    return visits(Target(), seconds)  # type: ignore[arg-type]


def main(chosen: list[str]) -> int:
    """Measure the chosen servers, or all; print a table."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    missing = [name for name, (package, _) in SERVERS.items() if importlib.util.find_spec(package) is None]
    print(f"skipped, not installed: {', '.join(missing)}\n" if missing else "")
    kinds = [f"{kind}: p99 ms, cut off" for kind in KINDS]
    print("| server | /healthz per second | / per second | 1 MB first byte, end (s) | " + " | ".join(kinds) + " |")
    print("|---|---|---|---|" + "---|" * len(kinds))
    for name, (_, command) in SERVERS.items():
        if name in missing or (chosen and name not in chosen):
            continue
        with running(command) as address:
            light, page = pages_a_second(address, "/healthz"), pages_a_second(address, "/?text=hello+world")
            first, last = megabyte(address)
        cells = []
        for kind in KINDS:
            with running(command) as address:
                seconds, cut_off = besieged(address, kind)
            lost = sum(second == float("inf") for second in seconds)
            p99 = percentile([second for second in seconds if second < float("inf")] or [float("inf")], 0.99)
            told = f"{1000 * p99:.0f}" if p99 < float("inf") else "–"
            cells.append(f"{told}{f' ({lost} of {len(seconds)} lost)' if lost else ''}, {cut_off}")
        print(f"| {name} | {light:.0f} | {page:.0f} | {first:.2f}, {last:.2f} | {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
