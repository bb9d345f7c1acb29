"""Counts requests of all processes of this machine together, in an SQLite file."""

import os
import sqlite3
import time
from pathlib import Path
from threading import Lock
from typing import Any

from limits.storage import Storage

URI = "tokenscope://"  # what Flask-Limiter calls this storage
# Counts whose time is over are deleted once in so many seconds, by each process that counts.
SWEEPING_SECONDS = 60.0
_TABLE = "CREATE TABLE IF NOT EXISTS counts (key TEXT PRIMARY KEY, amount INTEGER, ends REAL) WITHOUT ROWID"
_COUNT = (
    "INSERT INTO counts VALUES (:key, :amount, :now + :seconds) ON CONFLICT DO UPDATE SET "
    "amount = :amount + iif(ends > :now, amount, 0), ends = iif(ends > :now, ends, :now + :seconds) RETURNING amount"
)


class SharedCounts(Storage):
    """A storage of Flask-Limiter in `file`, where a count waits for others at most `seconds`.

    Nothing is synced: counts survive the end of a process at any moment, and need not survive a power failure. Each
    process that forks from this one opens the file for itself, when it first counts.
    """

    STORAGE_SCHEME = [URI.partition(":")[0]]  # noqa: RUF012 (as in the library)
    base_exceptions = (sqlite3.Error, OSError)

    def __init__(self, uri: str | None = None, wrap_exceptions: bool = False, *, file: str, seconds: float) -> None:
        super().__init__(uri, wrap_exceptions)
        self._file, self._seconds = Path(file), seconds
        self._opened: tuple[int, sqlite3.Connection] | None = None
        self._next_sweep = 0.0
        self._lock = Lock()

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Add to the count of `key`, whose first one starts `expiry` seconds; return the count."""
        now = time.time()
        if now > self._next_sweep:
            self._rows("DELETE FROM counts WHERE ends <= :now", now=now)
            self._next_sweep = now + SWEEPING_SECONDS
        return int(self._rows(_COUNT, key=key, amount=amount, now=now, seconds=expiry)[0][0])

    def get(self, key: str) -> int:
        """Return the count of `key`."""
        rows = self._rows("SELECT amount FROM counts WHERE key = :key AND ends > :now", key=key, now=time.time())
        return int(rows[0][0]) if rows else 0

    def get_expiry(self, key: str) -> float:
        """Return when the count of `key` starts anew."""
        rows = self._rows("SELECT ends FROM counts WHERE key = :key", key=key)
        return float(rows[0][0]) if rows else time.time()

    def check(self) -> bool:
        """Return whether the file can be read."""
        try:
            self.get("")
        except self.base_exceptions:
            return False
        return True

    def reset(self) -> None:
        """Delete all counts."""
        self._rows("DELETE FROM counts")

    def clear(self, key: str) -> None:
        """Delete the count of `key`."""
        self._rows("DELETE FROM counts WHERE key = :key", key=key)

    def _rows(self, statement: str, **values: Any) -> list[Any]:
        with self._lock:
            if self._opened is None or self._opened[0] != os.getpid():
                self._opened = os.getpid(), self._connected()
            return self._opened[1].execute(statement, values).fetchall()

    def _connected(self) -> sqlite3.Connection:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._file, timeout=self._seconds, isolation_level=None, check_same_thread=False)
        for setting in ("journal_mode = WAL", "synchronous = OFF"):
            connection.execute(f"PRAGMA {setting}")
        connection.execute(_TABLE)
        return connection
