"""Workers that are starting while the site stops."""

from __future__ import annotations

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from webapp.server.pool import Pool


class SlowProcess:
    """A process whose start takes as long as the test wants; `socket` is the one that the worker would have."""

    begun, may_end = Event(), Event()
    socket: socket.socket

    def __init__(self, target: object, args: tuple[socket.socket], daemon: bool) -> None:
        type(self).socket = args[0].dup()

    def start(self) -> None:
        self.begun.set()
        assert self.may_end.wait(30)


def test_a_worker_that_is_starting_when_the_site_stops_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits for requests until its socket is closed, and the site stops when all its workers have ended."""

    async def stop_in_the_middle() -> None:
        pool = Pool(1)
        monkeypatch.setattr(pool._context, "Process", SlowProcess, raising=False)
        opening = asyncio.create_task(pool.open())
        await asyncio.to_thread(SlowProcess.begun.wait, 30)
        opening.cancel()
        await asyncio.gather(opening, return_exceptions=True)
        SlowProcess.may_end.set()

    # In a new thread, since in that of the tests Playwright leaves an event loop running.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, stop_in_the_middle()).result()
    SlowProcess.socket.settimeout(5)
    with SlowProcess.socket:
        assert SlowProcess.socket.recv(1) == b""
