"""The process that renders templates, apart from the site: started when first needed, kept warm, ended on any doubt.

A renderer (`renderer`) has neither the site's environment nor its code, and forks for each request a process with
limits. Each process of the site has one renderer, whose requests it answers one after the other.
"""

from __future__ import annotations

import atexit
import importlib.util
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webapp.chat.renderer.limits import MOST_RECEIVED, MOST_REQUEST, WALL_SECONDS
from webapp.observing import report
from webapp.processes import kill_session, read_frame, send_frames

# How long a renderer may take to start, and to answer beyond the time that it allows its child, in seconds.
START_SECONDS, GRACE_SECONDS = 20.0, 2.0

_START = "import sys; sys.path += sys.argv[1:]; from renderer.process import main; main()"


class SandboxError(Exception):
    """No renderer could answer."""


@dataclass(frozen=True)
class RendererAnswer:
    """What a child wrote, a line each, and how it ended: the signal, 0 if none; seconds and bytes that it used."""

    lines: Sequence[Mapping[str, Any]]
    signal: int
    ended: bool
    cpu: float
    memory: int


class Renderer:
    """One process that answers requests one after the other."""

    def __init__(self) -> None:
        """Start the process; it is ready when it answers its first request."""
        # Only the packages that it needs: isolated, without the folders of `site`.
        folders = dict.fromkeys((str(Path(__file__).parent), _folder("jinja2"), _folder("markupsafe")))
        self._socket, theirs = socket.socketpair()
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", "-X", "utf8", "-c", _START, *folders],
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={},
            cwd="/",
            start_new_session=True,
        )
        theirs.close()
        self._seconds = START_SECONDS

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def answer(self, payload: bytes) -> RendererAnswer:
        """Send a request and wait for its answer; raises SandboxError, after which the renderer must be closed."""
        try:
            self._socket.settimeout(self._seconds + WALL_SECONDS + GRACE_SECONDS)
            with self._socket.makefile("wb") as requests, self._socket.makefile("rb") as answers:
                send_frames(requests, payload)
                content = read_frame(answers, MOST_RECEIVED + 1000)
            if not content:
                raise SandboxError("the process has ended, or its answer is too long")
            head, *lines = content.split(b"\n")
            # After the last line break is what a process was writing when it was ended.
            found = RendererAnswer(tuple(map(_object, lines[:-1])), **_object(head))
        except (OSError, ValueError, TypeError) as error:
            raise SandboxError(str(error)) from None
        self._seconds = 0.0
        return found

    def close(self) -> None:
        """End the process and whatever it has started."""
        kill_session(self._process)
        self._socket.close()


class RendererKeeper:
    """Keeps the renderer of this process, and replaces it when it has ended or failed."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Begin again in a forked process: the renderer is that of the parent."""
        self._renderer: Renderer | None = None
        self._lock = threading.Lock()

    def answer(self, request: Mapping[str, Any]) -> RendererAnswer:
        """The answer to a request; raises SandboxError if no process could give one."""
        payload = json.dumps(request, ensure_ascii=False).encode()
        if len(payload) > MOST_REQUEST:
            raise SandboxError("the request is too long")
        with report.current().phase("chat template"), self._lock:
            try:
                return self.renderer().answer(payload)
            except BaseException:
                self.close()
                raise

    def renderer(self) -> Renderer:
        """The renderer, started unless it is alive; raises SandboxError if it cannot be started."""
        if self._renderer is None or not self._renderer.is_alive:
            self.close()
            try:
                self._renderer = Renderer()
            except OSError as error:
                raise SandboxError(str(error)) from None
        return self._renderer

    def close(self) -> None:
        """End the renderer."""
        if self._renderer is not None:
            self._renderer.close()
        self._renderer = None


def _folder(package: str) -> str:
    found = importlib.util.find_spec(package)
    assert found is not None
    assert found.origin is not None
    return str(Path(found.origin).parents[1])


def _object(line: bytes) -> dict[str, Any]:
    value = json.loads(line)
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


RENDERER = RendererKeeper()
atexit.register(RENDERER.close)
os.register_at_fork(after_in_child=RENDERER.forget)
