"""The body of a request, read before any worker sees it."""

from __future__ import annotations

from tempfile import NamedTemporaryFile
from typing import Any

# A body is handed to the worker over the socket up to this length, and as a file beyond it.
MOST_OVER_SOCKET = 1 << 20


class Body:
    """The body of a request: in memory, or in a file with a name that a worker can open."""

    held = 0  # bytes of all bodies together

    def __init__(self) -> None:
        self.size = 0
        self.stored = 0
        self._memory = bytearray()
        self._file: Any = None

    def write(self, data: bytes) -> None:
        """Append `data`."""
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

    def drop(self) -> None:
        """Keep nothing of it: it is too long for any page."""
        self.close()
        self._file, self._memory = None, bytearray()

    def close(self) -> None:
        """Give the memory and the file back."""
        Body.held -= self.stored
        self.stored = 0
        if self._file is not None:
            self._file.close()

    def for_worker(self) -> tuple[bytes, str]:
        """The bytes, or else the file that has them."""
        if self._file is None:
            return bytes(self._memory), ""
        self._file.flush()
        return b"", self._file.name
