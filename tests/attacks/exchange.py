"""One request, byte for byte as given, and its response: an HTTP client library would normalize hostile addresses."""

import socket
import time
from collections.abc import Iterable
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from urllib.parse import quote

Address = tuple[str, int]


class BrokenError(Exception):
    """The server closed the connection, or stayed silent, before its response was complete."""


@dataclass(frozen=True)
class Answer:
    """A complete response, and the seconds from the connection to its last byte."""

    status: int
    head: str
    body: bytes
    seconds: float
    location: str = ""

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")


def get(address: Address, target: str | bytes, *, method: str = "GET", patience: float = 5) -> Answer:
    """Request `target`, which is sent as given.

    Raises `BrokenError` when the response is incomplete or stalls for `patience` seconds.
    """
    return ask(address, request_bytes(method, target), patience=patience)


def ask(address: Address, request: bytes, *, patience: float = 5) -> Answer:
    """Send a whole request and read its response; raises `BrokenError` as `get` does."""
    began = time.monotonic()
    try:
        with socket.create_connection(address, timeout=patience) as connection:
            connection.sendall(request)
            return read_answer(connection, request.split(b" ", 1)[0].decode(), began)
    except OSError as error:
        raise BrokenError(str(error) or type(error).__name__) from None


def read_answer(connection: socket.socket, method: str = "GET", began: float | None = None) -> Answer:
    """Read one response from a connection."""
    began = time.monotonic() if began is None else began
    response = HTTPResponse(connection, method=method)
    try:
        response.begin()
        body = response.read()
    except (HTTPException, OSError) as error:
        raise BrokenError(str(error) or type(error).__name__) from None
    finally:
        response.close()
    location = response.headers.get("Location", "")
    return Answer(response.status, str(response.headers), body, time.monotonic() - began, location)


def request_bytes(method: str, target: str | bytes, body: bytes = b"", **fields: str) -> bytes:
    """Return a request after which the server closes the connection; `content_type` becomes `Content-Type`."""
    raw = target if isinstance(target, bytes) else target.encode()
    fields = {"host": "localhost", "connection": "close", "accept": "text/html", **fields}
    if body:
        fields["content_length"] = str(len(body))
    lines = "".join(f"{name.replace('_', '-').title()}: {value}\r\n" for name, value in fields.items())
    return method.encode() + b" " + raw + b" HTTP/1.1\r\n" + lines.encode() + b"\r\n" + body


def form_bytes(target: str, values: dict[str, str], files: Iterable[tuple[str, bytes]] = (), **fields: str) -> bytes:
    """Return a form as a browser sends it, `multipart/form-data`; `fields` as in `request_bytes`."""
    boundary = "----attack-7c1f03d2"
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in values.items()
    ]
    for name, content in files:
        disposition = f'Content-Disposition: form-data; name="{name}"; filename="tokenizer.json"'
        parts.append(f"--{boundary}\r\n{disposition}\r\n\r\n".encode() + content + b"\r\n")
    body = b"".join([*parts, f"--{boundary}--\r\n".encode()])
    return request_bytes("POST", target, body, content_type=f"multipart/form-data; boundary={boundary}", **fields)


def page_of(text: str) -> str:
    """Return the address of the playground with a text."""
    return f"/?text={quote(text)}"
