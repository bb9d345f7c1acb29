"""A worker for trainings beside the web server: started with it, replaced when it ends, stopped with it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

# The pause before a worker that has ended is replaced doubles up to the second number, in seconds.
FIRST_PAUSE, LAST_PAUSE = 1.0, 60.0
# The time that a worker has to put its trainings back into the queue, in seconds.
STOPPING_SECONDS = 12.0
COMMAND = (sys.executable, "-m", "webapp.jobs", "--beside")


def is_wanted() -> bool:
    """Whether the setting `TOKENSCOPE_WORKER` asks for a worker, as it does by default."""
    return os.environ.get("TOKENSCOPE_WORKER", "true").strip().lower() not in ("false", "0", "no", "")


@contextmanager
def worker_beside(command: tuple[str, ...] = COMMAND) -> Iterator[None]:
    """Keep a worker running within the block.

    The worker holds the end of a pipe from this process, so that it also ends when this process is killed.
    """
    ending = threading.Event()
    keeper = threading.Thread(target=_keep, args=(command, ending), daemon=True)
    keeper.start()
    try:
        yield
    finally:
        ending.set()
        keeper.join(STOPPING_SECONDS + 5)


def _keep(command: tuple[str, ...], ending: threading.Event) -> None:
    pause = FIRST_PAUSE
    # Vocabularies are loaded on first use: a worker needs few.
    environment = {**os.environ, "TOKENSCOPE_PRELOAD": "false"}
    while not ending.is_set():
        with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) as worker:
            while worker.poll() is None and not ending.wait(0.2):
                pass
            if ending.is_set():
                _stop(worker)
                return
        ending.wait(pause)
        pause = min(2 * pause, LAST_PAUSE)


def _stop(worker: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        worker.terminate()
    try:
        worker.wait(STOPPING_SECONDS)
    except subprocess.TimeoutExpired:
        worker.kill()
