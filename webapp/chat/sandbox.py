"""The process that renders templates, apart from the site: started when first needed, kept warm, ended on any doubt.

A renderer (`renderer`) has neither the site's environment nor its code, and forks for each request a process with
limits. Each process of the site has one renderer, whose requests it answers one after the other.
"""

import atexit
import importlib.util
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from webapp.chat.renderer.rendering import MOST_RECEIVED, MOST_REQUEST, WALL_SECONDS
from webapp.observing import report
from webapp.processes import kill_session, read_frame, send_frames

# How long a renderer may take to start, and to answer beyond the time that it allows its child, in seconds.
START_SECONDS, GRACE_SECONDS = 20.0, 2.0

_START = "import sys; sys.path += sys.argv[1:]; from renderer.process import main; main()"


class Renderer:
    """The renderer of this process, whose requests it answers one after the other; replaced when it ends or fails."""

    _socket: socket.socket
    _seconds: float  # what it may take to be ready

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def answer(self, request: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """The lines of the answer to a request, at least one; of the kind "time" if no process could give one."""
        payload = json.dumps(request, ensure_ascii=False).encode()
        with report.current().phase("chat template"), self._lock:
            try:
                if len(payload) > MOST_REQUEST:
                    raise ValueError("the request is too long")
                return self._answer(payload)
            except (OSError, ValueError, TypeError):
                self.close()
                return [{"kind": "time"}]
            except BaseException:
                self.close()
                raise

    def _answer(self, payload: bytes) -> list[Mapping[str, Any]]:
        if self.process is None or self.process.poll() is not None:
            self.start()
        self._socket.settimeout(self._seconds + WALL_SECONDS + GRACE_SECONDS)
        with self._socket.makefile("wb") as requests, self._socket.makefile("rb") as answers:
            send_frames(requests, payload)
            content = read_frame(answers, MOST_RECEIVED)
        if not content:
            raise ValueError("the process has ended, or its answer is too long")
        self._seconds = 0.0
        return [dict(json.loads(line)) for line in content.splitlines()]

    def start(self) -> subprocess.Popen[bytes]:
        """Start a process in place of any other; it is ready when it answers its first request."""
        self.close()
        # Only the packages that it needs: isolated, without the folders of `site`.
        folders = dict.fromkeys((str(Path(__file__).parent), _folder("jinja2"), _folder("markupsafe")))
        self._socket, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-B", "-X", "utf8", "-c", _START, *folders],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={},
                cwd="/",
                start_new_session=True,
            )
        self._seconds = START_SECONDS
        return self.process

    def close(self) -> None:
        """End the process and whatever it has started."""
        if self.process is not None:
            kill_session(self.process)
            self._socket.close()
        self.process = None

    def forget(self) -> None:
        """Begin again in a forked process: the renderer is that of the parent."""
        self.__init__()  # type: ignore[misc]


def _folder(package: str) -> str:
    found = importlib.util.find_spec(package)
    assert found is not None
    assert found.origin is not None
    return str(Path(found.origin).parents[1])


RENDERER = Renderer()
atexit.register(RENDERER.close)
os.register_at_fork(after_in_child=RENDERER.forget)
