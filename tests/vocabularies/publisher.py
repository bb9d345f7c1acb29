"""A publisher of vocabularies on this machine, in the role of the hub or of OpenAI's host: well-behaved or not."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Literal

Manner = Literal["whole", "cut off", "half", "trickle", "silent headers", "slow headers", "endless", "unbounded"]


@dataclass
class Answer:
    """The response to a path, and the manner of sending it."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    manner: Manner = "whole"


class Publisher(ThreadingHTTPServer):
    """`answers` by path, the received `requests` (path and headers), and the `gate` where the manner `half` waits."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: dict[str, Answer] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.asked, self.gate, self.closing = Event(), Event(), Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that hang up on a bad response: they are right to."""


@contextmanager
def publishing() -> Iterator[Publisher]:
    """Run a publisher for the duration of the block."""
    publisher = Publisher()
    thread = Thread(target=publisher.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield publisher
    finally:
        publisher.closing.set()
        publisher.gate.set()
        publisher.shutdown()
        publisher.server_close()
        thread.join(10)


def git_name(content: bytes) -> str:
    """Return git's hash of a file, which the hub uses as the entity tag of small files."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Publisher

    def do_GET(self) -> None:
        self.server.requests.append((self.path, dict(self.headers.items())))
        self.server.asked.set()
        answer = self.server.answers.get(self.path, Answer(status=404, headers={"X-Error-Code": "EntryNotFound"}))
        self.close_connection = answer.manner != "whole"
        if answer.manner == "silent headers":
            self.server.closing.wait(30)
            return
        if answer.manner == "slow headers":
            self._drip(b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 10_000)
            return
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.manner == "endless":
            self.send_header("Transfer-Encoding", "chunked")
        elif answer.manner != "unbounded" and "Content-Length" not in answer.headers:
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self._send(answer)

    def _send(self, answer: Answer) -> None:
        half = len(answer.body) // 2
        match answer.manner:
            case "cut off":
                self.wfile.write(answer.body[:half])
            case "half":
                self.wfile.write(answer.body[:half])
                self.wfile.flush()
                self.server.gate.wait(30)
                self.wfile.write(answer.body[half:])
            case "trickle":
                self._drip(answer.body)
            case "endless":
                while not self.server.closing.is_set():
                    self.wfile.write(b"1000\r\n" + bytes(0x1000) + b"\r\n")
            case _:
                self.wfile.write(answer.body)

    def _drip(self, content: bytes) -> None:
        for byte in content:
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            if self.server.closing.wait(0.02):
                return

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""
