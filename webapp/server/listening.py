"""Configures and runs Granian, the HTTP server that holds the connections."""

from __future__ import annotations

import encodings.idna  # noqa: F401 (see `_announce`)
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

from webapp.observing.logs import announce, configure, granian_configuration
from webapp.observing.options import LogForm, from_environment
from webapp.server.pool import LEAST_FILES, pool_size
from webapp.settings import DEFAULTS

# The most connections at once. Each needs a file descriptor, and another one for a body or response in a file.
CONNECTIONS = 8192
FILES = 2 * CONNECTIONS + 1024
# The time for the headers of a request, and for a pause between two requests, in seconds.
HEADER_SECONDS = 20
# The longest request line and headers together, in bytes: a URL may contain the visitor's text.
HEADER_BYTES = 1 << 16
# When the server stops, unfinished requests have their time limit and this time for the client to read, in seconds.
STOPPING_SECONDS = 10

# The environment variable with the id of the process that starts the front: it may end before the front can ask for it.
PARENT = "TOKENSCOPE_PARENT_PROCESS"


def serve(host: str, port: int) -> None:
    """Serve the site until a signal stops the process; print the address as soon as the site responds.

    Raises SystemExit if the site cannot be loaded; the reason is then already printed.
    """
    os.environ.setdefault("TOKENSCOPE_PRELOAD", "true")
    try:
        options = from_environment()
        pool_size()  # which the front asks for later
    except ValueError as error:
        raise SystemExit(f"Tokenscope cannot start: {error}") from None
    configure(options.log)
    _allow_files()
    os.environ[PARENT] = str(os.getpid())
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
        log_dictconfig=granian_configuration(options.log),
        respawn_failed_workers=True,
        workers_kill_timeout=stopping_seconds(),
    )
    answers = threading.Event()
    announcing = threading.Thread(target=_announce, args=(host, port, answers, options.log), daemon=True)
    server.on_startup(announcing.start)
    server.serve()
    if options.log and answers.is_set():
        announce(options.log, "Tokenscope has stopped")
    if not answers.is_set():
        raise SystemExit(1)


def stopping_seconds() -> int:
    """How long unfinished requests may take when the server stops, in seconds."""
    limit = os.environ.get("TOKENSCOPE_MAX_REQUEST_SECONDS", "")
    return (int(limit) if limit.isdigit() else int(DEFAULTS["MAX_REQUEST_SECONDS"])) + STOPPING_SECONDS


def _announce(host: str, port: int, answers: threading.Event, form: LogForm) -> None:
    """Poll the health check, and print the address as soon as the site responds.

    Granian forks the front while this thread runs, so the thread may import nothing: the front would wait forever for
    the lock of a module that is being imported at that moment. `encodings.idna` is imported when a host is looked up.
    """
    reached = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    while True:
        connection = http.client.HTTPConnection(reached, port, timeout=5)
        with suppress(OSError, http.client.HTTPException):
            connection.request("GET", "/healthz")
            if connection.getresponse().status == 200:
                shown = f"[{host}]" if ":" in host else host
                announce(form, f"Tokenscope is ready at http://{shown}:{port}")
                answers.set()
                return
        connection.close()
        time.sleep(0.05)


def _allow_files() -> None:
    """Raise the limit of open files to what the connections need, or as far as the system allows.

    Raises SystemExit if the front could not start its workers.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < LEAST_FILES:
        raise SystemExit(
            f"Tokenscope cannot start: a process may open {hard} files, but the server needs {LEAST_FILES} or more. "
            "Raise the hard limit (ulimit -Hn, LimitNOFILE of systemd)."
        )
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
