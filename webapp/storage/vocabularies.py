"""Stores vocabulary files by the hash of their content, each content once.

Uploaded files are permanent, and anyone who knows the name can use them. Other files belong to snapshots only: they
have no public name, and are deleted with the last snapshot that needs them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

import zstandard
from sqlalchemy import ColumnElement, Connection, Row, and_, bindparam, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from webapp.storage.engine import Database, UnavailableStorageError
from webapp.storage.tables import SnapshotRow, SnapshotVocabularyRow, VocabularyRow
from webapp.storage.totals import Changes

PREFIX = 16  # hexadecimal digits of a hash in a public name
ATTEMPTS = 5  # for a transaction that conflicts with concurrent ones

# Built once: building a query takes as long as executing it. The lock for a snapshot is shared and prevents deletion.
_MARK = select(VocabularyRow.uploaded).where(VocabularyRow.hash == bindparam("hash"))
_LOCKED_TO_NEED = _MARK.with_for_update(read=True, key_share=True)
_LOCKED_TO_UPLOAD = _MARK.with_for_update(key_share=True)


@dataclass(frozen=True)
class VocabularyFile:
    """A file to store, with its description; `hash` is the full SHA-256 in hexadecimal."""

    hash: str
    format: str
    algorithms: Sequence[str]
    size: int
    content: bytes
    companion: bytes | None = None

    @cached_property
    def packed(self) -> tuple[bytes, bytes | None]:
        """The file and its companion, compressed."""
        return zstandard.compress(self.content), None if self.companion is None else zstandard.compress(self.companion)

    def prepare(self, database: Database) -> bool:
        """Compress a new file before the transaction, so that others do not wait for it; True if it is uploaded."""
        with database.read() as connection:
            uploaded = connection.scalar(_MARK, {"hash": self.hash})
        if uploaded is None:
            self.packed  # noqa: B018
        return bool(uploaded)


class VocabularyStore:
    """The vocabulary files of a database.

    `hash` is the full SHA-256 in hexadecimal, or its first 16 digits, which find only uploaded files.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, file: VocabularyFile, *, most_bytes: int | None = None) -> None:
        """Store an uploaded file; one that a snapshot already stores becomes an upload.

        Raises StorageFullError if all files together would exceed `most_bytes` after compression.
        """
        if file.prepare(self._database):
            return
        for _attempt in range(ATTEMPTS):
            try:
                with self._database.write() as connection:
                    changes = Changes()
                    store_file(connection, file, changes, uploaded=True)
                    changes.apply(connection, vocabularies=most_bytes)
            except IntegrityError:  # a concurrent transaction stores the same file
                continue
            return
        raise UnavailableStorageError("locked", "too many concurrent requests store the same file")

    def find(self, hash: str) -> Row[str, str, str, int, int] | None:
        """The full `hash` of a file, its `format`, its `algorithms`, `size` and `original_bytes`; None without one."""
        row = VocabularyRow
        columns = (row.hash, row.format, row.algorithms, row.size, row.original_bytes)
        with self._database.read() as connection:
            return connection.execute(select(*columns).where(_named(hash)).order_by(row.created)).first()

    def content(self, hash: str) -> tuple[bytes, bytes | None]:
        """The original file and its companion.

        Raises KeyError if there is no file with this hash, ValueError if it is damaged.
        """
        wanted = select(VocabularyRow.content, VocabularyRow.companion).where(_named(hash))
        with self._database.read() as connection:
            row = connection.execute(wanted.order_by(VocabularyRow.created)).first()
        if row is None:
            raise KeyError(hash)
        try:
            return zstandard.decompress(row.content), row.companion and zstandard.decompress(row.companion)
        except zstandard.ZstdError as error:
            raise ValueError("the stored file cannot be decompressed") from error

    def has(self, hash: str) -> bool:
        """Whether there is a file with this full hash."""
        with self._database.read() as connection:
            return connection.scalar(_MARK, {"hash": hash}) is not None


def store_file(connection: Connection, file: VocabularyFile, changes: Changes, *, uploaded: bool) -> None:
    """Store a file in the caller's transaction, protected from concurrent deletions; `changes` gets its size.

    Raises IntegrityError if a concurrent transaction stores it.
    """
    row = connection.execute(_LOCKED_TO_UPLOAD if uploaded else _LOCKED_TO_NEED, {"hash": file.hash}).first()
    if row is not None:
        if uploaded and not row.uploaded:
            connection.execute(update(VocabularyRow).where(VocabularyRow.hash == file.hash).values(uploaded=True))
        return
    content, companion = file.packed
    bytes = len(content) + len(companion or b"")
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
    changes.add("vocabularies", bytes)


def delete_unneeded(connection: Connection, hashes: Iterable[str], changes: Changes) -> None:
    """Delete the files that are not uploaded and that no snapshot needs, in the caller's transaction."""
    for hash in sorted(hashes):  # the same order in all transactions, which prevents deadlocks
        delete_file(connection, hash, and_(VocabularyRow.hash == hash, ~VocabularyRow.uploaded), changes)


def delete_file(
    connection: Connection, hash: str, condition: ColumnElement[bool], changes: Changes, *, force: bool = False
) -> bool:
    """Delete a file that fulfils a condition, in the caller's transaction; `changes` gets its size.

    False if there is none, or if a snapshot needs it; with `force`, that does not matter.
    """
    # Lock before checking: otherwise the check would miss a snapshot that is being shared concurrently.
    if connection.execute(select(VocabularyRow.hash).where(condition).with_for_update()).first() is None:
        return False
    statement = delete(VocabularyRow).where(VocabularyRow.hash == hash)
    if not force:
        statement = statement.where(~_needed(hash))
    bytes = connection.scalar(statement.returning(VocabularyRow.stored_bytes))
    if bytes is None:
        return False
    changes.add("vocabularies", -bytes, -1)
    return True


def _needed(hash: str) -> ColumnElement[bool]:
    own = select(SnapshotRow.id).where(SnapshotRow.vocabulary_hash == hash, SnapshotRow.condition == "kept").exists()
    return own | select(SnapshotVocabularyRow.snapshot_id).where(SnapshotVocabularyRow.vocabulary_hash == hash).exists()


def _named(hash: str) -> ColumnElement[bool]:
    """The condition for a file by its full hash, or for an upload by the first digits in its public name."""
    if len(hash) == PREFIX:
        return and_(VocabularyRow.prefix == hash, VocabularyRow.uploaded)
    return VocabularyRow.hash == hash
