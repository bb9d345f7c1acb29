"""Clients of the load test, as users of Locust.

`Arrivals` are many visitors who come at their own times, whatever the responses take: each request is counted from the
moment when it was due. `Waiting` are clients who ask again once they have their response, and wait as long as a
refusal tells them.
"""

import random
import time
from collections.abc import Callable, Iterator
from itertools import count

import gevent
from gevent.pool import Pool
from locust import task
from locust.contrib.fasthttp import FastHttpUser
from locust.exception import StopUser

from tests.load.requests import ENCODINGS, Request
from tests.load.samples import ERROR, Sample

PATIENCE = 45.0  # seconds: more than the site gives a request
VISITORS = 50
MOST_WAITING = 2_000  # requests of visitors that are not answered yet; more are not sent


class Plan:
    """What the clients of one measurement share: addresses, samples, and whether it is over."""

    def __init__(self, addresses: int) -> None:
        self.samples: list[Sample] = []
        self.over = False
        self.waiting = Pool()
        self._addresses = [f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}" for n in range(1, addresses + 1)]
        # The visitor is one of many: the server takes turns by address, and nobody loads ten pages a second.
        self._visitors = [f"192.0.2.{n}" for n in range(1, VISITORS + 1)] if addresses > 1 else self._addresses
        self._next = count()

    def address(self) -> str:
        """Return the address of another client, the first ones again after the last; empty for none."""
        return self._addresses[next(self._next) % len(self._addresses)] if self._addresses else ""

    def visitor(self) -> str:
        """Return the address of the next visitor with a short text; empty for none."""
        return self._visitors[next(self._next) % len(self._visitors)] if self._visitors else ""


class Client(FastHttpUser):
    """One who sends requests and records them in the plan."""

    abstract = True
    plan: Plan
    make: Callable[[], Request]
    max_redirects = 0  # an address to go on to is a response
    network_timeout = PATIENCE
    connection_timeout = PATIENCE
    concurrency = MOST_WAITING

    def on_start(self) -> None:
        """Take every status for a response."""
        self.client.client.valid_response_codes = range(100, 600)
        self.client.client.cookiejar = None

    def ask(self, request: Request, due: float, address: str) -> tuple[Sample, float]:
        """Send a request and read its response to the end, without keeping it.

        `due` is on the clock of `time.time`. Return the sample and the seconds after which a refusal says to come back.
        """
        headers = {**ENCODINGS, **request.headers}
        if address:
            headers["X-Forwarded-For"] = address
        status, received, again = ERROR, 0, 0.0
        try:
            response = self.client.request(
                request.method, request.path, data=request.body, headers=headers, name=request.kind, stream=True
            )
            stream = response._response
            if stream is not None:
                while part := stream.read(1 << 16):
                    received += len(part)
                if stream.message_complete:
                    status = response.status_code
                    again = float(response.headers.get("retry-after") or 0)
        except Exception:  # a connection that broke; nothing else can go wrong here
            status = ERROR
        sample = Sample(request.kind, due, time.time() - due, status, received, status not in (429, 503) or again > 0)
        self.plan.samples.append(sample)
        return sample, again


class Author(Client):
    """One who shares results."""

    abstract = True

    def share(self, request: Request) -> str:
        """Store a snapshot and return its address; empty if the site does not store it."""
        response = self.client.request(request.method, request.path, data=request.body, headers=request.headers)
        return (response.headers.get("location") or "") if response.status_code == 201 else ""


class Arrivals(Client):
    """Visitors who arrive after the seconds that `gaps` yields; `address_of` returns the address of the next."""

    abstract = True
    gaps: Iterator[float]
    address_of: Callable[[], str]

    @task
    def arrive(self) -> None:
        """Send each request at its time, until the measurement is over."""
        due = time.time()
        while not self.plan.over:
            due += next(self.gaps)
            gevent.sleep(max(0.0, due - time.time()))
            request = self.make()
            if len(self.plan.waiting) < MOST_WAITING:
                self.plan.waiting.spawn(self.ask, request, due, self.address_of())
            else:
                self.plan.samples.append(Sample(request.kind, due, 0.0, ERROR, 0))
        raise StopUser


class Waiting(Client):
    """A client at one address, who asks, waits for the response and asks again; a refused request is sent again."""

    abstract = True
    address = ""

    def on_start(self) -> None:
        """Take an address."""
        super().on_start()
        self.address = self.plan.address()

    @task
    def repeat(self) -> None:
        """Send one request until it is answered."""
        request = self.make()
        again = 1.0
        while again and not self.plan.over:
            sample, again = self.ask(request, time.time(), self.address)
            if sample.status == ERROR:
                again = 0.2
            gevent.sleep(again)
        if self.plan.over:
            raise StopUser


def steady(seconds: float) -> Iterator[float]:
    """Yield the same gap for ever."""
    while True:
        yield seconds


def by_chance(rate: float, seed: int = 16) -> Iterator[float]:
    """Yield the gaps of a Poisson process with `rate` arrivals a second."""
    chance = random.Random(seed)
    while True:
        yield chance.expovariate(rate)
