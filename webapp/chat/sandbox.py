"""Processes that render templates, apart from the site: started when first needed, kept warm, ended on any doubt.

A renderer (`renderer`) has neither the site's environment nor its code, and forks for each request a process with
limits. Requests of several threads take a renderer each; no more than `AT_ONCE` are answered at once.
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
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webapp.chat.renderer.limits import MOST_RECEIVED, MOST_REQUEST, WALL_SECONDS
from webapp.observing import report

AT_ONCE = 4
SPARE = 2
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
            self._socket.sendall(len(payload).to_bytes(4, "big") + payload)
            with self._socket.makefile("rb") as stream:
                size = int.from_bytes(stream.read(4), "big")
                if size > MOST_RECEIVED + 1000:
                    raise SandboxError("the answer is too long")
                content = stream.read(size)
            if not 0 < len(content) == size:
                raise SandboxError("the process has ended")
            head, *lines = content.split(b"\n")
            # What stands behind the last line break, a process was writing when it was ended.
            found = RendererAnswer(tuple(map(_object, lines[:-1])), **_object(head))
        except (OSError, ValueError, TypeError) as error:
            raise SandboxError(str(error)) from None
        self._seconds = 0.0
        return found

    def close(self) -> None:
        """End the process and whatever it has started."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, 9)
            self._process.wait()
        self._socket.close()


class Renderers:
    """The renderers of this process."""

    def __init__(self) -> None:
        """Begin with none."""
        self._spare: list[Renderer] = []
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(AT_ONCE)

    def answer(self, request: Mapping[str, Any]) -> RendererAnswer:
        """The answer to a request; raises SandboxError if no process could give one."""
        payload = json.dumps(request, ensure_ascii=False).encode()
        if len(payload) > MOST_REQUEST:
            raise SandboxError("the request is too long")
        with report.current().phase("chat template"), self._places:
            renderer = self._take()
            try:
                found = renderer.answer(payload)
            except BaseException:
                renderer.close()
                raise
            self._give_back(renderer)
            return found

    def warm(self) -> None:
        """Start a renderer now, unless one is spare, so that the next request need not wait for its start."""
        self._give_back(self._take())

    def close(self) -> None:
        """End all spare renderers."""
        with self._lock:
            closing, self._spare = self._spare, []
        for renderer in closing:
            renderer.close()

    def forget(self) -> None:
        """Begin anew in a forked process: the renderers are those of the parent."""
        self.__init__()  # type: ignore[misc]

    def _take(self) -> Renderer:
        while True:
            with self._lock:
                renderer = self._spare.pop() if self._spare else None
            if renderer is None:
                try:
                    return Renderer()
                except OSError as error:
                    raise SandboxError(str(error)) from None
            if renderer.is_alive:
                return renderer
            renderer.close()

    def _give_back(self, renderer: Renderer) -> None:
        with self._lock:
            if len(self._spare) < SPARE:
                self._spare.append(renderer)
                return
        renderer.close()


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


RENDERERS = Renderers()
atexit.register(RENDERERS.close)
os.register_at_fork(after_in_child=RENDERERS.forget)
