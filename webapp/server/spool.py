"""Buffers a response between a worker and a client, in memory up to a limit and then in a file."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from tempfile import TemporaryFile
from typing import IO

MOST_IN_MEMORY = 1 << 20  # bytes of one spool; further bytes wait in a temporary file
CHUNK = 1 << 16  # bytes read from the file at once


class Spool:
    """A queue of bytes: `write` never waits, and `chunks` waits for more until `end`.

    `Spool.held` counts the bytes in all spools, so that writers can pause while it is too high.
    """

    held = 0

    def __init__(self) -> None:
        self._memory: deque[bytes] = deque()
        self._in_memory = 0
        self._file: IO[bytes] | None = None
        self._written = self._read = 0  # positions in the file
        self._ended = False
        self._changed = asyncio.Event()

    def write(self, data: bytes) -> None:
        """Append `data`; raises OSError if the disk is full."""
        # While the file has unread bytes, new ones must follow them there.
        if self._read == self._written and self._in_memory + len(data) <= MOST_IN_MEMORY:
            self._memory.append(data)
            self._in_memory += len(data)
        else:
            self._file = self._file or TemporaryFile(prefix="tokenscope-")  # noqa: SIM115 (closed by `close`)
            self._file.seek(self._written)
            self._file.write(data)
            self._written += len(data)
        Spool.held += len(data)
        self._changed.set()

    def end(self) -> None:
        """Mark the end: there will be no more writes."""
        self._ended = True
        self._changed.set()

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the written bytes in order, and remove them from the queue."""
        while True:
            if self._memory:
                data = self._memory.popleft()
                self._in_memory -= len(data)
                Spool.held -= len(data)
                yield data
            elif self._file is not None and self._read < self._written:
                self._file.seek(self._read)
                data = self._file.read(CHUNK)
                self._read += len(data)
                Spool.held -= len(data)
                yield data
            elif self._ended:
                return
            else:
                self._changed.clear()
                await self._changed.wait()

    def close(self) -> None:
        """Release the memory and delete the file."""
        Spool.held -= self._in_memory + self._written - self._read
        self._in_memory = self._written = self._read = 0
        self._memory.clear()
        if self._file is not None:
            with suppress(OSError):  # the disk is full, and nobody needs the file any more
                self._file.close()
