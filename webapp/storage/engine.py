"""Connections for reading and transactions for writing, to an SQLite file or PostgreSQL.

SQLite is configured for concurrent threads and processes: with WAL, readers do not wait for writers; with BEGIN
IMMEDIATE, writers wait before their transaction starts, so that none fails in the middle; with synchronous=FULL, every
commit is on the disk before it is acknowledged, so that it survives SIGKILL and power failures.
"""

import os
import sqlite3
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    DisconnectionError,
    InterfaceError,
    InternalError,
    OperationalError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import ConnectionPoolEntry, NullPool

from webapp.observing import report
from webapp.storage import schema

Reason = Literal["locked", "full", "away", "damaged"]

# The PostgreSQL advisory lock for migrations; the number is arbitrary.
MIGRATION_LOCK = 0x746F6B73636F7065
# The execution option that marks a connection for writing: SQLite takes the write lock when it begins.
_WRITES = "tokenscope_writes"


class UnavailableStorageError(Exception):
    """The database is temporarily unavailable; the site recovers without a restart.

    `reason`: another process holds it for too long ("locked"), its disk is full, it does not respond ("away"), or its
    file is damaged.
    """

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(f"the database is {reason}: {detail}")
        self.reason = reason


class DatabaseUrlError(ValueError):
    """`DATABASE_URL` is not usable. The message does not repeat it, because it may contain a password."""


class Patience:
    """The time limit of all connections to one server; after a timeout there is none left for a while.

    Otherwise a request that uses the database three times would wait three times, and every attempt to replace a
    connection that timed out would wait again.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._spent_until = 0.0

    @property
    def is_spent(self) -> bool:
        """Whether a wait for the server has just timed out: for `seconds` from then on, no connection is tried."""
        return time.monotonic() < self._spent_until

    def spend(self) -> None:
        """Note a timeout."""
        self._spent_until = time.monotonic() + self.seconds


class Database:
    """One database, shared by all threads of a process and by its forked children."""

    def __init__(self, url: URL, *, seconds: float) -> None:
        """`seconds` is the time limit for a locked or unresponsive database."""
        self.url = url
        self.seconds = seconds
        self._patience = Patience(seconds)
        self._engines: tuple[Engine, Engine] | None = None
        self._process = 0
        self._prepared = False
        self._lock = Lock()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection for reading, without a transaction: each statement sees the latest committed state."""
        self.prepare()
        with report.current().phase("database"), self._translated(), self._own_engines()[0].connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction: commits when the block ends, and rolls back when it raises an exception."""
        self.prepare()
        with report.current().phase("database"), self._translated(), self._own_engines()[1].begin() as connection:
            yield connection

    def prepare(self) -> None:
        """Create or migrate the tables, once even if several processes call this at the same time.

        Raises SchemaError if a newer release has migrated the database.
        """
        if self._prepared:
            return
        if not self._lock.acquire(timeout=self.seconds):
            raise UnavailableStorageError("away", "another thread is still trying to reach it")
        try:
            if not self._prepared:
                with self._translated():
                    self._upgrade()
                self._prepared = True
        finally:
            self._lock.release()

    @property
    def file(self) -> Path | None:
        """The file of an SQLite database; None for PostgreSQL."""
        return Path(self.url.database or "") if is_sqlite(self.url) else None

    def close(self) -> None:
        """Close the connections of this process; later calls open new ones."""
        engines, self._engines = self._engines, None
        if engines is not None:
            engines[0].dispose()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Convert driver exceptions about an unavailable database to UnavailableStorageError."""
        if self._patience.is_spent:
            raise UnavailableStorageError("away", "it did not answer a moment ago")
        try:
            yield
        except PoolTimeoutError as error:
            raise UnavailableStorageError("locked", "all connections are in use") from error
        except DBAPIError as error:
            reason = _reason(error)
            if reason is None:
                raise
            raise UnavailableStorageError(reason, str(error.orig).strip()) from error
        except OSError as error:
            raise UnavailableStorageError("away", str(error)) from error

    def _own_engines(self) -> tuple[Engine, Engine]:
        """An engine for reading and one for writing, with a common pool. A forked process gets its own."""
        engines = self._engines
        if engines is None or self._process != os.getpid():
            with self._lock:
                if self._engines is None or self._process != os.getpid():
                    self._engines, self._process = self._made(), os.getpid()
                    weakref.finalize(self, _dispose, self._engines[0], self._process)
                engines = self._engines
        return engines

    def _made(self, **options: Any) -> tuple[Engine, Engine]:
        options = options or {"pool_timeout": self.seconds}
        if self.file is not None:
            engine = create_engine(self.url, connect_args={"timeout": self.seconds}, **options)
            event.listen(engine, "connect", _set_up_sqlite)
            _watch(engine, self.file, lambda: self._prepared)
            event.listen(engine, "begin", _begin_sqlite)
            return engine, engine.execution_options(**{_WRITES: True})
        from webapp.storage import postgresql  # its driver is an extra

        engine = postgresql.engine_of(self.url, self._patience, **options)
        return engine.execution_options(isolation_level="AUTOCOMMIT"), engine

    def _upgrade(self) -> None:
        if self.file is not None:
            self.file.parent.mkdir(parents=True, exist_ok=True)
        reading, writing = self._made(poolclass=NullPool)  # no connection may stay open when the process forks later
        with reading.connect() as connection:
            if is_sqlite(self.url):
                _use_wal(connection, self.seconds)
            if schema.revision(connection) == schema.HEAD:
                return
        with writing.begin() as connection:
            if not is_sqlite(self.url):
                from webapp.storage import postgresql

                postgresql.lift_limits(connection)
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MIGRATION_LOCK})
            schema.upgrade(connection)


