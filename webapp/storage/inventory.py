"""What the database stores, for its operator: sizes and ages, and how old things are deleted.

Deletions work in small transactions, so that the site stores things meanwhile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Integer, Select, and_, delete, func, select, update

from webapp.storage.engine import Database
from webapp.storage.snapshots import LOCKED, empty_snapshots
from webapp.storage.tables import ClaimRow, JobRow, ReportRow, SnapshotRow, SnapshotVocabularyRow, VocabularyRow
from webapp.storage.totals import Changes
from webapp.storage.vocabularies import delete_file

# The number of rows that one transaction deletes.
AT_ONCE = 100

Record = dict[str, Any]


@dataclass(frozen=True)
class Deleted:
    """How many things were deleted, or would be, and the bytes that this frees.

    `kept_for_snapshots` counts the vocabularies that only lose their public name.
    """

    count: int = 0
    bytes: int = 0
    kept_for_snapshots: int = 0

    def __add__(self, other: Deleted) -> Deleted:
        kept = self.kept_for_snapshots + other.kept_for_snapshots
        return Deleted(self.count + other.count, self.bytes + other.bytes, kept)


class Inventory:
    """Everything in a database; records are listed oldest first."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def snapshots(self) -> list[Record]:
        """The shared results that have content: their bytes after compression, visitors who share them, reports."""
        claims, reports = (
            select(func.count()).where(row.snapshot_id == SnapshotRow.id).scalar_subquery()
            for row in (ClaimRow, ReportRow)
        )
        columns = (SnapshotRow.id, SnapshotRow.created, SnapshotRow.expires, _SNAPSHOT_BYTES.label("bytes"))
        wanted = select(*columns, claims.label("claims"), reports.label("reports"))
        return self._listed(wanted.where(_KEPT).order_by(SnapshotRow.created, SnapshotRow.id))

    def expire_snapshots(self, before: datetime, *, dry_run: bool = False) -> Deleted:
        """Delete the content of shared results that nobody has shared since; their links then say so."""
        later = select(ClaimRow.id).where(ClaimRow.snapshot_id == SnapshotRow.id, ClaimRow.created >= before)
        old = (_KEPT, SnapshotRow.created < before, ~later.exists())
        rows = select(*LOCKED).where(*old).order_by(SnapshotRow.created).limit(AT_ONCE)

        def empty(connection: Connection) -> list[int]:
            found = connection.execute(rows.with_for_update(skip_locked=True)).all()
            empty_snapshots(connection, found, "expired")
            return [row.bytes for row in found]

        return self._counted(*old, size=_SNAPSHOT_BYTES) if dry_run else self._repeated(empty)

    def uploads(self) -> list[Record]:
        """The vocabulary files. `uploaded`: it has a public name; otherwise it is stored for snapshots only.

        `bytes` after compression; `snapshots` and `trainings` count those that need it.
        """
        row = VocabularyRow
        columns = (row.hash, row.format, row.algorithms, row.size, row.stored_bytes.label("bytes"), row.created)
        found = self._listed(select(*columns, row.uploaded).order_by(row.created, row.hash))
        own, needed, trained = SnapshotRow.vocabulary_hash, SnapshotVocabularyRow.vocabulary_hash, JobRow.vocabulary
        with self._database.read() as connection:
            snapshots = _counts(connection, select(own, func.count()).where(_KEPT).group_by(own))
            snapshots += _counts(connection, select(needed, func.count()).group_by(needed))
            trainings = _counts(connection, select(trained, func.count()).group_by(trained))
        records = []
        for each in found:
            name = f"upload-{each['hash'][:16]}"
            needs = {"snapshots": snapshots[each["hash"]], "trainings": trainings[name]}
            records.append({"name": name, **each, "algorithms": each["algorithms"].split(), **needs})
        return records

    def remove_upload(self, hash: str) -> Deleted:
        """Delete a vocabulary file by its full hash, even if a snapshot needs it."""
        return self._deleted(hash, VocabularyRow.hash == hash, force=True)

    def expire_uploads(self, before: datetime, *, dry_run: bool = False) -> Deleted:
        """Delete the uploaded vocabularies from before a time that neither a snapshot nor a training needs.

        Those that only snapshots need lose their public name and stay for these snapshots.
        """
        old = [each for each in self.uploads() if each["uploaded"] and each["created"] < before]
        deleted = Deleted()
        for each in old:
            if each["trainings"]:
                continue
            if dry_run:
                deleted += Deleted(0, 0, 1) if each["snapshots"] else Deleted(1, each["bytes"])
            else:
                deleted += self._deleted(each["hash"], and_(VocabularyRow.hash == each["hash"], VocabularyRow.uploaded))
        return deleted

    def _deleted(self, hash: str, mine: ColumnElement[bool], *, force: bool = False) -> Deleted:
        changes, withdrawn = Changes(), 0
        with self._database.write() as connection:
            if not delete_file(connection, hash, mine, changes, force=force):
                withdrawn = connection.execute(update(VocabularyRow).where(mine).values(uploaded=False)).rowcount
            changes.apply(connection)
        return Deleted(-changes.count["vocabularies"], -changes.bytes["vocabularies"], withdrawn)

    def trainings(self) -> list[Record]:
        """The trainings, without the names of their files; `vocabulary` is the name of what was trained."""
        columns = (JobRow.id, JobRow.state, JobRow.created, JobRow.ended, JobRow.corpus, JobRow.vocabulary)
        return self._listed(select(*columns).order_by(JobRow.created))

    def expire_trainings(self, before: datetime, *, dry_run: bool = False) -> Deleted:
        """Delete the trainings that ended before a time; their vocabularies are uploads, and stay as such."""
        texts = (JobRow.plan, JobRow.facts, JobRow.files, JobRow.record)
        first, *others = (func.coalesce(func.length(text, type_=Integer), 0) for text in texts)
        return self._expire(JobRow, JobRow.ended < before, size=sum(others, first), dry_run=dry_run)

    def remove_training(self, id: str) -> bool:
        """Delete a training that has ended; False if there is none."""
        with self._database.write() as connection:
            mine = delete(JobRow).where(JobRow.id == id, JobRow.ended.is_not(None))
            return connection.execute(mine).rowcount > 0

    def expire_reports(self, before: datetime, *, dry_run: bool = False) -> Deleted:
        """Delete the reports of visitors from before a time."""
        size = func.length(ReportRow.reason)
        return self._expire(ReportRow, ReportRow.created < before, size=size, dry_run=dry_run)

    def _listed(self, wanted: Select[*tuple[Any, ...]]) -> list[Record]:
        with self._database.read() as connection:
            return [dict(row) for row in connection.execute(wanted).mappings()]

    def _counted(self, *conditions: ColumnElement[bool], size: ColumnElement[int]) -> Deleted:
        total = select(func.count(), func.coalesce(func.sum(size), 0)).where(*conditions)
        with self._database.read() as connection:
            return Deleted(*map(int, connection.execute(total).one()))

    def _expire(
        self, row: type[JobRow | ReportRow], old: ColumnElement[bool], *, size: ColumnElement[int], dry_run: bool
    ) -> Deleted:
        some = delete(row).where(row.id.in_(select(row.id).where(old).limit(AT_ONCE))).returning(size)
        if dry_run:
            return self._counted(old, size=size)
        return self._repeated(lambda connection: connection.execute(some).scalars().all())

    def _repeated(self, delete_some: Callable[[Connection], Iterable[int]]) -> Deleted:
        """Delete in one transaction after another, until one finds nothing; `delete_some` returns sizes."""
        deleted = Deleted()
        while True:
            with self._database.write() as connection:
                sizes = list(delete_some(connection))
            if not sizes:
                return deleted
            deleted += Deleted(len(sizes), sum(sizes))


_KEPT = SnapshotRow.condition == "kept"
_SNAPSHOT_BYTES = func.length(SnapshotRow.content)


def _counts(connection: Connection, query: Select[Any, int]) -> Counter[str]:
    """The counts of a query by their names, without those that have none."""
    return Counter({str(name): count for name, count in connection.execute(query) if name is not None})
