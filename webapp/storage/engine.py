"""The database behind the site: an SQLite file, or PostgreSQL. Connections for reading, transactions for writing.

SQLite is set up so that threads and processes get along: WAL, so that nobody who reads waits for one who writes;
writers wait their turn from the beginning (BEGIN IMMEDIATE), so that none of them fails half way; and every commit is
on the disk before it is acknowledged (synchronous=FULL), so that neither SIGKILL nor a power cut takes it back.
"""

from __future__ import annotations

import os
import sqlite3
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Literal

import psycopg
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import NullPool

from webapp.storage import schema

Reason = Literal["locked", "full", "away", "damaged"]

# Of PostgreSQL's advisory locks, the one that is held while the tables are changed: any number of our own.
MIGRATION_LOCK = 0x746F6B73636F7065
# Whether a connection is going to write: then SQLite takes the lock for it at once.
_WRITES = "tokenscope_writes"


class UnavailableStorageError(Exception):
    """The database cannot be used now. It may be in a minute: nothing needs to be started anew.

    `reason`: somebody else holds it for too long, its disk is full, it does not answer, or its file is damaged.
    """

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(f"the database is {reason}: {detail}")
        self.reason = reason


class DatabaseUrlError(ValueError):
    """`DATABASE_URL` names no database that the site can use. The message does not repeat it, for its password."""


class Database:
    """One database, for all threads of a process and for the processes that are forked from it."""

    def __init__(self, url: URL, *, seconds: float) -> None:
        """`seconds` is the longest that a request waits for a database that is locked or does not answer."""
        self.url = url
        self.seconds = seconds
        self._engines: tuple[Engine, Engine] | None = None
        self._process = 0
        self._prepared = False
        self._lock = Lock()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees each statement's own moment; nothing is written with it."""
        self.prepare()
        with _translated(), self._own_engines()[0].connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction: all of it is kept when the block ends, nothing of it when the block raises."""
        self.prepare()
        with _translated(), self._own_engines()[1].begin() as connection:
            yield connection

    def prepare(self) -> None:
        """Create the tables, or bring them up to date. Several processes may do this at once: one does it.

        Raises SchemaError where a newer release has written the database.
        """
        if self._prepared:
            return
        if not self._lock.acquire(timeout=self.seconds):
            raise UnavailableStorageError("away", "another thread is still trying to reach it")
        try:
            if not self._prepared:
                with _translated():
                    self._upgrade()
                self._prepared = True
        finally:
            self._lock.release()

    @property
    def file(self) -> Path | None:
        """The file of an SQLite database, None for PostgreSQL."""
        return Path(self.url.database or "") if is_sqlite(self.url) else None

    def close(self) -> None:
        """Close the connections of this process; new ones are made when they are needed."""
        engines, self._engines = self._engines, None
        if engines is not None:
            engines[0].dispose()

    def _own_engines(self) -> tuple[Engine, Engine]:
        """One for reading, one for writing, with one pool. A forked process never uses its parent's connections."""
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
        if is_sqlite(self.url):
            engine = create_engine(self.url, connect_args={"timeout": self.seconds}, **options)
            event.listen(engine, "connect", _set_up_sqlite)
            event.listen(engine, "begin", _begin_sqlite)
            return engine, engine.execution_options(**{_WRITES: True})
        engine = create_engine(
            self.url,
            connect_args={
                "connect_timeout": max(2, round(self.seconds)),
                "prepare_threshold": None,  # no statement outlives its transaction: a connection pooler may be between
                # A server that vanished without a word is noticed, too.
                "keepalives_idle": 10,
                "keepalives_interval": 2,
                "keepalives_count": 3,
                "tcp_user_timeout": round(2000 * self.seconds),
            },
            pool_pre_ping=True,  # after a restart of the database nobody meets a connection from before
            **options,
        )
        milliseconds = round(1000 * self.seconds)

        @event.listens_for(engine, "connect")
        def limit(connection: Any, _record: object) -> None:
            connection.execute(f"SET lock_timeout = {milliseconds}")
            connection.execute(f"SET statement_timeout = {6 * milliseconds}")
            connection.commit()

        return engine.execution_options(isolation_level="AUTOCOMMIT"), engine

    def _upgrade(self) -> None:
        if self.file is not None:
            self.file.parent.mkdir(parents=True, exist_ok=True)
        reading, writing = self._made(poolclass=NullPool)  # the processes part after this: nothing may stay open
        with reading.connect() as connection:
            if is_sqlite(self.url):
                _use_wal(connection, self.seconds)
            if schema.revision(connection) == schema.HEAD:
                return
        with writing.begin() as connection:
            if not is_sqlite(self.url):
                connection.execute(text("SET LOCAL lock_timeout = 60000"))
                connection.execute(text("SET LOCAL statement_timeout = 0"))
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MIGRATION_LOCK})
            schema.upgrade(connection)


def url_of(named: str, file: Path) -> URL:
    """Where the database is: `named` is `DATABASE_URL` as hosting platforms set it, `file` is SQLite's if it is empty.

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
        return url.set(drivername="postgresql+psycopg")
    raise DatabaseUrlError(
        "DATABASE_URL is not understood: it should look like postgresql://user:password@host:5432/name. "
        "Without it, the site keeps its data in a file of its own, which DATABASE_FILE names."
    )


def is_sqlite(url: URL) -> bool:
    """Whether a database is an SQLite file."""
    return url.get_backend_name() == "sqlite"


def _set_up_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # transactions begin where we say so, not where the driver guesses
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA secure_delete=ON")  # what an author deletes is overwritten, not only unlinked


def _use_wal(connection: Connection, seconds: float) -> None:
    """Turn WAL on, which the file remembers. Where several turn it on at once, SQLite's own waiting does not help."""
    deadline = time.monotonic() + seconds
    while connection.exec_driver_sql("PRAGMA journal_mode").scalar() != "wal":
        try:
            connection.exec_driver_sql("PRAGMA journal_mode=WAL")
        except OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _dispose(engine: Engine, process: int) -> None:
    """Close what is open, in the process that opened it."""
    if os.getpid() == process:
        engine.dispose()


def _begin_sqlite(connection: Connection) -> None:
    if connection.get_execution_options().get(_WRITES):
        connection.exec_driver_sql("BEGIN IMMEDIATE")


@contextmanager
def _translated() -> Iterator[None]:
    """Turn what drivers raise for a database that cannot be used into our own exception, with their words."""
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


def _reason(error: DBAPIError) -> Reason | None:
    """Why the database cannot be used; None where the statement is at fault."""
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
    if isinstance(original, psycopg.errors.DiskFull):
        return "full"
    if isinstance(original, (psycopg.errors.LockNotAvailable, psycopg.errors.QueryCanceled)):
        return "locked"
    if isinstance(original, psycopg.errors.DeadlockDetected):
        return "locked"
    away = error.connection_invalidated or isinstance(error, (OperationalError, InterfaceError, InternalError))
    return "away" if away else None
