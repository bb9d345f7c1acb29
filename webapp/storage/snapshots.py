"""Stores the snapshots of shared results.

Visitors who share the same result get the same link, but each of them gets a claim with its own secret. A claim ends
when its holder deletes it or it expires. The snapshot is deleted with its last claim, so that nobody can break the link
of another visitor.
"""

import logging
import secrets
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Row, Select, bindparam, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from webapp.storage.engine import Database, UnavailableStorageError
from webapp.storage.packing import NOTHING, Snapshot, content_hash, pack, unpack
from webapp.storage.tables import ClaimRow, ReportRow, SnapshotRow, SnapshotVocabularyRow
from webapp.storage.totals import Changes
from webapp.storage.vocabularies import ATTEMPTS, VocabularyFile, delete_unneeded, store_file

log = logging.getLogger(__name__)

Condition = Literal["kept", "expired", "deleted", "removed"]

# Without characters that look alike: 0 and o, 1, i and l.
ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
ID_LENGTH = 14  # 69 random bits
LONGEST_ID = 51  # of links from earlier releases, whose ids were 9 digits or more of the content's hash
LONGEST_REASON = 2_000  # characters
# The interval at which a process that uses snapshots deletes expired ones, in seconds.
SWEEP = 60.0


@dataclass(frozen=True)
class ShareReceipt:
    """The result of sharing. `secret` ends this claim and is not stored; `new`: nobody else has the same link."""

    id: str
    secret: str
    new: bool


@dataclass(frozen=True)
class StoredSnapshot:
    """A snapshot from the database. Unless its condition is "kept", its content has been deleted."""

    id: str
    snapshot: Snapshot
    created: datetime
    expires: datetime | None
    condition: Condition


class RemovedSnapshotError(Exception):
    """The operator has removed the snapshot `id`, and nobody can share the same result again."""

    def __init__(self, id: str) -> None:
        super().__init__(f"snapshot {id} was removed by the operator")
        self.id = id


# Built once: building a query takes as long as executing it.
_HEAD = select(SnapshotRow.condition, SnapshotRow.created, SnapshotRow.expires).where(SnapshotRow.id == bindparam("id"))
_WHOLE = _HEAD.add_columns(SnapshotRow.content)

Head = Row[str, str, datetime | None, str | None, int | None]  # id, condition, end, vocabulary, bytes of its content
# What is read of a snapshot whose row is locked.
LOCKED = (
    SnapshotRow.id,
    SnapshotRow.condition,
    SnapshotRow.expires,
    SnapshotRow.vocabulary_hash,
    func.length(SnapshotRow.content).label("bytes"),
)


