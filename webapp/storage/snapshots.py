"""Snapshots: what a link shows, kept for as long as anybody who shared it wants.

Two people who share the same get the same link, and each a claim of their own with a secret of its own. A claim ends
when its holder deletes it or when its time is up; the snapshot goes with its last claim: nobody breaks another's link.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Row, Select, bindparam, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from webapp.storage.engine import Database, UnavailableStorageError
from webapp.storage.packing import NOTHING, Snapshot, canonical, pack, unpack
from webapp.storage.tables import ClaimRow, NeedRow, ReportRow, SnapshotRow
from webapp.storage.vocabularies import ATTEMPTS, VocabularyFile, delete_unneeded, store_file

__all__ = [
    "LONGEST_REASON",
    "RemovedSnapshotError",
    "Report",
    "ShareReceipt",
    "Snapshot",
    "SnapshotStore",
    "StoredSnapshot",
]

log = logging.getLogger(__name__)

Condition = Literal["kept", "expired", "deleted", "removed"]

# No digits and letters that are taken for one another: neither 0 and o nor 1, i and l.
ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
SHORTEST_ID = 9
LONGEST_ID = 51  # so many digits of 31 values each has a SHA-256
LONGEST_REASON = 2_000  # characters
# Every so many seconds a process that has to do with snapshots looks for those whose time is up.
SWEEP = 60.0


@dataclass(frozen=True)
class ShareReceipt:
    """What an author is told. `secret` ends this claim and is told once; `new`: nobody else has the same link now."""

    id: str
    secret: str
    new: bool


@dataclass(frozen=True)
class StoredSnapshot:
    """A snapshot as it is kept. Unless its condition is `kept` it is an empty one, and its content is gone for good."""

    id: str
    snapshot: Snapshot
    created: datetime
    expires: datetime | None
    condition: Condition


@dataclass(frozen=True)
class Report:
    """What somebody told the operator about a snapshot."""

    id: str
    reason: str
    created: datetime


class RemovedSnapshotError(Exception):
    """The operator has removed this very state, and it stays removed: its `id`."""

    def __init__(self, id: str) -> None:
        super().__init__(f"snapshot {id} was removed by the operator")
        self.id = id


# Made once: making a query takes as long as asking it.
_HEAD = select(SnapshotRow.condition, SnapshotRow.created, SnapshotRow.expires).where(SnapshotRow.id == bindparam("id"))
_WHOLE = _HEAD.add_columns(SnapshotRow.content)

Head = Row[str, str, datetime | None, str | None]  # id, condition, end, vocabulary
_LOCKED = (SnapshotRow.id, SnapshotRow.condition, SnapshotRow.expires, SnapshotRow.vocabulary_hash)


class SnapshotStore:
    """The snapshots of a database. Every method raises UnavailableStorageError where that cannot be used."""

    def __init__(self, database: Database) -> None:
        self._database = database
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
        """Keep a snapshot until `expires`, for ever if that is None. When this returns, it is on the disk.

        Its `vocabulary`, or `others`, those of its rows, are kept with it, and as long: all or none. A state that was
        shared before keeps its link and what it shows. Raises RemovedError where the operator has removed it,
        NoRoomError where all vocabularies together would take more than `most_bytes`, ValueError for a state that is
        not JSON and for a time without a time zone.
        """
        if expires is not None and expires.tzinfo is None:
            raise ValueError("the time when a snapshot expires needs a time zone")
        self._sweep()
        hash = canonical(snapshot)
        content = pack(snapshot)
        # In one order, as whoever deletes them: two that lock the same never wait for each other.
        files = {file.hash: file for file in (*([] if vocabulary is None else [vocabulary]), *others)}
        for file in files.values():
            file.prepare(self._database)
        secret = secrets.token_urlsafe(16)
        for _attempt in range(ATTEMPTS):
            try:
                with self._database.write() as connection:
                    id, new = _kept(connection, snapshot, hash, content, expires)
                    for key in sorted(files):  # after the snapshot: whoever deletes locks them in this order, too
                        store_file(connection, files[key], uploaded=False, most_bytes=most_bytes)
                    values = {"snapshot_id": id, "secret_hash": _hidden(secret), "created": _now(), "expires": expires}
                    connection.execute(insert(ClaimRow).values(values))
            except IntegrityError:  # somebody else is sharing the same at this very moment, or needs the same id
                continue
            return ShareReceipt(id, secret, new)
        raise UnavailableStorageError("locked", "others keep sharing the same")

    def get(self, id: str) -> StoredSnapshot | None:
        """The snapshot of that id, or what became of it; None where there never was one."""
        return self._found(_WHOLE, id)

    def head(self, id: str) -> StoredSnapshot | None:
        """As `get`, without reading the content: the snapshot is an empty one.

        What shows a snapshot from a cache asks this first. The same id, `created` and `kept` mean the same content.
        """
        return self._found(_HEAD, id)

    def _found(self, query: Select[*tuple[Any, ...]], id: str) -> StoredSnapshot | None:
        if not 0 < len(id) <= LONGEST_ID or not set(id) <= set(ALPHABET):
            return None  # nobody was ever told such an id
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
        """End the claim that `secret` was told for; the snapshot goes if it was the last. False for a wrong secret."""
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
                _empty(connection, [row], "deleted")
        return True

    def remove(self, id: str) -> bool:
        """Take a snapshot away for good, whoever wants to keep it: the operator's. False where there never was one."""
        with self._database.write() as connection:
            row = _locked(connection, SnapshotRow.id == id)
            if row is None:
                return False
            _empty(connection, [row], "removed")
        return True

    def report(self, id: str, reason: str) -> None:
        """Tell the operator about a snapshot.

        Raises KeyError where there never was one, ValueError for a reason of more than `LONGEST_REASON` characters.
        """
        if len(reason) > LONGEST_REASON:
            raise ValueError(f"a reason may have {LONGEST_REASON} characters, not {len(reason)}")
        # PostgreSQL's texts hold no NUL, and no database's text half a surrogate pair.
        clean = reason.replace("\0", "�").encode("utf-8", "replace").decode()
        try:
            with self._database.write() as connection:
                connection.execute(insert(ReportRow).values(snapshot_id=id, reason=clean, created=_now()))
        except IntegrityError:
            raise KeyError(id) from None

    def reports(self) -> list[Report]:
        """What was told about snapshots that are still kept, the oldest first."""
        statement = (
            select(ReportRow.snapshot_id, ReportRow.reason, ReportRow.created)
            .join(SnapshotRow, SnapshotRow.id == ReportRow.snapshot_id)
            .where(SnapshotRow.condition == "kept")
            .order_by(ReportRow.id)
        )
        with self._database.read() as connection:
            return [Report(*row) for row in connection.execute(statement)]

    def dismiss(self, id: str) -> int:
        """Forget what was told about a snapshot, which stays; how many reports that were."""
        with self._database.write() as connection:
            return connection.execute(delete(ReportRow).where(ReportRow.snapshot_id == id)).rowcount

    def _sweep(self) -> None:
        """Delete the content of snapshots whose time is up, if that has not been done lately."""
        if time.monotonic() < self._next_sweep:
            return
        self._next_sweep = time.monotonic() + SWEEP
        over = (SnapshotRow.condition == "kept", SnapshotRow.expires <= _now())
        try:
            with self._database.read() as connection:
                if connection.execute(select(SnapshotRow.id).where(*over).limit(1)).first() is None:
                    return
            with self._database.write() as connection:
                # What another process is sweeping or sharing anew is left to it.
                rows = select(*_LOCKED).where(*over).limit(1_000).with_for_update(skip_locked=True)
                _empty(connection, connection.execute(rows).all(), "expired")
        except UnavailableStorageError as error:
            log.warning("snapshots whose time is up could not be deleted: %s", error)


