"""Slow clients of one kind: many sockets driven by one thread."""

import select
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from tests.attacks.exchange import Address, form_bytes

BETWEEN_BYTES = 2.0  # seconds
SLICES = 20  # the sockets take turns, so that their bytes do not all come at once
SECONDS_A_SLICE = BETWEEN_BYTES / SLICES


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


@dataclass
class Crowd:
    """A number of clients of one kind; `closed_after` has the time when the server closed each connection."""

    kind: str
    address: Address
    count: int
    source: str = "127.0.0.66"  # the visitor comes from another address of the loopback network
    closed_after: dict[Address, float] = field(default_factory=dict)
    settled: bool = False
    _sockets: dict[Address, socket.socket] = field(default_factory=dict)  # by their own end
    _since: float = 0.0
    _turn: int = 0

    def open(self) -> None:
        """Connect all clients; each sends its opening."""
        self._since = time.monotonic()
        clients: dict[Address, socket.socket] = {}
        for number in range(self.count):
            client = socket.socket()
            if KINDS[self.kind].small_window:
                # Otherwise the server's system buffers the whole response, and nothing is slow.
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
            # A site that accepts no more connections must not block the attack.
            client.settimeout(1 if time.monotonic() - self._since < 5 else 0.001)
            with suppress(OSError):
                client.bind((self.source, 0))
            with suppress(OSError):
                client.connect(self.address)
                client.sendall(KINDS[self.kind].opening(number))
            client.setblocking(False)
            clients[client.getsockname()] = client
        self._sockets = clients  # in one assignment: another thread iterates over them

    def step(self) -> None:
        """Let the next few clients send or read their byte; to be called twenty times in two seconds."""
        kind = KINDS[self.kind]
        for number, client in enumerate(self._sockets.values()):
            if number % SLICES != self._turn:
                continue
            with suppress(OSError):
                if data := kind.sends(number):
                    client.send(data)
                if self.settled and kind.reads(number):
                    client.recv(1)
        self._turn = (self._turn + 1) % SLICES
        if self._sockets and not self.settled:
            self._settle()

    def _settle(self) -> None:
        """Treat the clients as slow from now on, once the site responds to those that wait for a response."""
        if KINDS[self.kind].answered:
            poll = select.poll()
            for client in self._sockets.values():
                poll.register(client, select.POLLIN)
            if len(poll.poll(0)) < self.count:
                return
        self.settled = True
        self._since = time.monotonic()

    def look(self, still_open: set[Address]) -> None:
        """Record which clients the server has closed, given the ends of those that it has not."""
        now = time.monotonic() - self._since
        for own in self._sockets:
            if own not in still_open:
                self.closed_after.setdefault(own, now)

    @property
    def seconds_to_last_close(self) -> float | None:
        """Return the time of the last close; None while a client is connected."""
        return max(self.closed_after.values()) if len(self.closed_after) == self.count else None

    def close(self) -> None:
        """Disconnect all clients."""
        for client in self._sockets.values():
            client.close()