class SnapshotStore:
    """The snapshots of a database. Every method raises UnavailableStorageError while the database is unavailable."""

    def __init__(self, database: Database, *, most_bytes: int | None = None) -> None:
        """`most_bytes` is the limit for the content of all snapshots together, after compression."""
        self._database = database
        self._most_bytes = most_bytes
        self._next_sweep = time.monotonic() + SWEEP

    def share(
        self,
        snapshot: Snapshot,
        *,
        expires: datetime | None,
        vocabulary: VocabularyFile | None = None,
        others: Sequence[VocabularyFile] = (),
        most_bytes: int | None = None,
    ) -> ShareReceipt:
        """Store a snapshot until `expires`, or without a limit if that is None. It is on the disk when this returns.

        The same transaction stores its `vocabulary`, or `others`, the vocabularies of its rows, for as long as the
        snapshot exists. A state that was shared before keeps its link and content. Raises RemovedSnapshotError if the
        operator has removed it, StorageFullError if all vocabularies together would exceed `most_bytes` or all
        snapshots their own limit, and ValueError for a state that is not JSON or a time without a time zone.
        """
        if expires is not None and expires.tzinfo is None:
            raise ValueError("the time when a snapshot expires needs a time zone")
        self._sweep()
        hash = content_hash(snapshot)
        content = pack(snapshot)
        # Sorted below: all transactions lock vocabularies in the same order, which prevents deadlocks.
        files = {file.hash: file for file in (*([] if vocabulary is None else [vocabulary]), *others)}
        for file in files.values():
            file.prepare(self._database)
        secret = secrets.token_urlsafe(16)
        for _attempt in range(ATTEMPTS):
            changes = Changes()
            try:
                with self._database.write() as connection:
                    id, new = _store(connection, snapshot, hash, content, expires, changes)
                    for key in sorted(files):  # after the snapshot, in the order in which deletions lock them, too
                        store_file(connection, files[key], changes, uploaded=False)
                    values = {"snapshot_id": id, "secret_hash": _hidden(secret), "created": _now(), "expires": expires}
                    connection.execute(insert(ClaimRow).values(values))
                    changes.apply(connection, snapshots=self._most_bytes, vocabularies=most_bytes)
            except IntegrityError:  # a concurrent transaction shares the same state, or the id is taken
                continue
            return ShareReceipt(id, secret, new)
        raise UnavailableStorageError("locked", "too many concurrent requests share the same result")

    def get(self, id: str) -> StoredSnapshot | None:
        """The snapshot `id`, or its condition if the content is deleted; None if there never was one."""
        return self._found(_WHOLE, id)

    def head(self, id: str) -> StoredSnapshot | None:
        """The snapshot `id` as from `get`, but with empty content.

        Caches check their entries with it: the same id and `created` and the condition "kept" mean the same content.
        """
        return self._found(_HEAD, id)

    def _found(self, query: Select[*tuple[Any, ...]], id: str) -> StoredSnapshot | None:
        if not 0 < len(id) <= LONGEST_ID or not set(id) <= set(ALPHABET):
            return None  # not a valid id
        with self._database.read() as connection:
            row = connection.execute(query, {"id": id}).first()
        if row is None:
            return None
        condition: Condition = row.condition
        if condition == "kept" and row.expires is not None and row.expires <= _now():
            condition, self._next_sweep = "expired", 0.0
        self._sweep()
        whole = query is _WHOLE and condition == "kept"
        return StoredSnapshot(id, unpack(row.content) if whole else NOTHING, row.created, row.expires, condition)

    def delete(self, id: str, secret: str) -> bool:
        """End the claim of `secret`, and delete the snapshot if it was the last one. False for a wrong secret."""
        with self._database.write() as connection:
            row = _locked(connection, SnapshotRow.id == id)
            if row is None:
                return False
            mine = (ClaimRow.snapshot_id == id, ClaimRow.secret_hash == _hidden(secret))
            if not connection.execute(delete(ClaimRow).where(*mine)).rowcount:
                return False
            claims = connection.execute(select(ClaimRow.expires).where(ClaimRow.snapshot_id == id)).scalars().all()
            alive = [expires for expires in claims if expires is None or expires > _now()]
            if alive:
                until = None if None in alive else max(filter(None, alive))
                connection.execute(update(SnapshotRow).where(SnapshotRow.id == id).values(expires=until))
            else:
                empty_snapshots(connection, [row], "deleted")
        return True

    def remove(self, id: str) -> bool:
        """Remove a snapshot permanently, for the operator, regardless of its claims. False if there never was one."""
        with self._database.write() as connection:
            row = _locked(connection, SnapshotRow.id == id)
            if row is None:
                return False
            empty_snapshots(connection, [row], "removed")
        return True

    def report(self, id: str, reason: str) -> None:
        """Store a report about a snapshot for the operator.

        Raises KeyError if there never was such a snapshot, ValueError for a reason longer than `LONGEST_REASON`.
        """
        if len(reason) > LONGEST_REASON:
            raise ValueError(f"a reason may have {LONGEST_REASON} characters, not {len(reason)}")
        # PostgreSQL's text cannot contain NUL, and no database's text can contain lone surrogates.
        clean = reason.replace("\0", "�").encode("utf-8", "replace").decode()
        try:
            with self._database.write() as connection:
                connection.execute(insert(ReportRow).values(snapshot_id=id, reason=clean, created=_now()))
        except IntegrityError:
            raise KeyError(id) from None

    def reports(self) -> Sequence[Row[str, str, datetime]]:
        """The id of the snapshot, `reason` and `created` of each report about one that still exists, oldest first."""
        statement = (
            select(SnapshotRow.id, ReportRow.reason, ReportRow.created)
            .join(SnapshotRow, SnapshotRow.id == ReportRow.snapshot_id)
            .where(SnapshotRow.condition == "kept")
            .order_by(ReportRow.id)
        )
        with self._database.read() as connection:
            return connection.execute(statement).all()

    def dismiss(self, id: str) -> int:
        """Delete the reports about a snapshot, but not the snapshot; the number of deleted reports."""
        with self._database.write() as connection:
            return connection.execute(delete(ReportRow).where(ReportRow.snapshot_id == id)).rowcount

    def _sweep(self) -> None:
        """Delete the content of expired snapshots, at most every `SWEEP` seconds."""
        if time.monotonic() < self._next_sweep:
            return
        self._next_sweep = time.monotonic() + SWEEP
        over = (SnapshotRow.condition == "kept", SnapshotRow.expires <= _now())
        try:
            with self._database.read() as connection:
                if connection.execute(select(SnapshotRow.id).where(*over).limit(1)).first() is None:
                    return
            with self._database.write() as connection:
                # Skip rows that another process is deleting or sharing again.
                rows = select(*LOCKED).where(*over).limit(1_000).with_for_update(skip_locked=True)
                empty_snapshots(connection, connection.execute(rows).all(), "expired")
        except UnavailableStorageError as error:
            log.warning("expired snapshots could not be deleted: %s", error)