def _kept(
    connection: Connection, snapshot: Snapshot, hash: str, content: bytes, expires: datetime | None
) -> tuple[str, bool]:
    """See that a snapshot is kept until `expires` at least; its id, and whether nobody else had it."""
    row = _locked(connection, SnapshotRow.hash == hash)
    vocabulary = snapshot.state.get("vocabulary_hash")
    fresh = {"condition": "kept", "created": _now(), "expires": expires, "content": content}
    if row is None:
        id = _free_id(connection, hash)
        values = {"id": id, "hash": hash, "vocabulary_hash": vocabulary, **fresh}
        connection.execute(insert(SnapshotRow).values(values))
        _need(connection, id, snapshot)
        return id, True
    if row.condition == "removed":
        raise RemovedSnapshotError(row.id)
    mine = update(SnapshotRow).where(SnapshotRow.id == row.id)
    if row.condition != "kept" or (row.expires is not None and row.expires <= _now()):
        connection.execute(delete(ClaimRow).where(ClaimRow.snapshot_id == row.id))
        connection.execute(mine.values(fresh))
        _need(connection, row.id, snapshot)
        return row.id, True
    if row.expires is not None and (expires is None or expires > row.expires):
        connection.execute(mine.values(expires=expires))
    return row.id, False


def _need(connection: Connection, id: str, snapshot: Snapshot) -> None:
    """Say which vocabularies the rows of a snapshot need, so that nobody deletes them."""
    connection.execute(delete(NeedRow).where(NeedRow.snapshot_id == id))
    hashes = sorted({row.state["vocabulary_hash"] for row in snapshot.rows})
    if hashes:
        connection.execute(insert(NeedRow), [{"snapshot_id": id, "vocabulary_hash": hash} for hash in hashes])


