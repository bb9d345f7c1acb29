"""The queue between web servers and workers: Huey in Redis, in PostgreSQL, or in an SQLite file.

A task is the id of a job and nothing else, as JSON: nobody who can write to the queue can make a worker unpickle
something. What the queue loses or delivers twice does no harm, because the table of jobs decides who runs what.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

from huey import Huey, PostgresHuey, RedisHuey, SqliteHuey
from huey.consumer import Consumer
from huey.registry import Message
from huey.serializer import Serializer
from sqlalchemy import URL

from webapp.storage.engine import is_sqlite
from webapp.storage.patience import Patience

NAME = "tokenscope"
# The longest pause between two looks into the queue, in seconds; Redis wakes a worker at once.
MOST_DELAY = 1.0


class QueueError(Exception):
    """The queue is unreachable."""


class JsonSerializer(Serializer):  # type: ignore[misc]
    """Writes tasks as JSON."""

    def _serialize(self, data: Any) -> bytes:
        return json.dumps(data).encode()

    def _deserialize(self, data: bytes) -> Any:
        return Message(*json.loads(data))


class Queue:
    """The queue that a site's settings name, connected on first use, so that a process may fork before."""

    def __init__(self, database: URL, redis: str, *, seconds: float) -> None:
        """`redis` is an address or empty, `seconds` the time limit for a locked or unresponsive server."""
        self._database = database
        self._redis = redis.replace("valkey://", "redis://", 1).replace("valkeys://", "rediss://", 1)
        self._seconds = seconds
        self._lock = Lock()

    def put(self, id: str) -> None:
        """Tell the workers that a job waits; raises QueueError."""
        with _translated():
            self._task(id)

    def is_empty(self) -> bool:
        """Whether nothing is in the queue; raises QueueError."""
        with _translated():
            return bool(self._huey.pending_count() == 0)

    def consumer(self, run: Callable[[str], None], threads: int) -> Consumer:
        """A consumer that calls `run` with the ids of jobs, in so many threads, until a signal stops it."""
        self._run = run
        return self._huey.create_consumer(
            workers=threads, periodic=False, max_delay=MOST_DELAY, graceful_signal="TERM", shutdown_timeout=10
        )

    def close(self) -> None:
        """Close the connections of this process."""
        if "_connected" in self.__dict__:
            self._huey.storage.close()

    @property
    def _huey(self) -> Huey:
        with self._lock:
            return self._connected[0]

    @property
    def _task(self) -> Callable[[str], Any]:
        with self._lock:
            return self._connected[1]

    @cached_property
    def _connected(self) -> tuple[Huey, Callable[[str], Any]]:
        with _translated():
            huey = self._made()
        return huey, huey.task(name="train")(self._execute)

    def _execute(self, id: str) -> None:
        self._run(id)

    def _made(self) -> Huey:
        common: dict[str, Any] = {"name": NAME, "results": False, "serializer": JsonSerializer()}
        if self._redis:
            from redis import ConnectionPool

            from webapp.storage.redis import redis_timeouts

            # A worker's look into the queue takes up to `read_timeout`, 1 second.
            timeouts = redis_timeouts(max(self._seconds, 2.0))
            return RedisHuey(connection_pool=ConnectionPool.from_url(self._redis, **timeouts), **common)
        if is_sqlite(self._database):
            # Beside the site's file, not in it: each look into the queue takes the write lock.
            file = Path(self._database.database or "")
            file.parent.mkdir(parents=True, exist_ok=True)
            file = file.with_name(f"{file.stem}-queue{file.suffix}")
            return SqliteHuey(filename=str(file), timeout=self._seconds, fsync=True, **common)
        dsn = connection_string(self._database)
        from webapp.storage.postgresql import connect

        # Without LISTEN, which connection poolers do not pass on.
        patience = Patience(self._seconds)
        return PostgresHuey(connection=lambda: connect(dsn, patience), blocking=False, **common)


def connection_string(url: URL) -> str:
    """The address of a PostgreSQL database as its own library reads it.

    As a URL, SQLAlchemy writes a space in a parameter as `+`, which that library does not understand.

    >>> from sqlalchemy import make_url
    >>> connection_string(make_url("postgresql:///name?options=-c%20search_path%3Dsite"))
    "dbname=name options='-c search_path=site'"
    """
    from psycopg.conninfo import make_conninfo

    given = url.translate_connect_args(username="user", database="dbname")
    return make_conninfo(**given, **{name: str(value) for name, value in url.query.items()})


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        # What is not imported raised nothing.
        drivers = [(sys.modules.get("psycopg"), "Error"), (sys.modules.get("redis"), "RedisError")]
        kinds = tuple(getattr(module, name) for module, name in drivers if module is not None)
        if isinstance(error, (sqlite3.Error, OSError, *kinds)):
            raise QueueError(str(error)) from error
        raise
