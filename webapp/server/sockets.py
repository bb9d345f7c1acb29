"""Socket options for connections that Granian holds."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterator
from contextlib import closing, suppress

SELF = "/proc/self/fd"
# Granian opens its socket only after the application has started. This is the interval between checks, in seconds.
PAUSE = 0.02


async def abort_unread(seconds: float) -> None:
    """Make the system close connections whose client reads nothing for `seconds` (RFC 5482, "User Timeout").

    Granian has no such limit: data that no client reads would stay in memory forever. Connections inherit the option
    from the listening socket, which this function waits for. On systems without the option (macOS) it does nothing.
    """
    if not hasattr(socket, "TCP_USER_TIMEOUT") or not os.path.isdir(SELF):
        return
    while not (listeners := list(_listening())):
        await asyncio.sleep(PAUSE)
    for listener in listeners:
        with closing(listener):
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(1000 * seconds))


def _listening() -> Iterator[socket.socket]:
    """Duplicates of this process's listening TCP sockets, which the caller closes."""
    for name in os.listdir(SELF):
        with suppress(OSError):  # not a socket, or closed meanwhile
            candidate = socket.socket(fileno=os.dup(int(name)))
            is_internet = candidate.family in (socket.AF_INET, socket.AF_INET6)
            if is_internet and candidate.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                yield candidate
            else:
                candidate.close()
