"""Buffers a response between a worker and a client, in memory up to a limit and then in a file."""

from __future__ import annotations

import asyncio
import logging
import os
from collections import deque
from collections.abc import AsyncIterator
from tempfile import TemporaryFile
from typing import IO

log = logging.getLogger(__name__)

MOST_IN_MEMORY = 1 << 20  # bytes of one spool; further bytes wait in a temporary file
CHUNK = 1 << 16  # bytes read from the file at once


class Spool:
    """A queue of bytes: `write` waits only while the disk is full, and `chunks` waits for more until `end`.

    `Spool.held` counts the bytes in all spools, so that writers can pause while it is too high.
    """

    held = 0

    def __init__(self) -> None:
        self._memory: deque[bytes] = deque()
        self._in_memory = 0
        self._file: IO[bytes] | None = None
        self._written = self._read = 0  # positions in the file
        self._ended = self._is_full = False
        self._changed = asyncio.Event()
        self._taken = asyncio.Event()

    async def write(self, data: bytes) -> None:
        """Append `data`; what finds no room on the disk waits until the client has read enough of the rest."""
        while data:
            # While the file has unread bytes, new ones must follow them there.
            is_short = self._in_memory + len(data) <= MOST_IN_MEMORY or not self._memory
            stored = self.put(data) if is_short and self._read == self._written else self._stored(data)
            data = data[stored:]
            if data:
                self._taken.clear()
                await self._taken.wait()

    def put(self, data: bytes) -> int:
        """Append `data` in memory; return its length."""
        self._memory.append(data)
        self._in_memory += len(data)
        Spool.held += len(data)
        self._changed.set()
        return len(data)

    def _stored(self, data: bytes) -> int:
        """Append to the file as much of `data` as the disk takes; return how many bytes."""
        stored, why = 0, "the disk took only a part"
        try:
            self._file = self._file or TemporaryFile(prefix="tokenscope-", buffering=0)  # noqa: SIM115 (see `close`)
            stored = os.pwrite(self._file.fileno(), data, self._written)
        except OSError as error:
            why = error.strerror or str(error)
        if stored < len(data) and not self._is_full:
            log.warning("A long response waits for its client, because it cannot be stored: %s", why)
            self._is_full = True
        self._written += stored
        Spool.held += stored
        self._changed.set()
        return stored

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
            elif self._file is not None and self._read < self._written:
                data = os.pread(self._file.fileno(), CHUNK, self._read)
                self._read += len(data)
            elif self._ended:
                return
            else:
                self._changed.clear()
                await self._changed.wait()
                continue
            Spool.held -= len(data)
            self._taken.set()
            yield data

    def close(self) -> None:
        """Release the memory and delete the file."""
        Spool.held -= self._in_memory + self._written - self._read
        self._in_memory = self._written = self._read = 0
        self._memory.clear()
        if self._file is not None:
            self._file.close()
