"""Vocabularies of snapshots and comparisons: stored with them, private, and deleted with the last that needs them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from threading import Thread

import pytest

from tests.storage.conftest import snapshot
from webapp.storage import RemovedSnapshotError, ShareReceipt, Snapshot, Storage, StorageFullError, VocabularyFile
from webapp.storage.packing import pack, unpack

NOW = datetime.now(UTC)


def file(word: str) -> VocabularyFile:
    content = f"{word}\n".encode()
    return VocabularyFile(sha256(content).hexdigest(), "dictionary", ("fmm",), 1, content)


LOW, HIGH, WIDE = map(file, ("low", "high", "wide"))


def comparison(*files: VocabularyFile, text: str) -> Snapshot:
    rows = [snapshot(text, vocabulary_hash=each.hash, vocabulary_size=1) for each in files]
    state = {"kind": "comparison", "rows": [row.state for row in rows]}
    return Snapshot(text, state, (), (), (), {}, decoded=text, rows=tuple(rows))


def share(
    storage: Storage, *files: VocabularyFile, text: str = "low", expires: datetime | None = None, **bound: int
) -> ShareReceipt:
    """Share a result with one vocabulary, or a comparison of several."""
    if len(files) > 1:
        return storage.snapshots.share(comparison(*files, text=text), expires=expires, others=files, **bound)
    shown = snapshot(text, vocabulary_hash=files[0].hash)
    return storage.snapshots.share(shown, expires=expires, vocabulary=files[0], **bound)


def stored(storage: Storage) -> list[VocabularyFile]:
    """The files that are stored; they must be intact, and nothing else may take space."""
    found = []
    for each in (LOW, HIGH, WIDE):
        try:
            assert storage.vocabularies.content(each.hash) == (each.content, None)
        except KeyError:
            continue
        found.append(each)
    assert (storage.vocabularies.total_bytes() > 0) == bool(found)
    return found


def is_public(storage: Storage) -> bool:
    """Tell whether the file is found by the name that an upload would have."""
    found = storage.vocabularies.find(LOW.hash[:16])
    if found is None:
        with pytest.raises(KeyError):
            storage.vocabularies.content(LOW.hash[:16])
        return False
    return storage.vocabularies.content(LOW.hash[:16]) == (LOW.content, None)


def test_a_comparison_is_stored_and_read_back(storage: Storage) -> None:
    shown = comparison(LOW, HIGH, text="low lower")
    assert unpack(pack(shown)) == shown
    kept = storage.snapshots.get(share(storage, LOW, HIGH, text="low lower").id)
    assert kept is not None
    assert kept.snapshot == shown


def test_each_is_deleted_with_the_last_that_needs_it(storage: Storage) -> None:
    one, other, alone = share(storage, LOW, HIGH), share(storage, HIGH, WIDE), share(storage, WIDE)
    again = share(storage, LOW, HIGH)
    assert stored(storage) == [LOW, HIGH, WIDE]
    assert not is_public(storage)
    assert not storage.vocabularies.delete(HIGH.hash)
    assert storage.snapshots.delete(one.id, one.secret)
    assert stored(storage) == [LOW, HIGH, WIDE]
    assert storage.snapshots.delete(again.id, again.secret)
    assert stored(storage) == [HIGH, WIDE]
    assert storage.snapshots.remove(other.id)
    assert stored(storage) == [WIDE]
    with pytest.raises(RemovedSnapshotError):
        share(storage, HIGH, WIDE)
    assert storage.snapshots.delete(alone.id, alone.secret)
    assert stored(storage) == []


def test_sharing_again_after_deletion_or_expiry_restores_them(storage: Storage) -> None:
    soon = share(storage, LOW, HIGH, expires=NOW + timedelta(days=1))
    assert storage.snapshots.delete(soon.id, soon.secret)
    assert share(storage, LOW, HIGH).id == soon.id
    assert stored(storage) == [LOW, HIGH]
    over = share(storage, WIDE, expires=NOW - timedelta(days=1))
    storage.snapshots.get(over.id)  # deletes what has expired
    assert stored(storage) == [LOW, HIGH]
    assert share(storage, WIDE).id == over.id
    assert stored(storage) == [LOW, HIGH, WIDE]


@pytest.mark.parametrize("uploaded_first", [False, True])
def test_uploads_are_public_and_stay(storage: Storage, uploaded_first: bool) -> None:
    if uploaded_first:
        storage.vocabularies.put(LOW)
    shared = share(storage, LOW, **({"most_bytes": 0} if uploaded_first else {}))
    assert is_public(storage) == uploaded_first
    storage.vocabularies.put(LOW, most_bytes=0)  # takes no additional space
    storage.snapshots.delete(shared.id, shared.secret)
    assert is_public(storage)


def test_a_full_store_keeps_neither_snapshot_nor_vocabularies(storage: Storage) -> None:
    for files, most_bytes in (((LOW,), 1), ((LOW, HIGH), len(LOW.packed[0]) + 1)):
        with pytest.raises(StorageFullError):
            share(storage, *files, most_bytes=most_bytes)
        assert stored(storage) == []
    with storage.database.read() as connection:
        for table in ("snapshots", "claims"):
            assert connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar() == 0
    assert share(storage, LOW, most_bytes=1_000).new
    assert share(storage, LOW, text="lower", most_bytes=1).new  # it is already stored


def test_sharing_during_a_deletion_keeps_the_vocabulary(storage: Storage) -> None:
    failed: list[Exception] = []

    def visitor(change: Callable[[ShareReceipt], bool], name: str) -> None:
        try:
            for number in range(8):
                shared = share(storage, LOW, text=f"{name} {number}")
                assert stored(storage) == [LOW], "it is shared, and its vocabulary is not there"
                assert change(shared)
        except (Exception, AssertionError) as error:
            failed.append(error)

    def delete(shared: ShareReceipt) -> bool:
        return storage.snapshots.delete(shared.id, shared.secret)

    def remove(shared: ShareReceipt) -> bool:
        return storage.snapshots.remove(shared.id)

    changes = [delete, remove, delete, remove]
    threads = [Thread(target=visitor, args=(change, f"{place}")) for place, change in enumerate(changes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert stored(storage) == []