def _store(
    connection: Connection, snapshot: Snapshot, hash: str, content: bytes, expires: datetime | None, changes: Changes
) -> tuple[str, bool]:
    """Store a snapshot until `expires` or longer; its id, and whether it is new."""
    row = _locked(connection, SnapshotRow.hash == hash)
    vocabulary = snapshot.state.get("vocabulary_hash")
    fresh = {"condition": "kept", "created": _now(), "expires": expires, "content": content}
    if row is None:
        id = _new_id()
        values = {"id": id, "hash": hash, "vocabulary_hash": vocabulary, **fresh}
        connection.execute(insert(SnapshotRow).values(values))
        _need(connection, id, snapshot)
        changes.add("snapshots", len(content))
        return id, True
    if row.condition == "removed":
        raise RemovedSnapshotError(row.id)
    mine = update(SnapshotRow).where(SnapshotRow.id == row.id)
    if row.condition != "kept" or (row.expires is not None and row.expires <= _now()):
        connection.execute(delete(ClaimRow).where(ClaimRow.snapshot_id == row.id))
        connection.execute(mine.values(fresh))
        _need(connection, row.id, snapshot)
        changes.add("snapshots", len(content) - (row.bytes or 0), 1 if row.bytes is None else 0)
        return row.id, True
    if row.expires is not None and (expires is None or expires > row.expires):
        connection.execute(mine.values(expires=expires))
    return row.id, False


def _need(connection: Connection, id: str, snapshot: Snapshot) -> None:
    """Record the vocabularies that the rows of a snapshot need, which protects them from deletion."""
    connection.execute(delete(SnapshotVocabularyRow).where(SnapshotVocabularyRow.snapshot_id == id))
    hashes = sorted({row.state["vocabulary_hash"] for row in snapshot.rows})
    if hashes:
        connection.execute(
            insert(SnapshotVocabularyRow), [{"snapshot_id": id, "vocabulary_hash": hash} for hash in hashes]
        )


def _locked(connection: Connection, condition: ColumnElement[bool]) -> Head | None:
    """A snapshot's head, locked until the transaction ends."""
    return connection.execute(select(*LOCKED).where(condition).with_for_update()).first()


def empty_snapshots(connection: Connection, rows: Iterable[Head], condition: Condition) -> None:
    """Delete the content and the claims of snapshots, and vocabularies that only they needed."""
    rows = list(rows)
    ids = [row.id for row in rows]
    changes = Changes()
    changes.add("snapshots", -sum(row.bytes or 0 for row in rows), -sum(row.bytes is not None for row in rows))
    connection.execute(delete(ClaimRow).where(ClaimRow.snapshot_id.in_(ids)))
    connection.execute(update(SnapshotRow).where(SnapshotRow.id.in_(ids)).values(condition=condition, content=None))
    theirs = delete(SnapshotVocabularyRow).where(SnapshotVocabularyRow.snapshot_id.in_(ids))
    needed = connection.execute(theirs.returning(SnapshotVocabularyRow.vocabulary_hash)).scalars()
    vocabularies = {*(row.vocabulary_hash for row in rows), *needed}
    delete_unneeded(connection, filter(None, vocabularies), changes)
    changes.apply(connection)


def _new_id() -> str:
    """A random id: with one that followed from the content, anyone could confirm a guess at what was shared."""
    return "".join(secrets.choice(ALPHABET) for _ in range(ID_LENGTH))


def _hidden(secret: str) -> str:
    """The stored form of a secret: it has 128 random bits, so a plain hash is safe."""
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


def _now() -> datetime:
    return datetime.now(UTC)
