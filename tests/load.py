"""``python -m tests.load``: what a visitor waits for while others send long texts, and whether the goals are reached.

    python -m tests.load [--seconds 60] [--scenario idle|paste|download|mix80|mix200] [--hours 1]

The site is started as deployed, on this machine's loopback interface, and each client has an address of its own. The
visitor asks for a page with a new text of 1 KB ten times a second, whatever the responses take: each request is counted
from the moment when it was due. With ``--hours``, the mix runs that long at 80 % of capacity, and the memory of the
site's processes must not grow. The exit code is 1 if a goal is missed.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from http.client import HTTPConnection, HTTPException
from itertools import count, cycle, repeat
from math import ceil, inf
from statistics import linear_regression
from threading import Event, Thread
from typing import NamedTuple
from urllib.parse import quote, urlencode, urlsplit

from tests.processes import descendants, own_bytes, proportional_bytes
from tests.serving import ROOT, serving

# The most seconds of the 99th percentile of the visitor's worst minute.
GOALS = {"idle": inf, "paste": 0.3, "download": 0.3, "mix80": 0.5, "mix200": 1.0}
MIX = {"page": 70, "paste of 100 KB": 10, "link": 8, "compare": 6, "api": 6}
CLIENTS, AT_CAPACITY, MOST_WAITING = 8, 12, 200
FLAT = 0.05  # the share of its size by which the largest process may grow over the second half of a long run
BETWEEN = 0.1  # seconds between two of the visitor's requests
FORM = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}
# htmx shows a long result as it arrives.
HTMX = {**FORM, "HX-Request": "true", "HX-Request-Type": "partial", "Accept": "text/html"}


class Request(NamedTuple):
    """A request; without a body it is a GET."""

    kind: str
    path: str
    body: bytes | None = None
    headers: dict[str, str] = FORM


class Sample(NamedTuple):
    """When a request was due, the seconds from then to its last byte, and its status: 0 for no complete response."""

    kind: str
    due: float
    seconds: float
    status: int
    retry_after: float

    @property
    def outcome(self) -> str:
        return "answered" if 200 <= self.status < 400 else str(self.status) if self.status in (429, 503) else "error"


class Requests:
    """Makes requests with sentences of this repository, English and Chinese, the same ones in every run."""

    def __init__(self) -> None:
        self._random = random.Random(16)
        files = [ROOT / "README.md", *sorted((ROOT / "templates" / "learn").rglob("*.html"))]
        self._sentences = [line.strip() for file in files for line in file.read_text("utf-8").splitlines() if line]
        self._pastes = [self._form(1_000_000) for _ in range(4)]
        self._shorter_pastes = [self._form(100_000) for _ in range(10)]
        self._kinds = self._random.choices(list(MIX), list(MIX.values()), k=10_000)
        self._turns = count()
        self.links: list[str] = []  # the addresses of snapshots

    def _text(self, size: int = 1_000) -> str:
        parts: list[str] = []
        while size > 0:
            parts.append(f"{self._random.choice(self._sentences)} {self._random.randrange(100_000)}\n")
            size -= len(parts[-1].encode())
        return "".join(parts)

    def _form(self, size: int = 1_000) -> bytes:
        return urlencode({"text": self._text(size)}).encode()

    def page(self, kind: str = "page") -> Request:
        return Request(kind, f"/?text={quote(self._text())}")

    def paste(self) -> Request:
        """A text of 1 MB, as htmx sends it or as a plain form does."""
        return Request("paste of 1 MB", "/", self._random.choice(self._pastes), self._random.choice((FORM, HTMX)))

    def download(self) -> Request:
        return Request("download of 1 MB", "/download/tokens.json", self._random.choice(self._pastes))

    def share(self) -> Request:
        return Request("share", "/share", self._form())

    def of_the_mix(self) -> Request:
        kind = self._kinds[next(self._turns) % len(self._kinds)]
        if kind == "paste of 100 KB":
            return Request(kind, "/", self._random.choice(self._shorter_pastes), HTMX)
        if kind == "link":
            return Request(kind, self._random.choice(self.links))
        if kind == "compare":
            return Request(kind, f"/compare?text={quote(self._text())}")
        if kind == "api":
            body = json.dumps({"text": self._text()}).encode()
            return Request(kind, "/api/v1/tokenize", body, {"Content-Type": "application/json"})
        return self.page()


class Load:
    """A site, and the clients of one measurement after the other."""

    def __init__(self, address: str, process: int) -> None:
        self._netloc = urlsplit(address).netloc
        self._process = process
        self.requests = Requests()
        self.memory: list[tuple[float, int, int]] = []  # time, all processes (PSS), the largest one's own; bytes

    def ask(self, request: Request, source: str, due: float | None = None) -> tuple[Sample, str]:
        """Send a request and read its response to the end; return the sample and the address that it leads to."""
        due = due or time.time()
        connection = HTTPConnection(self._netloc, timeout=45)  # more than the site gives a request
        status, location, retry_after = 0, "", 0.0
        headers = {**request.headers, "X-Forwarded-For": source, "Accept-Encoding": "gzip"}
        with suppress(OSError, HTTPException), closing(connection):
            connection.request("POST" if request.body else "GET", request.path, request.body, headers)
            response = connection.getresponse()
            while response.read(1 << 16):
                pass
            status, location = response.status, response.headers.get("Location", "")
            retry_after = float(response.headers.get("Retry-After") or 0)
        return Sample(request.kind, due, time.time() - due, status, retry_after), location

    def prepare(self) -> None:
        """Store the snapshots whose links the mix opens."""
        self.requests.links = [self.ask(self.requests.share(), "198.51.100.1")[1] for _ in range(20)]

    def measure(self, seconds: float, *others: Callable[[Event, list[Sample]], None]) -> list[Sample]:
        """Let the visitor ask for some seconds, and the others do what they do."""
        over, samples = Event(), list[Sample]()
        visitors = (f"192.0.2.{number}" for number in cycle(range(1, 51)))  # nobody loads ten pages a second
        visit = partial(self.requests.page, "visitor")
        visitor = partial(self.arrive, visit, repeat(BETWEEN), visitors)
        threads = [Thread(target=target, args=(over, samples)) for target in (visitor, self._sample, *others)]
        for thread in threads:
            thread.start()
        over.wait(seconds)
        over.set()
        for thread in threads:
            thread.join()
        return samples

    def arrive(
        self,
        make: Callable[[], Request],
        gaps: Iterator[float],
        sources: Iterator[str],
        over: Event,
        samples: list[Sample],
    ) -> None:
        """Send requests at their times, whatever the responses take."""
        due = time.time()
        with ThreadPoolExecutor(MOST_WAITING) as pool:
            while not over.is_set():
                due += next(gaps)
                over.wait(max(0.0, due - time.time()))
                pool.submit(lambda *ask: samples.append(self.ask(*ask)[0]), make(), next(sources), due)

    def mix(self, rate: float) -> Callable[[Event, list[Sample]], None]:
        """Return visitors who send so many requests of the mix a second, at times by chance."""
        chance = random.Random(16)
        return partial(self.arrive, self.requests.of_the_mix, iter(lambda: chance.expovariate(rate), -1), _sources())

    def wait(self, make: Callable[[], Request], source: str, over: Event, samples: list[Sample]) -> None:
        """Send one request after another; one that is refused again, after the seconds that the refusal names."""
        while not over.is_set():
            request = make()
            sample, _location = self.ask(request, source)
            samples.append(sample)
            while sample.retry_after and not over.wait(sample.retry_after):
                sample, _location = self.ask(request, source)
                samples.append(sample)

    def _sample(self, over: Event, _samples: list[Sample]) -> None:
        while not over.wait(2):
            processes = [self._process, *dict.fromkeys(descendants(self._process))]
            largest = max(map(own_bytes, processes))
            self.memory.append((time.time(), sum(map(proportional_bytes, processes)), largest))

    def growth(self) -> tuple[int, float]:
        """Return the most own memory of a process, and by how much it grew over the second half; bytes."""
        half = self.memory[len(self.memory) // 2 :]
        line = linear_regression([at for at, _all, _own in half], [own for _at, _all, own in half])
        return max(own for _at, _all, own in half), line.slope * (half[-1][0] - half[0][0])


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that `share` of the values do not exceed.

    >>> percentile([0.1, 0.4, 0.2, 0.3], 0.5), percentile([0.1, 0.4, 0.2, 0.3], 0.99)
    (0.2, 0.4)
    """
    return sorted(values)[max(0, ceil(share * len(values)) - 1)]


