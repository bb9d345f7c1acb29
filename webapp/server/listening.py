"""Starts the server's processes: Granian, which holds the connections, and a job worker."""

import asyncio
import encodings.idna  # noqa: F401 (see `_announce`)
import http.client
import logging
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.util import Finalize, get_temp_dir
from pathlib import Path

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels

from webapp.observing.logs import announce, configure
from webapp.observing.options import LogForm, from_environment
from webapp.processes import HAS_LOCKS, has_proc, lacking, locked, resource
from webapp.server.healthcheck import ask
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
    if sentence := lacking():
        logging.getLogger(__name__).warning(sentence)
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
        log_dictconfig={"loggers": {"_granian": {"propagate": True}}},  # its messages as ours
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
    while not answers.wait(0.05):
        with suppress(OSError, http.client.HTTPException):
            if ask(reached, port, "/healthz")[0] == 200:
                shown = f"[{host}]" if ":" in host else host
                announce(form, f"Tokenscope is ready at http://{shown}:{port}")
                answers.set()


def _allow_files() -> None:
    """Raise the limit of open files to what the connections need, or as far as the system allows.

    Raises SystemExit if the front could not start its workers.
    """
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < LEAST_FILES:
        raise SystemExit(
            f"Tokenscope cannot start: a process may open {hard} files, but the server needs {LEAST_FILES} or more. "
            "Raise the hard limit (ulimit -Hn, LimitNOFILE of systemd)."
        )
    wanted = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


# Granian opens its socket only after the application has started. This is the interval between checks, in seconds.
PAUSE = 0.02


async def abort_unread(seconds: float) -> None:
    """Make the system close connections whose client reads nothing for `seconds` (RFC 5482, "User Timeout").

    Granian has no such limit: data that no client reads would stay in memory forever. Connections inherit the option
    from the listening socket, which this function waits for. On systems without the option (macOS) it does nothing.
    """
    is_found = not hasattr(socket, "TCP_USER_TIMEOUT") or not has_proc()
    while not is_found:
        await asyncio.sleep(PAUSE)
        for number in map(int, os.listdir("/proc/self/fd")):
            with suppress(OSError), socket.socket(fileno=os.dup(number)) as found:  # no socket, or closed meanwhile
                is_internet = found.family in (socket.AF_INET, socket.AF_INET6)
                if is_internet and found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    found.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(1000 * seconds))
                    is_found = True


PREFIX = "tokenscope-run"
# The longest path in bytes of a folder that may have sockets: theirs has about a hundred at most.
MOST_FOR_SOCKETS = 70


def own_folder() -> Finalize:
    """Make a folder in `TMPDIR` that replaces it for this process and those that it starts; delete abandoned ones.

    A process keeps its folder locked while it lives, and the system unlocks it even after SIGKILL. Returns a function
    that deletes the folder; it is also called at the end of a process of multiprocessing, after that's own folder.
    """
    parent = Path(tempfile.gettempdir())
    for abandoned in parent.glob(f"{PREFIX}*") if HAS_LOCKS else ():
        with suppress(OSError):  # another user's
            if (lock := locked(abandoned)) is not None:
                os.close(lock)
                shutil.rmtree(abandoned)
    # It gets its name when it is locked, so that nobody else takes it for abandoned.
    new = Path(tempfile.mkdtemp(prefix="tokenscope-new"))
    locked(new)
    folder = new.rename(parent / new.name.replace("tokenscope-new", PREFIX))
    if len(os.fsencode(folder)) > MOST_FOR_SOCKETS:
        get_temp_dir()  # where multiprocessing makes its sockets: chosen now, it is outside
    tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
    return Finalize(None, shutil.rmtree, (folder, True), exitpriority=-200)


# The pause before a job worker that has ended is replaced doubles up to the second number, in seconds.
FIRST_PAUSE, LAST_PAUSE = 1.0, 60.0
# The time that a job worker has to let its trainings wait again, in seconds.
WORKER_SECONDS = 12.0


def is_wanted() -> bool:
    """Whether the setting `TOKENSCOPE_WORKER` asks for a job worker, as it does by default."""
    return os.environ.get("TOKENSCOPE_WORKER", "true").strip().lower() not in ("false", "0", "no", "")


@contextmanager
def job_worker() -> Iterator[None]:
    """Keep a job worker running within the block.

    It stops when its standard input ends, so also when this process is killed.
    """
    ending = threading.Event()
    keeper = threading.Thread(target=_keep, args=(ending,), daemon=True)
    keeper.start()
    try:
        yield
    finally:
        ending.set()
        keeper.join(WORKER_SECONDS)


def _keep(ending: threading.Event) -> None:
    # Vocabularies are loaded on first use: a job worker needs few.
    environment, pause = {**os.environ, "TOKENSCOPE_PRELOAD": "false"}, FIRST_PAUSE
    command = (sys.executable, "-m", "webapp.jobs", "--beside")
    while not ending.is_set():
        with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) as worker:
            while worker.poll() is None and not ending.wait(0.2):
                pass
        ending.wait(pause)
        pause = min(2 * pause, LAST_PAUSE)
