"""What the database stores, for its operator: sizes and ages, and how old things are deleted.

Deletions work in small transactions, so that the site stores things meanwhile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Integer, Select, and_, delete, func, select, update

from webapp.storage.engine import Database
from webapp.storage.snapshots import LOCKED, empty_snapshots
from webapp.storage.tables import ClaimRow, JobRow, ReportRow, SnapshotRow, SnapshotVocabularyRow, VocabularyRow
from webapp.storage.totals import Changes
from webapp.storage.vocabularies import PREFIX, delete_file

# The number of rows that one transaction deletes.
AT_ONCE = 100


@dataclass(frozen=True)
class SnapshotRecord:
    """A shared result without its content; `bytes` after compression, `claims` of visitors who share it."""

    id: str
    created: datetime
    expires: datetime | None
    bytes: int
    claims: int
    reports: int


@dataclass(frozen=True)
class UploadRecord:
    """A vocabulary file. `uploaded`: it has a public name; otherwise it is stored for snapshots only.

    `bytes` after compression; `snapshots` and `trainings` count those that need it.
    """

    name: str
    hash: str
    format: str
    algorithms: tuple[str, ...]
    size: int
    bytes: int
    created: datetime
    uploaded: bool
    snapshots: int
    trainings: int


@dataclass(frozen=True)
class StoredTraining:
    """A training, without the names of its files; `vocabulary` is the name of what was trained."""

    id: str
    state: str
    created: datetime
    ended: datetime | None
    corpus: str
    vocabulary: str | None


@dataclass(frozen=True)
class Deleted:
    """How many things were deleted, or would be, and the bytes that this frees."""

    count: int = 0
    bytes: int = 0

    def __add__(self, other: Deleted) -> Deleted:
        return Deleted(self.count + other.count, self.bytes + other.bytes)


class Inventory:
    """Everything in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def snapshots(self) -> list[SnapshotRecord]:
        """The shared results that have content, the oldest first."""
        claims = select(func.count()).where(ClaimRow.snapshot_id == SnapshotRow.id).scalar_subquery()
        reports = select(func.count()).where(ReportRow.snapshot_id == SnapshotRow.id).scalar_subquery()
        size = func.length(SnapshotRow.content)
        wanted = select(SnapshotRow.id, SnapshotRow.created, SnapshotRow.expires, size, claims, reports)
        ordered = wanted.where(SnapshotRow.condition == "kept").order_by(SnapshotRow.created, SnapshotRow.id)
        with self._database.read() as connection:
            return [SnapshotRecord(*row) for row in connection.execute(ordered)]

    def expire_snapshots(self, before: datetime, *, dry_run: bool = False) -> Deleted:
        """Delete the content of shared results that nobody has shared since; their links then say so."""
        later = select(ClaimRow.id).where(ClaimRow.snapshot_id == SnapshotRow.id, ClaimRow.created >= before)
        old = (SnapshotRow.condition == "kept", SnapshotRow.created < before, ~later.exists())
        if dry_run:
            return self._counted(*old, size=func.length(SnapshotRow.content))
        rows = select(*LOCKED).where(*old).order_by(SnapshotRow.created).limit(AT_ONCE)
        deleted = Deleted()
        while True:
            with self._database.write() as connection:
                found = connection.execute(rows.with_for_update(skip_locked=True)).all()
                empty_snapshots(connection, found, "expired")
            deleted += Deleted(len(found), sum(row.bytes for row in found))
            if len(found) < AT_ONCE:
                return deleted

    def uploads(self) -> list[UploadRecord]:
        """The vocabulary files, the oldest first; those of snapshots only are among them."""
        columns = [column for column in VocabularyRow.__table__.columns if column.name not in ("content", "companion")]
        with self._database.read() as connection:
            rows = connection.execute(select(*columns).order_by(VocabularyRow.created, VocabularyRow.hash)).all()
            own, needed = SnapshotRow.vocabulary_hash, SnapshotVocabularyRow.vocabulary_hash
            kept = SnapshotRow.condition == "kept"
            snapshots = _counts(connection, select(own, func.count()).where(kept).group_by(own))
            snapshots += _counts(connection, select(needed, func.count()).group_by(needed))
            trainings = _counts(connection, select(JobRow.vocabulary, func.count()).group_by(JobRow.vocabulary))
        return [
            UploadRecord(
                name=f"upload-{row.prefix}",
                hash=row.hash,
                format=row.format,
                algorithms=tuple(row.algorithms.split()),
                size=row.size,
                bytes=row.stored_bytes,
                created=row.created,
                uploaded=row.uploaded,
                snapshots=snapshots[row.hash],
                trainings=trainings[f"upload-{row.prefix}"],
            )
            for row in rows
        ]

    def remove_upload(self, hash: str) -> Deleted:
        """Delete a vocabulary file by its full hash, even if a snapshot needs it."""
        changes = Changes()
        with self._database.write() as connection:
            delete_file(connection, hash, VocabularyRow.hash == hash, changes, force=True)
            changes.apply(connection)
        return _deleted_by(changes)

    def expire_uploads(self, before: datetime, *, dry_run: bool = False) -> tuple[Deleted, int]:
        """Delete the uploaded vocabularies from before a time that neither a snapshot nor a training needs.

        Those that only snapshots need lose their public name and stay for these snapshots; returns their number, too.
        """
        old = [
            upload for upload in self.uploads() if upload.uploaded and upload.created < before and not upload.trainings
        ]
        free = [upload for upload in old if not upload.snapshots]
        if dry_run:
            return Deleted(len(free), sum(upload.bytes for upload in free)), len(old) - len(free)
        deleted, withdrawn = Deleted(), 0
        for upload in old:
            changes = Changes()
            mine = and_(VocabularyRow.hash == upload.hash, VocabularyRow.uploaded)
            with self._database.write() as connection:
                if not delete_file(connection, upload.hash, mine, changes):
                    withdrawn += connection.execute(update(VocabularyRow).where(mine).values(uploaded=False)).rowcount
                changes.apply(connection)
            deleted += _deleted_by(changes)
        return deleted, withdrawn

    def trainings(self) -> list[StoredTraining]:
        """The trainings, the oldest first."""
        columns = (JobRow.id, JobRow.state, JobRow.created, JobRow.ended, JobRow.corpus, JobRow.vocabulary)
        with self._database.read() as connection:
            return [StoredTraining(*row) for row in connection.execute(select(*columns).order_by(JobRow.created))]

    def expire_trainings(self, before: datetime, *, dry_run: bool = False) -> Deleted:
        """Delete the trainings that ended before a time; their vocabularies are uploads, and stay as such."""
        old = (JobRow.ended < before, JobRow.state.in_(("finished", "failed", "cancelled")))
        return self._expire(JobRow, *old, size=_job_bytes(), dry_run=dry_run)

    def remove_training(self, id: str) -> bool:
        """Delete a training that has ended; False if there is none."""
        with self._database.write() as connection:
            mine = delete(JobRow).where(JobRow.id == id, JobRow.state.in_(("finished", "failed", "cancelled")))
            return connection.execute(mine).rowcount > 0

    def expire_reports(self, before: datetime, *, dry_run: bool = False) -> Deleted:
        """Delete the reports of visitors from before a time."""
        old = ReportRow.created < before
        return self._expire(ReportRow, old, size=func.length(ReportRow.reason), dry_run=dry_run)

    def _counted(self, *conditions: ColumnElement[bool], size: ColumnElement[int]) -> Deleted:
        asked = select(func.count(), func.coalesce(func.sum(size), 0)).where(*conditions)
        with self._database.read() as connection:
            count, bytes = connection.execute(asked).one()
        return Deleted(int(count), int(bytes))

    def _expire(
        self, row: type[JobRow | ReportRow], *old: ColumnElement[bool], size: ColumnElement[int], dry_run: bool
    ) -> Deleted:
        if dry_run:
            return self._counted(*old, size=size)
        some = select(row.id).where(*old).limit(AT_ONCE)
        deleted = Deleted()
        while True:
            with self._database.write() as connection:
                sizes = connection.execute(delete(row).where(row.id.in_(some)).returning(size)).scalars().all()
            deleted += Deleted(len(sizes), sum(sizes))
            if not sizes:
                return deleted


def find_upload(uploads: Sequence[UploadRecord], name: str) -> UploadRecord | None:
    """The upload with this public name, or with this hash; None if there is none."""
    wanted = name.removeprefix("upload-")
    long = [upload for upload in uploads if upload.hash == wanted]
    public = [upload for upload in uploads if len(wanted) == PREFIX and upload.hash.startswith(wanted)]
    return next(iter([*long, *(each for each in public if each.uploaded), *public]), None)


def _job_bytes() -> ColumnElement[int]:
    texts = (JobRow.plan, JobRow.facts, JobRow.files, JobRow.record)
    lengths = [func.coalesce(func.length(text, type_=Integer), 0) for text in texts]
    total: ColumnElement[int] = sum(lengths[1:], lengths[0])
    return total


def _counts(connection: Connection, query: Select[Any, int]) -> Counter[str]:
    """The counts of a query by their names, without those that have none."""
    return Counter({str(name): count for name, count in connection.execute(query) if name is not None})


def _deleted_by(changes: Changes) -> Deleted:
    """What a transaction has deleted of the vocabularies."""
    return Deleted(-changes.count["vocabularies"], -changes.bytes["vocabularies"])