def _sources() -> Iterator[str]:
    return (f"10.0.0.{number}" for number in cycle(range(1, 201)))


def _worst_minute(samples: list[Sample]) -> float:
    """Return the highest 99th percentile of the seconds in any minute."""
    minutes: dict[int, list[float]] = {}
    for sample in samples:
        minutes.setdefault(int((sample.due - samples[0].due) / 60), []).append(sample.seconds)
    return max(percentile(seconds, 0.99) for seconds in minutes.values() if len(seconds) > 20)


def _reported(name: str, samples: list[Sample]) -> list[str]:
    """Print the figures of a measurement; return what is wrong."""
    goal = GOALS[name]
    visits = sorted((sample for sample in samples if sample.kind == "visitor"), key=lambda sample: sample.due)
    others = [sample for sample in samples if sample.kind != "visitor"]
    worst, outcomes = _worst_minute(visits), Counter(sample.outcome for sample in others)
    median = percentile([sample.seconds for sample in visits], 0.5)
    figures = f"median {1000 * median:.0f} ms, p99 of the worst minute {1000 * worst:.0f} ms"
    print(f"{name}: {len(visits)} requests of the visitor, {figures}")
    print(f"    others: {', '.join(f'{number} × {outcome}' for outcome, number in outcomes.items()) or 'none'}")
    wrong = {
        f"p99 {1000 * worst:.0f} ms instead of {1000 * goal:.0f}": worst > goal,
        "requests of the visitor were not answered": any(sample.outcome != "answered" for sample in visits),
        "refusals without Retry-After": any(s.status in (429, 503) and not s.retry_after for s in others),
        "errors": bool(outcomes["error"]),
        "refusals below capacity": name == "mix80" and bool(outcomes["429"] + outcomes["503"]),
    }
    return [f"{name}: {what}" for what, is_wrong in wrong.items() if is_wrong]


