"""The queue in SQLite, in PostgreSQL and in Redis: ids go in, ids come out, whoever else listens."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tests.redis_server import RedisServer
from webapp.jobs.queue import Queue, QueueError
from webapp.storage.engine import url_of

IDS = [f"job-{number:018}" for number in range(5)]


def exchange(sender: Queue, receiver: Queue) -> list[str]:
    """Put the ids into one queue, and read them from the other."""
    came: list[str] = []
    done = threading.Event()

    def run(id: str) -> None:
        came.append(id)
        if len(came) == len(IDS):
            done.set()

    for id in IDS:
        sender.put(id)
    assert not sender.is_empty()
    consumer = receiver.consumer(run, 2)
    for _, thread in consumer.worker_threads:  # not `start`, which sets handlers of signals
        thread.start()
    assert done.wait(20)
    consumer.stop_flag.set()
    for _, thread in consumer.worker_threads:
        thread.join(10)
    assert sender.is_empty()
    return came


def test_ids_pass_through_the_database(database_settings: dict[str, str]) -> None:
    url = url_of(database_settings["DATABASE_URL"], Path(database_settings["DATABASE_FILE"]))
    queues = [Queue(url, "", seconds=5) for _ in range(2)]
    assert sorted(exchange(*queues)) == IDS
    for queue in queues:
        queue.close()


def test_ids_pass_through_redis(tmp_path: Path, redis: RedisServer) -> None:
    url = url_of("", tmp_path / "tokenscope.sqlite")
    queues = [Queue(url, address, seconds=5) for address in (redis.url, redis.url)]
    assert sorted(exchange(*queues)) == IDS
    for queue in queues:
        queue.close()


def test_only_ids_are_in_the_queue_as_json(tmp_path: Path) -> None:
    queue = Queue(url_of("", tmp_path / "tokenscope.sqlite"), "", seconds=5)
    queue.put(IDS[0])
    with closing(sqlite3.connect(tmp_path / "tokenscope-queue.sqlite")) as connection:
        ((task,),) = connection.execute("SELECT data FROM task").fetchall()
    assert bytes(task).startswith(b"[")
    assert IDS[0].encode() in bytes(task)
    queue.close()


def test_an_unreachable_queue_is_one_error(tmp_path: Path) -> None:
    unreachable = [
        Queue(url_of("", tmp_path / "a"), "redis://127.0.0.1:9/0", seconds=1),
        Queue(url_of("postgresql://me@127.0.0.1:9/x", tmp_path), "", seconds=1),
    ]
    for queue in unreachable:
        with pytest.raises(QueueError):
            queue.put(IDS[0])
        with pytest.raises(QueueError):
            queue.is_empty()


def test_a_queue_survives_a_restart_of_postgresql(postgres: object, tmp_path: Path) -> None:
    url = url_of(postgres.empty(), tmp_path)  # type: ignore[attr-defined]
    queue = Queue(url, "", seconds=5)
    queue.put(IDS[0])
    with psycopg.connect(postgres.url, autocommit=True) as connection:  # type: ignore[attr-defined]
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
            "AND backend_type = 'client backend'"
        )
    try:
        queue.put(IDS[1])
    except QueueError:  # the next one has a new connection
        queue.put(IDS[1])
    assert not queue.is_empty()
    queue.close()
