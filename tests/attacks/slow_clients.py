"""Hundreds of clients that send or read next to nothing, while a visitor requests pages."""

import math
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from http.client import HTTPConnection, HTTPException
from random import Random
from string import ascii_lowercase
from threading import Event, Thread

from tests.attacks.crowd import KINDS, SECONDS_A_SLICE, Crowd
from tests.attacks.exchange import page_of
from tests.attacks.findings import Finding, milliseconds, percentile
from tests.attacks.site import Site

GOAL_P99 = 0.3
CUT_OFF = 20.0  # seconds after which a slow client should be gone
CUT_OFF_MEASURED = 25.0
SETTLING = 30.0  # what a busy machine needs to start 500 responses
VISITING = 8.0
VISITOR_PATIENCE = 3.0


def slow_clients(site: Site, *, connections: int) -> Iterator[Finding]:
    """Attack with every kind at once, while a visitor requests pages."""
    visits(site, 1.0)  # loads what is loaded on first use
    idle = visits(site, 2.0)
    quiet = f"idle: p50 {milliseconds(percentile(idle, 0.5))}, p99 {milliseconds(percentile(idle, 0.99))}"
    yield Finding("a visitor alone", quiet, "", True)
    # Each client is an open file of this process; the site, already started, keeps the limit of the shell.
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield from _besieged(site, connections, idle)


def _besieged(site: Site, connections: int, idle: Sequence[float]) -> Iterator[Finding]:
    """Open the connections, load pages as a visitor, and record when the site closes slow connections."""
    crowds = [Crowd(kind, site.address, connections) for kind in KINDS]
    done = Event()
    driver = Thread(target=_drive, args=(site, crowds, done), daemon=True)
    try:
        driver.start()
        for crowd in crowds:
            crowd.open()
            _wait_until(lambda: crowd.settled, SETTLING)  # noqa: B023 (called at once)
        seconds = visits(site, VISITING)
        left = CUT_OFF_MEASURED + 1 - VISITING
        _wait_until(lambda: all(crowd.seconds_to_last_close is not None for crowd in crowds), left)
    finally:
        done.set()
        driver.join()
        for crowd in crowds:
            crowd.close()
    yield _page_loads(f"a visitor and {connections} of each kind", seconds, idle)
    for crowd in crowds:
        yield _closed(crowd)


def _drive(site: Site, crowds: Sequence[Crowd], done: Event) -> None:
    """Drive the slow clients, and check once a second which of them the site has closed."""
    turns = 0
    while not done.wait(SECONDS_A_SLICE):
        for crowd in crowds:
            crowd.step()
        turns += 1
        if turns % 10 == 0:
            still_open = site.open_connections()
            for crowd in crowds:
                crowd.look(still_open)


def _wait_until(holds: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.1)


def _page_loads(tried: str, seconds: Sequence[float], idle: Sequence[float]) -> Finding:
    """Judge a visitor's page loads; on a machine that is slow even when idle, the goal is three times the idle time."""
    goal = max(GOAL_P99, 3 * percentile(idle, 0.99))
    p50, p99 = percentile(seconds, 0.5), percentile(seconds, 0.99)
    lost = sum(map(math.isinf, seconds))
    told = f"p50 {_shown(p50)}, p99 {_shown(p99)}, {len(seconds)} pages"
    return Finding(tried, told + (f", {lost} lost" if lost else ""), f"p99 below {milliseconds(goal)}", p99 < goal)


def _shown(seconds: float) -> str:
    return "none" if math.isinf(seconds) else milliseconds(seconds)


def _closed(crowd: Crowd) -> Finding:
    last = crowd.seconds_to_last_close
    gone = len(crowd.closed_after)
    when = f", the last after {max(crowd.closed_after.values()):.1f} s" if gone else ""
    holds = last is not None and last <= CUT_OFF_MEASURED
    seen = f"{gone} of {crowd.count} closed by the site{when}"
    return Finding(f"  {crowd.kind}", seen, f"all closed after {CUT_OFF:.0f} s ({CUT_OFF_MEASURED:.0f} s here)", holds)


def visits(site: Site, seconds: float) -> list[float]:
    """Load `/` with 1 KB of text repeatedly, alternating new and persistent connections; infinity for a lost page."""
    random = Random(1)
    text = " ".join("".join(random.choices(ascii_lowercase, k=5)) for _ in range(170))
    target = page_of(text)
    taken: list[float] = []
    kept = _connection(*site.address)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for connection in (kept, _connection(*site.address)):
            began = time.monotonic()
            try:
                connection.request("GET", target)
                answer = connection.getresponse()
                whole = answer.status == 200 and b"</html>" in answer.read()
            except (OSError, HTTPException):
                whole = False
            taken.append(time.monotonic() - began if whole else math.inf)
            if connection is not kept or not whole:
                connection.close()
    kept.close()
    return taken


_connection = partial(HTTPConnection, timeout=VISITOR_PATIENCE)
