"""Snapshots with several results: their vocabularies are stored with them and deleted with the last that needs them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest

from tests.storage.conftest import snapshot
from webapp.storage import ShareReceipt, Snapshot, Storage, StorageFullError, VocabularyFile
from webapp.storage.packing import pack, unpack


def file(word: str) -> VocabularyFile:
    content = f"{word}\n".encode()
    return VocabularyFile(sha256(content).hexdigest(), "dictionary", ("fmm",), 1, content)


LOW, HIGH, WIDE = map(file, ("low", "high", "wide"))


def comparison(*files: VocabularyFile, text: str = "low lower") -> Snapshot:
    rows = [snapshot(text, vocabulary_hash=each.hash, vocabulary_size=1) for each in files]
    state = {"kind": "comparison", "rows": [row.state for row in rows]}
    return Snapshot(text, state, (), (), (), {}, decoded=text, rows=tuple(rows))


def share(storage: Storage, *files: VocabularyFile, expires: datetime | None = None, **bound: int) -> ShareReceipt:
    return storage.snapshots.share(comparison(*files), expires=expires, others=files, **bound)


def stored_files(storage: Storage) -> list[VocabularyFile]:
    found = []
    for each in (LOW, HIGH, WIDE):
        try:
            assert storage.vocabularies.content(each.hash) == (each.content, None)
        except KeyError:
            continue
        found.append(each)
    return found


def test_a_comparison_is_stored_and_read_back(storage: Storage) -> None:
    shown = comparison(LOW, HIGH)
    assert unpack(pack(shown)) == shown
    stored = storage.snapshots.get(share(storage, LOW, HIGH).id)
    assert stored is not None
    assert stored.snapshot == shown


def test_each_vocabulary_is_deleted_with_the_last_snapshot_that_needs_it(storage: Storage) -> None:
    one, other = share(storage, LOW, HIGH), share(storage, HIGH, WIDE)
    alone = storage.snapshots.share(snapshot("low", vocabulary_hash=WIDE.hash), expires=None, vocabulary=WIDE)
    assert stored_files(storage) == [LOW, HIGH, WIDE]
    assert not storage.vocabularies.delete(HIGH.hash)
    assert storage.snapshots.delete(one.id, one.secret)
    assert stored_files(storage) == [HIGH, WIDE]
    assert storage.snapshots.remove(other.id)
    assert stored_files(storage) == [WIDE]
    assert storage.snapshots.delete(alone.id, alone.secret)
    assert stored_files(storage) == []


def test_an_uploaded_vocabulary_stays(storage: Storage) -> None:
    storage.vocabularies.put(LOW)
    shared = share(storage, LOW, HIGH, LOW)
    assert storage.snapshots.delete(shared.id, shared.secret)
    assert stored_files(storage) == [LOW]


def test_all_vocabularies_or_none_are_stored(storage: Storage) -> None:
    with pytest.raises(StorageFullError):
        share(storage, LOW, HIGH, most_bytes=len(LOW.packed[0]) + 1)
    assert stored_files(storage) == []
    assert storage.snapshots.get("2" * 9) is None
    assert share(storage, LOW, HIGH).new


def test_sharing_again_after_deletion_or_expiry_restores_the_vocabularies(storage: Storage) -> None:
    soon = share(storage, LOW, HIGH, expires=datetime.now(UTC) + timedelta(days=1))
    assert storage.snapshots.delete(soon.id, soon.secret)
    again = share(storage, LOW, HIGH)
    assert again.id == soon.id
    assert stored_files(storage) == [LOW, HIGH]
    over = share(storage, HIGH, WIDE, expires=datetime.now(UTC) - timedelta(days=1))
    once_more = share(storage, HIGH, WIDE)
    assert once_more.id == over.id
    assert stored_files(storage) == [LOW, HIGH, WIDE]
