"""Granian, which holds the connections, as this site uses it."""

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

# Connections at once: each is a file descriptor, and so is a body or an answer that waits in a file.
CONNECTIONS = 8192
FILES = 2 * CONNECTIONS + 1024
# A client may take so long for its headers, or be silent between two requests.
HEADER_SECONDS = 20
# The longest request line and headers together, in bytes: an address may carry the visitor's text.
HEADER_BYTES = 1 << 16
# How long the server waits for requests under way when it is stopped.
STOPPING_SECONDS = 40


def serve(host: str, port: int) -> None:
    """Serve the site until the process is told to stop; print the address when it answers.

    Raises SystemExit where the site cannot be loaded, after it has said why.
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
    """Print the address as soon as the site answers there."""
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
    """Raise the limit of open files towards what the connections need."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
