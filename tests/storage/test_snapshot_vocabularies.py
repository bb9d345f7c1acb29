"""Vocabularies of snapshots: stored with them, private, and deleted with the last snapshot that needs them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from threading import Thread

import pytest

from tests.storage.conftest import snapshot
from webapp.storage import RemovedSnapshotError, ShareReceipt, Storage, StorageFullError, VocabularyFile, snapshots

FILE = VocabularyFile(sha256(b"low\n").hexdigest(), "dictionary", ("fmm",), 1, b"low\n")
TOMORROW = datetime.now(UTC) + timedelta(days=1)


def share(storage: Storage, text: str = "low", expires: datetime | None = None, **bound: int) -> ShareReceipt:
    shown = snapshot(text, vocabulary_hash=FILE.hash)
    return storage.snapshots.share(shown, expires=expires, vocabulary=FILE, **bound)


def is_stored(storage: Storage) -> bool:
    """Tell whether the file is stored; if it is, it must be intact."""
    try:
        return storage.vocabularies.content(FILE.hash) == (FILE.content, None)
    except KeyError:
        assert storage.vocabularies.total_bytes() == 0
        return False


def is_public(storage: Storage) -> bool:
    """Tell whether the file is found by the name that an upload would have."""
    found = storage.vocabularies.find(FILE.hash[:16])
    if found is None:
        with pytest.raises(KeyError):
            storage.vocabularies.content(FILE.hash[:16])
        return False
    return storage.vocabularies.content(FILE.hash[:16]) == (FILE.content, None)


def test_it_is_stored_without_a_public_name(storage: Storage) -> None:
    share(storage)
    assert is_stored(storage)
    assert storage.vocabularies.total_bytes() > 0
    assert not is_public(storage)


def test_it_is_deleted_with_the_last_snapshot_that_needs_it(storage: Storage) -> None:
    first, again, other = share(storage), share(storage), share(storage, "lower")
    for shared in (first, other, again):
        assert is_stored(storage)
        assert storage.snapshots.delete(shared.id, shared.secret)
    assert not is_stored(storage)
    share(storage)
    assert is_stored(storage)


def test_it_is_deleted_with_a_snapshot_that_the_operator_removes(storage: Storage) -> None:
    assert storage.snapshots.remove(share(storage).id)
    assert not is_stored(storage)
    with pytest.raises(RemovedSnapshotError):
        share(storage)
    assert not is_stored(storage)


def test_it_is_deleted_with_a_snapshot_that_expires(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = [share(storage, text, expires=TOMORROW).id for text in ("low", "lower")]
    monkeypatch.setattr(snapshots, "_now", lambda: datetime.now(UTC) + timedelta(days=2))
    storage.snapshots.get(ids[0])  # deletes what has expired
    assert not is_stored(storage)


def test_uploads_are_public_and_permanent(storage: Storage) -> None:
    shared = share(storage)
    storage.vocabularies.put(FILE, most_bytes=0)  # takes no additional space
    assert is_public(storage)
    storage.snapshots.delete(shared.id, shared.secret)
    assert is_public(storage)


def test_a_snapshot_of_an_upload_leaves_the_upload_unchanged(storage: Storage) -> None:
    storage.vocabularies.put(FILE)
    shared = share(storage, most_bytes=0)
    assert is_public(storage)
    storage.snapshots.delete(shared.id, shared.secret)
    assert is_public(storage)


def test_a_full_store_keeps_neither_snapshot_nor_vocabulary(storage: Storage) -> None:
    with pytest.raises(StorageFullError):
        share(storage, most_bytes=1)
    assert not is_stored(storage)
    with storage.database.read() as connection:
        for table in ("snapshots", "claims"):
            assert connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar() == 0
    assert share(storage, most_bytes=1_000).new
    assert share(storage, "lower", most_bytes=1).new  # it is already stored


def test_sharing_during_a_deletion_keeps_the_vocabulary(storage: Storage) -> None:
    failed: list[Exception] = []

    def visitor(change: Callable[[ShareReceipt], None], name: str) -> None:
        try:
            for number in range(8):
                shared = share(storage, f"{name} {number}")
                if not is_stored(storage):
                    raise AssertionError("it is shared, and its vocabulary is not there")
                change(shared)
        except Exception as error:
            failed.append(error)

    def delete(shared: ShareReceipt) -> None:
        assert storage.snapshots.delete(shared.id, shared.secret)

    def remove(shared: ShareReceipt) -> None:
        assert storage.snapshots.remove(shared.id)

    changes = [delete, remove, delete, remove]
    threads = [Thread(target=visitor, args=(change, f"{place}")) for place, change in enumerate(changes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert not is_stored(storage)
