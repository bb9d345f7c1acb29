"""Buffers the body of a request until it is complete and a worker can take it."""

from __future__ import annotations

from contextlib import suppress
from tempfile import NamedTemporaryFile
from typing import Any

# The worker receives bodies up to this length in bytes over the socket, and longer ones as a file.
MOST_OVER_SOCKET = 1 << 20


class Body:
    """The body of a request, in memory or in a named file that a worker can open."""

    held = 0  # bytes of all bodies together

    def __init__(self) -> None:
        self.size = 0
        self.stored = 0
        self._memory = bytearray()
        self._file: Any = None

    def write(self, data: bytes) -> None:
        """Append `data`; raises OSError if the disk is full."""
        Body.held += len(data)
        self.stored += len(data)
        if self._file is None and len(self._memory) + len(data) > MOST_OVER_SOCKET:
            self._file = NamedTemporaryFile(prefix="tokenscope-")  # noqa: SIM115 (closed by `close`)
            self._file.write(self._memory)
            self._memory.clear()
        if self._file is None:
            self._memory += data
        else:
            self._file.write(data)
            self._file.flush()

    def drop(self) -> None:
        """Discard the content: the body is too long for any page."""
        self.close()
        self._file, self._memory = None, bytearray()

    def close(self) -> None:
        """Release the memory and delete the file."""
        Body.held -= self.stored
        self.stored = 0
        if self._file is not None:
            with suppress(OSError):  # the disk is full, and nobody needs the file any more
                self._file.close()

    def for_worker(self) -> tuple[bytes, str]:
        """The content and an empty path, or no content and the path of the file."""
        if self._file is None:
            return bytes(self._memory), ""
        return b"", self._file.name
