"""Vocabulary files by the hash of their content, each kept once, however many bring it.

Some were uploaded: whoever knows the name can use them, and they stay. The others are kept for snapshots alone, found
by nobody else, and go with the last snapshot that needs them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

import zstandard
from sqlalchemy import ColumnElement, Connection, and_, bindparam, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from webapp.storage.engine import Database, UnavailableStorageError
from webapp.storage.tables import NeedRow, SnapshotRow, VocabularyRow

PREFIX = 16  # so many hexadecimal digits of a hash are in a public name
ATTEMPTS = 5  # at what others are keeping at the same moment

# Made once: making a query takes as long as asking it. Locked for a snapshot, it stays there while others lock it, too.
_MARK = select(VocabularyRow.uploaded).where(VocabularyRow.hash == bindparam("hash"))
_LOCKED_TO_NEED = _MARK.with_for_update(read=True, key_share=True)
_LOCKED_TO_UPLOAD = _MARK.with_for_update(key_share=True)


@dataclass(frozen=True)
class VocabularyFile:
    """A file on its way here, and what is known of it without reading it; `hash` is a whole SHA-256 in hexadecimal."""

    hash: str
    format: str
    algorithms: Sequence[str]
    size: int
    content: bytes
    companion: bytes | None = None

    @cached_property
    def packed(self) -> tuple[bytes, bytes | None]:
        """Both parts, compressed."""
        return zstandard.compress(self.content), None if self.companion is None else zstandard.compress(self.companion)

    def prepare(self, database: Database) -> bool:
        """Compress what is not there yet, before others have to wait for it; whether somebody has uploaded it."""
        with database.read() as connection:
            uploaded = connection.scalar(_MARK, {"hash": self.hash})
        if uploaded is None:
            self.packed  # noqa: B018
        return bool(uploaded)


@dataclass(frozen=True)
class VocabularyRecord:
    """What is known of a file without reading it: `size` is the number of its ids, `bytes` counts its companion too."""

    hash: str
    format: str
    algorithms: tuple[str, ...]
    size: int
    bytes: int
    created: datetime


class StorageFullError(Exception):
    """There is no room for another file: the database has as much as it may have, or its disk is full."""


class VocabularyStore:
    """The vocabulary files of a database.

    `hash` is a whole SHA-256 in hexadecimal, or the first 16 digits of it: these find what was uploaded, and nothing
    that is kept for snapshots alone.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, file: VocabularyFile, *, most_bytes: int | None = None) -> None:
        """Keep a file that somebody uploads; one that is there already stays as it is, for everybody from now on.

        Raises NoRoomError where all files together would take more than `most_bytes`, compressed as they are.
        """
        if file.prepare(self._database):
            return
        for _attempt in range(ATTEMPTS):
            try:
                with self._database.write() as connection:
                    store_file(connection, file, uploaded=True, most_bytes=most_bytes)
            except IntegrityError:  # somebody brought the same a moment ago
                continue
            return
        raise UnavailableStorageError("locked", "others keep bringing the same")

    def find(self, hash: str) -> VocabularyRecord | None:
        """What is known of a file; None where there is none."""
        columns = (
            VocabularyRow.hash,
            VocabularyRow.format,
            VocabularyRow.algorithms,
            VocabularyRow.size,
            VocabularyRow.original_bytes,
            VocabularyRow.created,
        )
        with self._database.read() as connection:
            row = connection.execute(select(*columns).where(_named(hash)).order_by(VocabularyRow.created)).first()
        if row is None:
            return None
        return VocabularyRecord(
            hash=row.hash,
            format=row.format,
            algorithms=tuple(row.algorithms.split()),
            size=row.size,
            bytes=row.original_bytes,
            created=row.created,
        )

    def content(self, hash: str) -> tuple[bytes, bytes | None]:
        """The file and its companion as they came.

        Raises KeyError where there is none of that hash, ValueError where what was kept is damaged.
        """
        wanted = select(VocabularyRow.content, VocabularyRow.companion).where(_named(hash))
        with self._database.read() as connection:
            row = connection.execute(wanted.order_by(VocabularyRow.created)).first()
        if row is None:
            raise KeyError(hash)
        try:
            return zstandard.decompress(row.content), row.companion and zstandard.decompress(row.companion)
        except zstandard.ZstdError as error:
            raise ValueError("what was kept cannot be unpacked") from error

    def total_bytes(self) -> int:
        """What all files take in the database, compressed as they are."""
        with self._database.read() as connection:
            return _total_bytes(connection)

    def delete(self, hash: str) -> bool:
        """Delete a file, by its whole hash; False where there is none, or where a snapshot needs it."""
        with self._database.write() as connection:
            return _deleted(connection, hash, VocabularyRow.hash == hash)


def store_file(connection: Connection, file: VocabularyFile, *, uploaded: bool, most_bytes: int | None = None) -> None:
    """Keep a file in a transaction of the caller's: it is there when that ends, whoever deletes it meanwhile.

    Raises NoRoomError, as `VocabularyStore.put` does, and IntegrityError where somebody else brings it just now.
    """
    row = connection.execute(_LOCKED_TO_UPLOAD if uploaded else _LOCKED_TO_NEED, {"hash": file.hash}).first()
    if row is not None:
        if uploaded and not row.uploaded:
            connection.execute(update(VocabularyRow).where(VocabularyRow.hash == file.hash).values(uploaded=True))
        return
    content, companion = file.packed
    bytes = len(content) + len(companion or b"")
    if most_bytes is not None and _total_bytes(connection) + bytes > most_bytes:
        raise StorageFullError
    connection.execute(
        insert(VocabularyRow).values(
            hash=file.hash,
            prefix=file.hash[:PREFIX],
            format=file.format,
            algorithms=" ".join(file.algorithms),
            size=file.size,
            original_bytes=len(file.content) + len(file.companion or b""),
            stored_bytes=bytes,
            created=datetime.now(UTC),
            uploaded=uploaded,
            content=content,
            companion=companion,
        )
    )


def delete_unneeded(connection: Connection, hashes: Iterable[str]) -> None:
    """Delete those files that nobody uploaded and no snapshot needs any more, in a transaction of the caller's."""
    for hash in sorted(hashes):  # in one order: two that delete the same never wait for each other
        _deleted(connection, hash, and_(VocabularyRow.hash == hash, ~VocabularyRow.uploaded))


def _deleted(connection: Connection, hash: str, condition: ColumnElement[bool]) -> bool:
    # Locked first, and asked afterwards: a snapshot that is being shared meanwhile is seen when it is there.
    if connection.execute(select(VocabularyRow.hash).where(condition).with_for_update()).first() is None:
        return False
    statement = delete(VocabularyRow).where(VocabularyRow.hash == hash, ~_needed(hash))
    return connection.execute(statement).rowcount > 0


def _needed(hash: str) -> ColumnElement[bool]:
    own = select(SnapshotRow.id).where(SnapshotRow.vocabulary_hash == hash, SnapshotRow.condition == "kept").exists()
    return own | select(NeedRow.snapshot_id).where(NeedRow.vocabulary_hash == hash).exists()


def _total_bytes(connection: Connection) -> int:
    return int(connection.scalar(select(func.sum(VocabularyRow.stored_bytes))) or 0)


def _named(hash: str) -> ColumnElement[bool]:
    """What a whole hash names, or its beginning, a public name: of uploads alone, and of two the first one counts."""
    if len(hash) == PREFIX:
        return and_(VocabularyRow.prefix == hash, VocabularyRow.uploaded)
    return VocabularyRow.hash == hash
