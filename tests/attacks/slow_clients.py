"""Hundreds of clients that send or read next to nothing, while a visitor requests pages."""

import math
import resource
import select
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection, HTTPException
from threading import Event, Thread

from tests.attacks.conftest import Watched
from tests.attacks.exchange import Address, form_bytes
from tests.load import percentile
from tests.visiting import until

COUNT = 500  # clients of each kind
GOAL_P99 = 0.3
CUT_OFF_MEASURED = 25.0  # seconds; a slow client should be gone after twenty
SETTLING = 30.0  # what a busy machine needs to start 500 responses
VISITING = 8.0
VISITOR_PATIENCE = 3.0
SLICES = 20  # the sockets take turns in two seconds, so that their bytes do not all come at once
SOURCE = "127.0.0.66"  # the visitor comes from another address of the loopback network
TEXT = "".join(f"{number * 7919 % 100_003:05} " for number in range(170))


@dataclass(frozen=True)
class Kind:
    """What the n-th client of a kind sends at first, and what it sends or reads every two seconds."""

    opening: Callable[[int], bytes]
    sends: Callable[[int], bytes] = lambda number: b""
    reads: Callable[[int], bool] = lambda number: False
    answered: bool = False  # whether the site starts to respond before the client becomes slow
    small_window: bool = False  # whether the client's system buffers only a few hundred unread bytes


def _body(number: int) -> bytes:
    target, kind, first = (
        (b"/", b"application/x-www-form-urlencoded", b"text="),
        (b"/upload", b"multipart/form-data; boundary=x", b"--x\r\n"),
        (b"/api/v1/tokenize", b"application/json", b"{"),
        (b"/static/app.css", b"text/plain", b"x"),
    )[number % 4]
    head = b"POST " + target + b" HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + kind
    if number % 8 == 4:
        return head + b"\r\nTransfer-Encoding: chunked\r\n\r\n7a120\r\n" + first
    return head + b"\r\nContent-Length: 500000\r\n\r\n" + first


def _headers(number: int) -> bytes:
    return (b"", b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ", b"GET /?text=", b"POST / HTTP/1.1\r\n")[number % 4]


def _whole(target: bytes) -> bytes:
    return b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"


def _large(number: int) -> bytes:
    """Request 45 KB, rarely 100 KB or a megabyte: more than a system buffers for a client, and quick to generate."""
    if number % 50 == 0:
        return form_bytes("/", {"algorithm": "bpe", "vocabulary": "bpe-bytes", "text": "a tree. " * 5_000})
    return _whole(b"/languages" if number % 10 == 0 else b"/api/v1/openapi.json")


KINDS = {
    "slow readers": Kind(_large, reads=lambda number: number % 2 == 1, answered=True, small_window=True),
    "idle connections": Kind(lambda number: _whole(b"/healthz"), answered=True),
    "slow bodies": Kind(_body, sends=lambda number: b"x"),
    "unfinished headers": Kind(_headers, sends=lambda number: b"x" if number % 4 else b""),
}


class Crowd:
    """The clients of one kind, driven by one thread."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._sockets: dict[Address, socket.socket] = {}  # by their own end
        self._turn = 0
        self.settled = False
        self.since = 0.0  # when the clients became slow
        self.open_ends: set[Address] = set()  # of the clients whose connections the site has not closed

    def open(self, address: Address) -> None:
        """Connect all clients; each sends its opening."""
        begun = time.monotonic()
        clients: dict[Address, socket.socket] = {}
        for number in range(COUNT):
            client = socket.socket()
            if self._kind.small_window:
                # Otherwise the server's system buffers the whole response, and nothing is slow.
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
            # A site that accepts no more connections must not block the attack.
            client.settimeout(1 if time.monotonic() - begun < 5 else 0.001)
            with suppress(OSError):
                client.bind((SOURCE, 0))
                client.connect(address)
                client.sendall(self._kind.opening(number))
            client.setblocking(False)
            clients[client.getsockname()] = client
        self.open_ends = set(clients)
        self._sockets = clients  # in one assignment: another thread iterates over them

    def step(self, still_open: set[Address] | None) -> None:
        """Let the next few clients send or read their byte; `still_open` are the ends that the site has not closed."""
        for number, client in list(enumerate(self._sockets.values()))[self._turn :: SLICES]:
            with suppress(OSError):
                if data := self._kind.sends(number):
                    client.send(data)
                if self.settled and self._kind.reads(number):
                    client.recv(1)
        self._turn = (self._turn + 1) % SLICES
        if still_open is not None:
            self.open_ends &= still_open
        if self._sockets and not self.settled and self._are_answered():
            self.settled, self.since = True, time.monotonic()

    def _are_answered(self) -> bool:
        poll = select.poll()
        for client in self._sockets.values():
            poll.register(client, select.POLLIN)
        return not self._kind.answered or len(poll.poll(0)) == COUNT

    def close(self) -> None:
        """Disconnect all clients."""
        for client in self._sockets.values():
            client.close()


def test_slow_clients_are_cut_off_and_delay_nobody(site: Watched) -> None:
    """All kinds at once, while a visitor requests pages."""
    visits(site, 1.0)  # loads what is loaded on first use
    idle = visits(site, 2.0)
    # Each client is an open file of this process; the site, already started, keeps the limit of the shell.
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    crowds = {name: Crowd(kind) for name, kind in KINDS.items()}
    done = Event()

    def drive() -> None:
        turns = 0
        while not done.wait(2.0 / SLICES):
            turns += 1
            still_open = site.open_connections() if turns % 10 == 0 else None
            for crowd in crowds.values():
                crowd.step(still_open)

    driver = Thread(target=drive, daemon=True)
    driver.start()
    try:
        for crowd in crowds.values():
            crowd.open(site.address)
            until(lambda: crowd.settled, SETTLING)  # noqa: B023 (called at once)
        seconds = visits(site, VISITING)
        for name, crowd in crowds.items():
            left = crowd.since + CUT_OFF_MEASURED + 1 - time.monotonic()
            until(lambda: not crowd.open_ends, left, lambda: f"{len(crowd.open_ends)} {name} are open")  # noqa: B023
    finally:
        done.set()
        driver.join()
        for crowd in crowds.values():
            crowd.close()
    # On a machine that is slow even when idle, the goal is three times the idle time.
    assert percentile(seconds, 0.99) < max(GOAL_P99, 3 * percentile(idle, 0.99))


def visits(site: Watched, seconds: float) -> list[float]:
    """Load `/` with 1 KB of text repeatedly, alternating new and persistent connections; infinity for a lost page."""
    taken: list[float] = []
    kept = _connection(*site.address)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for connection in (kept, _connection(*site.address)):
            began = time.monotonic()
            try:
                connection.request("GET", f"/?text={TEXT.replace(' ', '+')}")
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
