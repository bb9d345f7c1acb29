"""Configures and runs Granian, the HTTP server that holds the connections."""

from __future__ import annotations

import http.client
import os
import resource
import threading
import time
from contextlib import suppress

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels

# The most connections at once. Each needs a file descriptor, and another one for a body or response in a file.
CONNECTIONS = 8192
FILES = 2 * CONNECTIONS + 1024
# The time for the headers of a request, and for a pause between two requests, in seconds.
HEADER_SECONDS = 20
# The longest request line and headers together, in bytes: a URL may contain the visitor's text.
HEADER_BYTES = 1 << 16
# The time for unfinished requests when the server stops, in seconds.
STOPPING_SECONDS = 40


def serve(host: str, port: int) -> None:
    """Serve the site until a signal stops the process; print the address as soon as the site responds.

    Raises SystemExit if the site cannot be loaded; the reason is then already printed.
    """
    os.environ.setdefault("TOKENSCOPE_PRELOAD", "true")
    _allow_files()
    server = Granian(
        "webapp.server.front:application",
        factory=True,
        address=host,
        port=port,
        interface=Interfaces.ASGI,
        http=HTTPModes.http1,
        websockets=False,
        backlog=CONNECTIONS,
        backpressure=CONNECTIONS,
        http1_settings=HTTP1Settings(header_read_timeout=1000 * HEADER_SECONDS, max_buffer_size=HEADER_BYTES),
        log_level=LogLevels.warning,
        respawn_failed_workers=True,
        workers_kill_timeout=STOPPING_SECONDS,
    )
    answers = threading.Event()
    announcing = threading.Thread(target=_announce, args=(host, port, answers), daemon=True)
    server.on_startup(announcing.start)
    server.serve()
    if not answers.is_set():
        raise SystemExit(1)


def _announce(host: str, port: int, answers: threading.Event) -> None:
    """Poll the health check, and print the address as soon as the site responds."""
    reached = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    while True:
        connection = http.client.HTTPConnection(reached, port, timeout=5)
        with suppress(OSError, http.client.HTTPException):
            connection.request("GET", "/healthz")
            if connection.getresponse().status == 200:
                shown = f"[{host}]" if ":" in host else host
                print(f"Tokenscope is ready at http://{shown}:{port}", flush=True)
                answers.set()
                return
        connection.close()
        time.sleep(0.05)


def _allow_files() -> None:
    """Raise the limit of open files to what the connections need, or as far as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
