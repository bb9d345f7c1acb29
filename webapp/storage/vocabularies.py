"""Vocabulary files by the hash of their content, each kept once, however many bring it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import zstandard
from sqlalchemy import ColumnElement, Connection, delete, func, insert, select
from sqlalchemy.exc import IntegrityError

from webapp.storage.engine import Database
from webapp.storage.models import SnapshotRow, VocabularyRow

PREFIX = 16  # so many hexadecimal digits of a hash are in a public name


@dataclass(frozen=True)
class VocabularyRecord:
    """What is known of a file without reading it: `size` is the number of its ids, `bytes` counts its companion too."""

    hash: str
    format: str
    algorithms: tuple[str, ...]
    size: int
    bytes: int
    created: datetime


class NoRoomError(Exception):
    """There is no room for another file: the database has as much as it may have, or its disk is full."""


class VocabularyStore:
    """The vocabulary files of a database. `hash` is a whole SHA-256 in hexadecimal, or the first 16 digits of it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(
        self,
        hash: str,
        *,
        format: str,
        algorithms: Sequence[str],
        size: int,
        content: bytes,
        companion: bytes | None = None,
        most_bytes: int | None = None,
    ) -> None:
        """Keep a file under its whole hash; one that is there already stays as it is.

        Raises NoRoomError where all files together would take more than `most_bytes`, compressed as they are.
        """
        if self.find(hash) is not None:
            return
        kept = zstandard.compress(content)
        kept_companion = None if companion is None else zstandard.compress(companion)
        bytes = len(kept) + len(kept_companion or b"")
        row = insert(VocabularyRow).values(
            hash=hash,
            prefix=hash[:PREFIX],
            format=format,
            algorithms=" ".join(algorithms),
            size=size,
            original_bytes=len(content) + len(companion or b""),
            stored_bytes=bytes,
            created=datetime.now(UTC),
            content=kept,
            companion=kept_companion,
        )
        try:
            with self._database.write() as connection:
                if most_bytes is not None and _total_bytes(connection) + bytes > most_bytes:
                    raise NoRoomError
                connection.execute(row)
        except IntegrityError:  # somebody brought the same a moment ago
            return

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
        needed = select(SnapshotRow.id).where(SnapshotRow.vocabulary_hash == hash, SnapshotRow.condition == "kept")
        statement = delete(VocabularyRow).where(VocabularyRow.hash == hash, ~needed.exists())
        with self._database.write() as connection:
            return connection.execute(statement).rowcount > 0


def _total_bytes(connection: Connection) -> int:
    return int(connection.scalar(select(func.sum(VocabularyRow.stored_bytes))) or 0)


def _named(hash: str) -> ColumnElement[bool]:
    """Those that a whole hash or its beginning names; of two with the same beginning the first one counts."""
    return VocabularyRow.prefix == hash if len(hash) == PREFIX else VocabularyRow.hash == hash
