"""One request, byte for byte as given, and its response: an HTTP client library would normalize hostile addresses."""

import socket
import time
from collections.abc import Iterable
from http.client import HTTPResponse
from typing import NamedTuple

Address = tuple[str, int]


class Answer(NamedTuple):
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
    """Request `target`, which is sent as given; raises as `ask` does."""
    return ask(address, request_bytes(method, target), patience=patience)


def ask(address: Address, request: bytes, *, patience: float = 5) -> Answer:
    """Send a whole request and read its response.

    Raises OSError or HTTPException when the response is incomplete or stalls for `patience` seconds.
    """
    began = time.monotonic()
    with socket.create_connection(address, timeout=patience) as connection:
        connection.sendall(request)
        with HTTPResponse(connection, method=request.split(b" ", 1)[0].decode()) as response:
            response.begin()
            body, location = response.read(), response.headers.get("Location", "")
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
    parts = [(f'name="{name}"', value.encode()) for name, value in values.items()]
    parts += [(f'name="{name}"; filename="tokenizer.json"', content) for name, content in files]
    lines = [
        f"--{boundary}\r\nContent-Disposition: form-data; {of}\r\n\r\n".encode() + content + b"\r\n"
        for of, content in parts
    ]
    body = b"".join([*lines, f"--{boundary}--\r\n".encode()])
    return request_bytes("POST", target, body, content_type=f"multipart/form-data; boundary={boundary}", **fields)
