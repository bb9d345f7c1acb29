"""Vocabulary files: each content stored once, found by its hash or a prefix of it."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pytest
from sqlalchemy import text

from tests.storage.conftest import snapshot
from webapp.storage import Storage, StorageFullError, VocabularyFile
from webapp.storage.engine import Database

WORDS = "\n".join(map(str, range(10_000))).encode()
HASH = sha256(WORDS).hexdigest()


def put(storage: Storage, content: bytes = WORDS, companion: bytes | None = None, most_bytes: int | None = None) -> str:
    hash = sha256(content).hexdigest()
    file = VocabularyFile(hash, "dictionary", ("fmm", "bmm"), 10_000, content, companion)
    storage.vocabularies.put(file, most_bytes=most_bytes)
    return hash


def test_a_file_is_found_by_its_hash_and_by_a_prefix_of_it(storage: Storage) -> None:
    assert storage.vocabularies.find(HASH) is None
    put(storage)
    for hash in (HASH, HASH[:16]):
        record = storage.vocabularies.find(hash)
        assert record is not None
        assert (record.hash, record.format, record.algorithms) == (HASH, "dictionary", ("fmm", "bmm"))
        assert (record.size, record.bytes) == (10_000, len(WORDS))
        assert storage.vocabularies.content(hash) == (WORDS, None)
    assert storage.vocabularies.find(HASH[:15]) is None


def test_a_companion_file_is_stored_with_it(storage: Storage) -> None:
    hash = put(storage, b'{"low": 0}', b"l o\n\0")
    assert storage.vocabularies.content(hash) == (b'{"low": 0}', b"l o\n\0")
    empty = put(storage, b"", b"")
    assert storage.vocabularies.content(empty) == (b"", b"")


def test_it_is_stored_once_and_compressed(storage: Storage) -> None:
    put(storage)
    once = storage.vocabularies.total_bytes()
    assert 0 < once < len(WORDS) / 2
    put(storage)
    assert storage.vocabularies.total_bytes() == once


def test_many_clients_store_the_same_file_at_once(storage: Storage) -> None:
    with ThreadPoolExecutor(6) as clients:
        list(clients.map(lambda _: put(storage), range(12)))
    assert storage.vocabularies.content(HASH) == (WORDS, None)


def test_a_large_file_is_stored(storage: Storage) -> None:
    content = os.urandom(8_000_000)
    hash = put(storage, content)
    assert storage.vocabularies.content(hash) == (content, None)


def test_all_files_together_have_a_limit(storage: Storage) -> None:
    put(storage, most_bytes=len(WORDS))
    with pytest.raises(StorageFullError):
        put(storage, os.urandom(len(WORDS)), most_bytes=len(WORDS))
    put(storage, most_bytes=1)  # it is already stored and takes no additional space
    assert storage.vocabularies.content(HASH) == (WORDS, None)


def test_missing_and_damaged_files_raise_errors(database: Database, storage: Storage) -> None:
    with pytest.raises(KeyError):
        storage.vocabularies.content(HASH)
    put(storage)
    with database.write() as connection:
        connection.execute(text("UPDATE vocabularies SET content = :content"), {"content": b"\x28\xb5\x2f\xfd!"})
    with pytest.raises(ValueError, match="cannot be decompressed"):
        storage.vocabularies.content(HASH)


def test_it_is_not_deleted_while_a_snapshot_needs_it(storage: Storage) -> None:
    put(storage)
    shared = storage.snapshots.share(snapshot(vocabulary_hash=HASH), expires=None)
    assert not storage.vocabularies.delete(HASH)
    assert storage.vocabularies.find(HASH) is not None
    storage.snapshots.delete(shared.id, shared.secret)
    assert storage.vocabularies.delete(HASH)
    assert not storage.vocabularies.delete(HASH)
    assert storage.vocabularies.find(HASH) is None
