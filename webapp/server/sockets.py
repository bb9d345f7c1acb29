"""What the front asks of the operating system for its connections."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterator
from contextlib import closing, suppress

SELF = "/proc/self/fd"
# Connections are accepted only after the application has started: it looks for their socket this often, in seconds.
PAUSE = 0.02


async def abort_unread(seconds: float) -> None:
    """Have the system close connections whose client takes nothing for so long (RFC 5482, "User Timeout").

    Granian holds the connections and has no such limit: what it has written and nobody reads would stay for good. A
    connection inherits the option from the socket that listens, which is looked for until it is there. Where the
    system has no such option (macOS), nothing happens.
    """
    if not hasattr(socket, "TCP_USER_TIMEOUT") or not os.path.isdir(SELF):
        return
    while not (found := list(_listening())):
        await asyncio.sleep(PAUSE)
    for listener in found:
        with closing(listener):
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(1000 * seconds))


def _listening() -> Iterator[socket.socket]:
    """The sockets of this process that accept TCP connections, each as a duplicate to be closed."""
    for name in os.listdir(SELF):
        with suppress(OSError):  # not a socket, or closed meanwhile
            candidate = socket.socket(fileno=os.dup(int(name)))
            is_internet = candidate.family in (socket.AF_INET, socket.AF_INET6)
            if is_internet and candidate.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                yield candidate
            else:
                candidate.close()
