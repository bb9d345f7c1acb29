"""Connections to PostgreSQL that never wait longer than they are told, even if the server is frozen.

The server's own limits (`statement_timeout`, `lock_timeout`) need a server that runs. With a process that is stopped,
or a machine that swaps, the kernel still accepts connections and data, so that neither TCP's keepalives nor
`tcp_user_timeout` notice anything: only the client's own clock does.
"""

import time
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen
from psycopg.rows import TupleRow
from psycopg.waiting import Ready
from sqlalchemy import URL, Engine, create_engine, event

from webapp.storage.engine import Patience

T = TypeVar("T")

# The share of the time that the server's own limits have: they leave the connection usable, the client's does not.
SERVERS_SHARE = 0.8


class UnresponsiveError(psycopg.OperationalError):
    """The server did not answer in time; the connection is closed."""


class LimitedConnection(psycopg.Connection[TupleRow]):
    """A connection that is closed when the server takes longer for one answer than its `patience`; None: it may."""

    patience: Patience | None = None

    def wait(self, gen: PQGen[T], *arguments: Any, **options: Any) -> T:
        """Wait as psycopg does, but not longer; raises UnresponsiveError."""
        patience = self.patience
        if patience is None:
            return super().wait(gen, *arguments, **options)
        try:
            return super().wait(_limited(gen, patience.seconds), *arguments, **options)
        except UnresponsiveError:
            patience.spend()
            self.pgconn.finish()  # an answer that comes later belongs to nothing
            raise


def connect(dsn: str, patience: Patience, **parameters: Any) -> LimitedConnection:
    """A connection, made and used within a time limit; of each address of the server, if it has several.

    The shortest time to connect is 2 seconds, as in libpq. Raises psycopg.OperationalError, of which UnresponsiveError
    is a kind.
    """
    if patience.is_spent:
        raise UnresponsiveError("the server did not answer a moment ago")
    try:
        connection = LimitedConnection.connect(dsn, connect_timeout=max(2, int(patience.seconds)), **parameters)
    except psycopg.errors.ConnectionTimeout:
        patience.spend()
        raise
    connection.patience = patience
    return connection


def engine_of(url: URL, patience: Patience, **options: Any) -> Engine:
    """An engine each of whose waits is limited."""
    engine = create_engine(
        url,
        connect_args={
            "prepare_threshold": None,  # a connection pooler may change the session between transactions
            # Detect a server that disappears without closing its connections.
            "keepalives_idle": 10,
            "keepalives_interval": 2,
            "keepalives_count": 3,
            "tcp_user_timeout": round(1000 * patience.seconds),
        },
        pool_pre_ping=True,  # discards connections from before a restart of the database
        **options,
    )
    milliseconds = round(1000 * SERVERS_SHARE * patience.seconds)

    @event.listens_for(engine, "do_connect")
    def open_limited(_dialect: object, _record: object, arguments: Any, parameters: Any) -> LimitedConnection:
        return connect("".join(arguments), patience, **parameters)

    @event.listens_for(engine, "connect")
    def limit(connection: Any, _record: object) -> None:
        connection.execute(f"SET lock_timeout = {milliseconds}")
        connection.execute(f"SET statement_timeout = {milliseconds}")
        connection.commit()

    return engine


def lift_limits(connection: Any) -> None:
    """Let a SQLAlchemy connection take the time it needs, for a migration or a command of the operator.

    For its current transaction the server's limits are lifted; the client's for as long as the connection exists.
    """
    connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
    connection.exec_driver_sql("SET LOCAL lock_timeout = 60000")
    connection.connection.driver_connection.patience = None


def _limited(steps: PQGen[T], seconds: float) -> PQGen[T]:
    """The same steps of libpq, until `seconds` have passed; psycopg asks at least ten times a second."""
    deadline = time.monotonic() + seconds
    try:
        wanted = next(steps)
        while True:
            ready = yield wanted
            if ready == Ready.NONE and time.monotonic() > deadline:
                raise UnresponsiveError(f"the server did not answer within {seconds:g} seconds")
            wanted = steps.send(ready)
    except StopIteration as end:
        result: T = end.value
        return result
