"""Converts the ASGI scope of a request to a WSGI environment.

PEP 3333, "environ Variables"; ASGI specification, "HTTP Connection Scope".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote_to_bytes

# The variable with the path of the body, if it is too long for the socket.
BODY_FILE = "tokenscope.body_file"
# The variable that is not empty if the request has the lowest priority from its beginning.
HEAVY = "tokenscope.heavy"


def wsgi_environment(scope: Mapping[str, Any], content_length: int | None) -> dict[str, str]:
    """The WSGI environment of a request whose body has `content_length` bytes; None means that it has no body.

    >>> scope = {"method": "GET", "path": "/é", "raw_path": b"/%C3%A9", "query_string": b"a=1", "http_version": "1.1",
    ...     "headers": [(b"host", b"x.example"), (b"x-a", b"1"), (b"x-a", b"2")], "scheme": "http",
    ...     "client": ("192.0.2.7", 5000), "server": ("127.0.0.1", 8000)}
    >>> environment = wsgi_environment(scope, None)
    >>> environment["PATH_INFO"], environment["HTTP_X_A"], environment["REMOTE_ADDR"]
    ('/Ã©', '1,2', '192.0.2.7')
    """
    server = scope.get("server") or ("127.0.0.1", 80)
    client = scope.get("client") or ("127.0.0.1", 0)
    environment = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        # Bytes decoded as Latin-1, as PEP 3333 requires; `scope["path"]` would lose bytes that are not UTF-8.
        "PATH_INFO": unquote_to_bytes(scope["raw_path"].partition(b"?")[0]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": str(server[0]),
        "SERVER_PORT": str(server[1]),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": str(client[0]),
        "REMOTE_PORT": str(client[1]),
        "wsgi.url_scheme": scope["scheme"],
    }
    for name, value in _variables(scope["headers"]):
        separator = "; " if name == "HTTP_COOKIE" else ","
        environment[name] = f"{environment[name]}{separator}{value}" if name in environment else value
    # The front has read the whole body, so its real length replaces that of the headers.
    environment.pop("HTTP_TRANSFER_ENCODING", None)
    environment.pop("CONTENT_LENGTH", None)
    if content_length is not None:
        environment["CONTENT_LENGTH"] = str(content_length)
    return environment


def _variables(headers: list[tuple[bytes, bytes]]) -> list[tuple[str, str]]:
    """The headers with their names in the WSGI environment, in order.

    Omits names with an underscore: they would become indistinguishable from names with a hyphen, which a proxy may
    have checked.
    """
    variables = []
    for raw_name, raw_value in headers:
        if b"_" in raw_name:
            continue
        name = raw_name.decode("latin-1").upper().replace("-", "_")
        bare = name in ("CONTENT_TYPE", "CONTENT_LENGTH")
        variables.append((name if bare else f"HTTP_{name}", raw_value.decode("latin-1")))
    return variables
