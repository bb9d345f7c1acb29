"""The totals of snapshots and vocabularies: equal to what is stored, whatever happened, and a limit that holds."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import delete, func, select, update

from tests.storage.conftest import snapshot
from webapp.storage import Storage, StorageFullError, Total, VocabularyFile
from webapp.storage.engine import Database
from webapp.storage.tables import SnapshotRow, TotalRow, VocabularyRow

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def counted(database: Database) -> tuple[Total, Total]:
    """Return what the rows of snapshots and vocabularies add up to."""
    with database.read() as connection:
        size = func.coalesce(func.sum(func.length(SnapshotRow.content)), 0)
        snapshots = connection.execute(select(func.count(SnapshotRow.content), size)).one()
        size = func.coalesce(func.sum(func.length(VocabularyRow.content)), 0)
        vocabularies = connection.execute(select(func.count(), size).select_from(VocabularyRow)).one()
    return Total(*map(int, snapshots)), Total(*map(int, vocabularies))


def totals(database: Database) -> tuple[Total, Total]:
    """Return the stored totals."""
    with database.read() as connection:
        rows = {kind: Total(count, bytes) for kind, count, bytes in connection.execute(select(*TotalRow.__table__.c))}
    return rows["snapshots"], rows["vocabularies"]


def file_of(name: str) -> VocabularyFile:
    """Return a file whose hash is like `name`."""
    return VocabularyFile(name * 64, "a list", ("fmm",), 2, f"{name}\n".encode() * 50)


def test_totals_equal_what_is_stored(storage: Storage, database: Database) -> None:
    first = storage.snapshots.share(
        snapshot("a" * 500, vocabulary_hash="a" * 64), expires=None, vocabulary=file_of("a")
    )
    second = storage.snapshots.share(snapshot("b"), expires=datetime.now(UTC) + timedelta(days=1))
    storage.snapshots.share(snapshot("b"), expires=None)  # again
    storage.vocabularies.put(file_of("b"))
    assert storage.snapshots.total() == totals(database)[0] == counted(database)[0]
    assert totals(database) == counted(database)
    assert totals(database)[0].count == 2
    storage.snapshots.delete(first.id, first.secret)  # and its vocabulary
    assert totals(database) == counted(database)
    storage.snapshots.remove(second.id)
    assert totals(database) == counted(database)
    assert totals(database)[0] == Total(0, 0)
    storage.vocabularies.delete("b" * 64)
    assert totals(database)[1] == Total(0, 0)


def test_an_expired_snapshot_that_is_shared_again_counts_once(storage: Storage, database: Database) -> None:
    storage.snapshots.share(snapshot("c"), expires=None)
    with database.write() as connection:
        connection.execute(update(SnapshotRow).values(expires=LONG_AGO))
    storage.snapshots.share(snapshot("c"), expires=None)
    assert totals(database)[0] == counted(database)[0]
    assert totals(database)[0].count == 1


def test_a_missing_total_is_counted_again(storage: Storage, database: Database) -> None:
    storage.snapshots.share(snapshot("a"), expires=None, vocabulary=file_of("a"))
    with database.write() as connection:
        connection.execute(delete(TotalRow))
    assert storage.snapshots.total() == counted(database)[0]
    storage.snapshots.share(snapshot("b"), expires=None, vocabulary=file_of("b"))
    assert totals(database) == counted(database)
    assert totals(database)[0].count == 2


def test_beyond_the_limit_nothing_is_stored_and_the_operator_learns_what_to_do(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    limited = Storage(database, most_snapshot_bytes=300)
    kept = limited.snapshots.share(snapshot("short"), expires=None)
    with caplog.at_level(logging.ERROR), pytest.raises(StorageFullError) as full:
        limited.snapshots.share(snapshot("".join(map(chr, range(1000, 2000)))), expires=None)
    assert full.value.what == "snapshots"
    assert "TOKENSCOPE_MAX_STORED_BYTES" in caplog.text
    assert "flask --app webapp snapshots expire --older-than" in caplog.text
    assert limited.snapshots.total().count == counted(database)[0].count == 1
    assert limited.snapshots.share(snapshot("short"), expires=None).id == kept.id  # nothing more to store
    limited.snapshots.remove(kept.id)
    limited.snapshots.share(snapshot("other"), expires=None)  # there is room again


def test_the_limit_holds_for_concurrent_shares(database: Database) -> None:
    Storage(database).snapshots.share(snapshot("text 99"), expires=None)
    limit = 6 * Storage(database).snapshots.total().bytes
    limited = Storage(database, most_snapshot_bytes=limit)

    def share(number: int) -> bool:
        try:
            limited.snapshots.share(snapshot(f"text {number:02}"), expires=None)
        except StorageFullError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        shared = list(pool.map(share, range(24)))
    assert any(shared)
    assert not all(shared)
    assert counted(database)[0] == totals(database)[0]
    assert limit * 0.75 < counted(database)[0].bytes <= limit
