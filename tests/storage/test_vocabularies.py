"""Vocabulary files: stored once, found by their hash; those of snapshots are private and deleted with the last one."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest
from sqlalchemy import text

from tests.storage.conftest import snapshot, totals
from webapp.storage import RemovedSnapshotError, ShareReceipt, Snapshot, Storage, StorageFullError, VocabularyFile
from webapp.storage.engine import Database
from webapp.storage.packing import pack, unpack

NOW = datetime.now(UTC)
WORDS = "\n".join(map(str, range(10_000))).encode()


def file(content: bytes, companion: bytes | None = None) -> VocabularyFile:
    return VocabularyFile(sha256(content).hexdigest(), "dictionary", ("fmm", "bmm"), 1, content, companion)


HASH = file(WORDS).hash
LOW, HIGH, WIDE = map(file, (b"low\n", b"high\n", b"wide\n"))


@pytest.mark.parametrize(
    ("content", "companion"),
    [(WORDS, None), (b'{"low": 0}', b"l o\n\0"), (b"", b""), (os.urandom(8_000_000), None)],
    ids=["words", "companion", "empty", "large"],
)
def test_a_file_is_found_by_its_hash_and_by_a_prefix_of_it(
    storage: Storage, content: bytes, companion: bytes | None
) -> None:
    given = file(content, companion)
    assert storage.vocabularies.find(given.hash) is None
    storage.vocabularies.put(given)
    for hash in (given.hash, given.hash[:16]):
        record = storage.vocabularies.find(hash)
        assert record is not None
        assert (record.hash, record.format, record.algorithms) == (given.hash, "dictionary", "fmm bmm")
        assert (record.size, record.original_bytes) == (1, len(content) + len(companion or b""))
        assert storage.vocabularies.content(hash) == (content, companion)
    assert storage.vocabularies.find(given.hash[:15]) is None


def test_it_is_stored_once_and_compressed_within_a_limit(storage: Storage) -> None:
    with ThreadPoolExecutor(6) as clients:
        list(clients.map(lambda _: storage.vocabularies.put(file(WORDS), most_bytes=len(WORDS)), range(12)))
    count, bytes = totals(storage)["vocabularies"]
    assert count == 1
    assert 0 < bytes < len(WORDS) / 2
    with pytest.raises(StorageFullError):
        storage.vocabularies.put(file(os.urandom(len(WORDS))), most_bytes=len(WORDS))
    storage.vocabularies.put(file(WORDS), most_bytes=1)  # it is already stored and takes no additional space
    assert storage.vocabularies.content(HASH) == (WORDS, None)


def test_missing_and_damaged_files_raise_errors(database: Database, storage: Storage) -> None:
    with pytest.raises(KeyError):
        storage.vocabularies.content(HASH)
    storage.vocabularies.put(file(WORDS))
    with database.write() as connection:
        connection.execute(text("UPDATE vocabularies SET content = :content"), {"content": b"\x28\xb5\x2f\xfd!"})
    with pytest.raises(ValueError, match="cannot be decompressed"):
        storage.vocabularies.content(HASH)


def share(
    storage: Storage, *files: VocabularyFile, text: str = "low", expires: datetime | None = None, **bound: int
) -> ShareReceipt:
    """Share a result with one vocabulary, or a comparison of several."""
    rows = tuple(snapshot(text, vocabulary_hash=each.hash, vocabulary_size=1) for each in files)
    if len(files) == 1:
        return storage.snapshots.share(rows[0], expires=expires, vocabulary=files[0], **bound)
    state = {"kind": "comparison", "rows": [row.state for row in rows]}
    shown = Snapshot(text, state, (), (), (), {}, decoded=text, rows=rows)
    assert unpack(pack(shown)) == shown
    return storage.snapshots.share(shown, expires=expires, others=files, **bound)


def stored(storage: Storage) -> list[VocabularyFile]:
    """The files that are stored; they must be intact, and nothing else may take space."""
    found = []
    for each in (LOW, HIGH, WIDE):
        try:
            assert storage.vocabularies.content(each.hash) == (each.content, None)
        except KeyError:
            continue
        found.append(each)
    assert totals(storage)["vocabularies"][0] == len(found)
    return found


def is_public(storage: Storage) -> bool:
    """Tell whether the file is found by the name that an upload would have."""
    found = storage.vocabularies.find(LOW.hash[:16])
    if found is None:
        with pytest.raises(KeyError):
            storage.vocabularies.content(LOW.hash[:16])
        return False
    return storage.vocabularies.content(LOW.hash[:16]) == (LOW.content, None)


def test_each_is_deleted_with_the_last_that_needs_it(storage: Storage) -> None:
    one, other, alone = share(storage, LOW, HIGH), share(storage, HIGH, WIDE), share(storage, WIDE)
    again = share(storage, LOW, HIGH)
    assert stored(storage) == [LOW, HIGH, WIDE]
    assert not is_public(storage)
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
    assert totals(storage)["snapshots"] == (0, 0)


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
        assert totals(storage) == {"snapshots": (0, 0), "vocabularies": (0, 0)}
    with storage.database.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM claims").scalar() == 0
    assert share(storage, LOW, most_bytes=1_000).new
    assert share(storage, LOW, text="lower", most_bytes=1).new  # it is already stored


def test_sharing_during_a_deletion_keeps_the_vocabulary(storage: Storage) -> None:
    changes: list[Callable[[ShareReceipt], bool]] = [
        lambda shared: storage.snapshots.delete(shared.id, shared.secret),
        lambda shared: storage.snapshots.remove(shared.id),
    ] * 2

    def visit(place: int) -> None:
        for number in range(8):
            shared = share(storage, LOW, text=f"{place} {number}")
            assert storage.vocabularies.content(LOW.hash) == (LOW.content, None)
            assert changes[place](shared)

    with ThreadPoolExecutor(4) as visitors:
        list(visitors.map(visit, range(4)))
    assert stored(storage) == []