def main(arguments: list[str]) -> int:
    """Run the scenarios; return 1 if a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60, help="for each measurement (default: 60)")
    parser.add_argument("--scenario", action="append", choices=GOALS, help="may be repeated (default: all)")
    parser.add_argument("--hours", type=float, help="run only the mix, this long, and watch the memory")
    options = parser.parse_args(arguments)
    chosen = ["mix80"] if options.hours else options.scenario or list(GOALS)
    seconds = 3600 * options.hours if options.hours else options.seconds
    missed: list[str] = []
    environment = {"TOKENSCOPE_PROXIES": "1", "DATABASE_URL": "", "REDIS_URL": ""}
    with serving(environment=environment, patience=180) as site:
        load = Load(site.address, site.process.pid)
        load.prepare()
        load.measure(5)
        capacity = 0.0
        if any(name.startswith("mix") for name in chosen):
            clients = [partial(load.wait, load.requests.of_the_mix, source) for source in _first(AT_CAPACITY)]
            answered = [s for s in load.measure(20, *clients) if s.outcome == "answered" and s.kind != "visitor"]
            capacity = len(answered) / 20
            print(f"capacity: {capacity:.1f} requests of the mix a second", flush=True)
        for name in chosen:
            others: list[Callable[[Event, list[Sample]], None]] = []
            if name.startswith("mix"):
                others = [load.mix(capacity * int(name.removeprefix("mix")) / 100)]
            elif name != "idle":
                make = load.requests.paste if name == "paste" else load.requests.download
                others = [partial(load.wait, make, source) for source in _first(CLIENTS)]
            missed += _reported(name, load.measure(seconds, *others))
    if options.hours:
        largest, grown = load.growth()
        print(f"the largest process: at most {largest / 1e6:.0f} MB, {grown / 1e6:+.0f} MB in the second half")
        if grown > FLAT * largest:
            missed.append(f"the largest process grew by {grown / 1e6:.0f} MB")
    print(f"\nmissed: {'; '.join(missed)}" if missed else "\nall goals are reached")
    return 1 if missed else 0


def _first(number: int) -> list[str]:
    return [source for source, _ in zip(_sources(), range(number), strict=False)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
