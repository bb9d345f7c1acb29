"""One measurement: the visitor, and what others send meanwhile."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import TypeVar
from urllib.parse import urlsplit

import gevent
from locust.env import Environment

from tests.load.clients import PATIENCE, Arrivals, Author, Client, Plan, Waiting, by_chance, steady
from tests.load.processes import Usage, read
from tests.load.requests import Request, Requests
from tests.load.samples import ERROR, Sample

Kind = TypeVar("Kind", bound=Client)

VISITOR = "visitor"
BETWEEN = 0.1  # seconds between two of the visitor's requests
CLIENTS_AT_CAPACITY = 12


@dataclass(frozen=True)
class Measured:
    """The visitor's samples, those of the others, the site's usage, and the load of this process (1: a whole core)."""

    visitor: list[Sample]
    others: list[Sample]
    usages: list[Usage]
    seconds: float
    own_load: float


class Sampler:
    """Records what the site's processes use, in a process beside this one; nothing if the site is not local."""

    def __init__(self, address: str, every: float, file: Path | None) -> None:
        self._address, self._every = urlsplit(address), every
        self._file = file
        self._own: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> "Sampler":
        if self._file is None:
            self._own = tempfile.TemporaryDirectory()
            self._file = Path(self._own.name, "usage.csv")
        command = [sys.executable, "-m", "tests.load.processes", str(self._address.port), str(self._every)]
        with self._file.open("wb") as rows:
            self._process = subprocess.Popen(command, stdout=rows)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.terminate()
        self._process.wait()
        if self._own is not None:
            self._own.cleanup()

    def usages(self, since: float, until: float) -> list[Usage]:
        """Return what was recorded between two moments of `time.time`."""
        assert self._file is not None
        with self._file.open(encoding="utf-8") as rows:
            return [usage for usage in read(rows) if since <= usage.at <= until]


class Load:
    """Measures one site, at `address`; its clients come from as many addresses, or with 0 from this process's own."""

    def __init__(self, address: str, requests: Requests, sampler: Sampler, addresses: int) -> None:
        self.address = address
        self.requests = requests
        self._sampler = sampler
        self._addresses = addresses
        self._numbers = count(1)

    def prepare(self, links: int = 20) -> None:
        """Store the snapshots of the mix and send some of its requests, so that the site has loaded what it needs.

        Raises SystemExit if the site does not store them.
        """
        plan = Plan(self._addresses)
        author = self._of(Author, plan, self.requests.share)(Environment(host=self.address))
        author.on_start()
        self.requests.links = [author.share(self.requests.share()) for _ in range(links)]
        if not all(self.requests.links):
            raise SystemExit("The site did not store a snapshot. Start it with TOKENSCOPE_RATE_STORING= (no limit).")
        for _ in range(100):
            author.ask(self.requests.of_the_mix(), time.time(), plan.address())

    def wait_until_quiet(self, patience: float = 90) -> None:
        """Wait until the visitor's page takes less than 150 ms ten times in a row, so that no work is left behind."""
        plan = Plan(self._addresses)
        visitor = self._of(Client, plan, self.requests.page)(Environment(host=self.address))
        visitor.on_start()
        quiet, deadline = 0, time.monotonic() + patience
        while quiet < 10 and time.monotonic() < deadline:
            sample, _again = visitor.ask(self.requests.page(), time.time(), plan.visitor())
            quiet = quiet + 1 if sample.seconds < 0.15 and sample.status != ERROR else 0
            gevent.sleep(BETWEEN)

    def capacity(self, seconds: float) -> float:
        """Return how many requests of the mix the site answers a second beside the visitor's.

        The clients send one after another, and their responses of the first 3 seconds do not count.
        """
        plan = Plan(self._addresses)
        mixers = self.waiting(plan, self.requests.of_the_mix, CLIENTS_AT_CAPACITY)
        start, until = time.time() + 3, time.time() + 3 + seconds
        self._run(plan, [self._visitor(plan), mixers], 3 + seconds)
        answered = [sample for sample in plan.samples if sample.kind != VISITOR and sample.outcome == "answered"]
        return sum(start <= sample.due + sample.seconds < until for sample in answered) / seconds

    def meanwhile(self, seconds: float, others: Callable[["Load", Plan], type[Client]] | None = None) -> Measured:
        """Let the visitor ask for `seconds`, while the others do what they do; wait for the last responses."""
        plan = Plan(self._addresses)
        began, work = time.time(), time.process_time()
        self._run(plan, [self._visitor(plan), *([others(self, plan)] if others else [])], seconds)
        own = (time.process_time() - work) / (time.time() - began)
        visits = [sample for sample in plan.samples if sample.kind == VISITOR]
        rest = [sample for sample in plan.samples if sample.kind != VISITOR]
        return Measured(visits, rest, self._sampler.usages(began, began + seconds), seconds, own)

    def waiting(self, plan: Plan, make: Callable[[], Request], count: int) -> type[Client]:
        """Return `count` clients who send one request after another."""
        return self._of(Waiting, plan, make, fixed_count=count)

    def arrivals(self, plan: Plan, rate: float) -> type[Client]:
        """Return visitors who send `rate` requests of the mix a second, at times by chance."""
        return self._of(Arrivals, plan, self.requests.of_the_mix, gaps=by_chance(rate), address_of=plan.address)

    def _visitor(self, plan: Plan) -> type[Client]:
        def visit() -> Request:
            return replace(self.requests.page(), kind=VISITOR)

        return self._of(Arrivals, plan, visit, gaps=steady(BETWEEN), address_of=plan.visitor)

    def _of(self, kind: type[Kind], plan: Plan, make: Callable[[], Request], **more: object) -> type[Kind]:
        members = {"host": self.address, "plan": plan, "make": staticmethod(make), "fixed_count": 1, "abstract": False}
        members |= {name: staticmethod(value) if callable(value) else value for name, value in more.items()}
        return type(f"{kind.__name__}{next(self._numbers)}", (kind,), members)  # Locust wants different names

    def _run(self, plan: Plan, clients: list[type[Client]], seconds: float) -> None:
        environment = Environment(user_classes=clients, host=self.address)
        runner = environment.create_local_runner()
        runner.start(sum(each.fixed_count for each in clients), spawn_rate=100)
        gevent.sleep(seconds)
        plan.over = True
        deadline = time.monotonic() + PATIENCE
        while (runner.user_count or len(plan.waiting)) and time.monotonic() < deadline:
            gevent.sleep(0.1)
        runner.quit()


def told(measured: Measured) -> Iterator[str]:
    """Yield what made the measurement itself doubtful."""
    if measured.own_load > 0.5:
        yield f"this process used {measured.own_load:.2f} of a core, which delays what it measures"
    if late := sum(sample.status == ERROR and sample.seconds == 0 for sample in measured.others):
        yield f"{late} requests were not sent, because too many waited already"