def _locked(connection: Connection, condition: ColumnElement[bool]) -> Head | None:
    """A snapshot's head, and nobody else changes it before this transaction ends."""
    return connection.execute(select(*_LOCKED).where(condition).with_for_update()).first()


def _empty(connection: Connection, rows: Iterable[Head], condition: Condition) -> None:
    """Delete what snapshots hold, every claim to them, and the vocabularies that were kept for them alone."""
    vocabularies = set()
    for row in rows:
        connection.execute(delete(ClaimRow).where(ClaimRow.snapshot_id == row.id))
        connection.execute(
            update(SnapshotRow).where(SnapshotRow.id == row.id).values(condition=condition, content=None)
        )
        mine = NeedRow.snapshot_id == row.id
        vocabularies |= {
            row.vocabulary_hash,
            *connection.execute(select(NeedRow.vocabulary_hash).where(mine)).scalars(),
        }
        connection.execute(delete(NeedRow).where(mine))
    delete_unneeded(connection, filter(None, vocabularies))


def _free_id(connection: Connection, hash: str) -> str:
    """The shortest beginning of a state's digits that no other state has."""
    ids = list(ids_of(hash))
    taken = set(connection.execute(select(SnapshotRow.id).where(SnapshotRow.id.in_(ids))).scalars())
    return next(id for id in ids if id not in taken)


def ids_of(hash: str) -> Iterator[str]:
    """The ids that a state may have, the shortest first.

    >>> from itertools import islice
    >>> list(islice(ids_of("00" * 31 + "ff"), 3))
    ['9a2222222', '9a22222222', '9a222222222']
    """
    number, digits = int(hash, 16), ""
    for _ in range(LONGEST_ID):
        number, digit = divmod(number, len(ALPHABET))
        digits += ALPHABET[digit]
    for length in range(SHORTEST_ID, LONGEST_ID + 1):
        yield digits[:length]


def _hidden(secret: str) -> str:
    """What is kept of a secret: with 128 bits of chance in it, a plain hash gives nothing away."""
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


def _now() -> datetime:
    return datetime.now(UTC)