def missing(package: str, extra: str) -> str:
    """The sentence that says how to install a package; empty if it is installed.

    >>> missing("json", "any"), missing("no_such_package", "redis")
    ('', "This needs the package no_such_package; in the clone: pip install -c requirements.lock '.[redis]'")
    """
    if find_spec(package) is not None:
        return ""
    return f"This needs the package {package}; in the clone: pip install -c requirements.lock '.[{extra}]'"


def url_of(named: str, file: Path) -> URL:
    """The URL of the database: `named`, the value of `DATABASE_URL`, or the SQLite `file` if `named` is empty.

    Raises DatabaseUrlError for any other kind of URL, and without the driver of PostgreSQL.

    >>> url_of("postgres://me:secret@db.example:5432/site?sslmode=require", Path()).render_as_string()
    'postgresql+psycopg://me:***@db.example:5432/site?sslmode=require'
    >>> url_of("", Path("instance/tokenscope.sqlite")).render_as_string()
    'sqlite+pysqlite:///instance/tokenscope.sqlite'
    """
    if not named:
        return URL.create("sqlite+pysqlite", database=str(file))
    try:
        url = make_url(named)
    except (ArgumentError, ValueError):
        url = None
    if url is not None and url.drivername in ("postgres", "postgresql", "postgresql+psycopg"):
        if lacking := missing("psycopg", "postgresql"):
            raise DatabaseUrlError(f"DATABASE_URL names a PostgreSQL database. {lacking}")
        return url.set(drivername="postgresql+psycopg")
    raise DatabaseUrlError(
        "DATABASE_URL is not understood: it should look like postgresql://user:password@host:5432/name. "
        "Without it, the site stores its data in the file TOKENSCOPE_DATABASE_FILE."
    )


def is_sqlite(url: URL) -> bool:
    """Whether a database is an SQLite file."""
    return url.get_backend_name() == "sqlite"


def _set_up_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # explicit transactions instead of the driver's implicit ones
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA secure_delete=ON")  # overwrites deleted data with zeros


def _watch(engine: Engine, file: Path, is_prepared: Callable[[], bool]) -> None:
    """Use no connection to a file that is moved away, or that another file has replaced.

    SQLite would go on with the moved file, and a new connection would create an empty one in its place.
    """

    @event.listens_for(engine, "do_connect")
    def refuse(_dialect: object, _record: object, _arguments: object, _options: object) -> None:
        if is_prepared() and not file.exists():
            error = sqlite3.OperationalError(f"there is no file {file}")
            error.sqlite_errorname = "SQLITE_CANTOPEN"
            raise error

    @event.listens_for(engine, "connect")
    def remember(_connection: object, record: ConnectionPoolEntry) -> None:
        record.info["file"] = _identity(file)

    @event.listens_for(engine, "checkout")
    def check(_connection: object, record: ConnectionPoolEntry, _proxy: object) -> None:
        if record.info["file"] != _identity(file):
            raise DisconnectionError(f"{file} is no longer the file that was opened")


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _use_wal(connection: Connection, seconds: float) -> None:
    """Enable WAL, which is stored in the file. Retries, because SQLite's own timeout does not cover this statement."""
    deadline = time.monotonic() + seconds
    while connection.exec_driver_sql("PRAGMA journal_mode").scalar() != "wal":
        try:
            if connection.exec_driver_sql("PRAGMA journal_mode=WAL").scalar() == "wal":
                return
        except OperationalError:
            if time.monotonic() > deadline:
                raise
        if time.monotonic() > deadline:  # where WAL is impossible, the statement does nothing
            raise UnavailableStorageError("away", "WAL cannot be enabled here")
        time.sleep(0.01)


def _dispose(engine: Engine, process: int) -> None:
    """Close the connections of `engine`, but only in the process that opened them."""
    if os.getpid() == process:
        engine.dispose()


def _begin_sqlite(connection: Connection) -> None:
    if connection.get_execution_options().get(_WRITES):
        connection.exec_driver_sql("BEGIN IMMEDIATE")


_POSTGRES: dict[str | None, Reason] = {
    "53100": "full",  # of the disk
    "55P03": "locked",  # lock_timeout
    "57014": "locked",  # statement_timeout
    "40P01": "locked",  # a deadlock
}


def _reason(error: DBAPIError) -> Reason | None:
    """Why the database is unavailable; None if the error is in the statement."""
    original = error.orig
    if isinstance(original, sqlite3.Error):
        name = getattr(original, "sqlite_errorname", "")
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return "locked"
        if name.startswith("SQLITE_FULL"):
            return "full"
        if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
            return "damaged"
        return "away" if name.startswith(("SQLITE_CANTOPEN", "SQLITE_IOERR", "SQLITE_READONLY")) else None
    if (state := getattr(original, "sqlstate", None)) in _POSTGRES:
        return _POSTGRES[state]
    away = error.connection_invalidated or isinstance(error, (OperationalError, InterfaceError, InternalError))
    return "away" if away else None
