"""Running totals of what the tables store, so that a limit is checked without adding up all rows.

A transaction collects its changes in `Changes` and applies them last. In PostgreSQL it then holds the row of a total
only while it commits, and no two transactions can wait for each other; the next one sees the new total, so that the
limit is exact.
"""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from webapp.storage.tables import SnapshotRow, TotalRow, VocabularyRow

log = logging.getLogger(__name__)

Kind = Literal["snapshots", "vocabularies"]


class StorageFullError(Exception):
    """There is no room: the limit of a kind is reached ("snapshots", "vocabularies"), or the disk is full ("disk")."""

    def __init__(self, what: Kind | Literal["disk"] = "disk") -> None:
        super().__init__(f"no room: {what}")
        self.what = what


@dataclass(frozen=True)
class Total:
    """What all snapshots or vocabularies take in the database: how many, and their bytes after compression."""

    count: int
    bytes: int


@dataclass
class Changes:
    """What one transaction adds to the totals, and takes away."""

    bytes: Counter[Kind] = field(default_factory=Counter)
    count: Counter[Kind] = field(default_factory=Counter)

    def add(self, kind: Kind, bytes: int, count: int = 1) -> None:
        """Note what the transaction stores; negative numbers for what it deletes."""
        self.bytes[kind] += bytes
        self.count[kind] += count

    def apply(self, connection: Connection, **most_bytes: int | None) -> None:
        """Change the totals, as the last step of the transaction.

        Raises StorageFullError if a kind grows beyond its limit in `most_bytes`.
        """
        for kind in sorted(self.bytes):  # the same order in all transactions, which prevents deadlocks
            if not self.bytes[kind] and not self.count[kind]:
                continue
            total = _changed(connection, kind, self.bytes[kind], self.count[kind])
            limit = most_bytes.get(kind)
            if limit is not None and self.bytes[kind] > 0 and total > limit:
                _advise(kind, total - self.bytes[kind], self.bytes[kind], limit)
                raise StorageFullError(kind)


def total_of(connection: Connection, kind: Kind) -> Total:
    """The total of a kind."""
    row = connection.execute(select(TotalRow.count, TotalRow.bytes).where(TotalRow.kind == kind)).first()
    return _counted(connection, kind) if row is None else Total(*row)


def _changed(connection: Connection, kind: Kind, bytes: int, count: int) -> int:
    """Change a total, and return its bytes."""
    values = {"bytes": TotalRow.bytes + bytes, "count": TotalRow.count + count}
    change = update(TotalRow).where(TotalRow.kind == kind).values(values).returning(TotalRow.bytes)
    total: int | None = connection.scalar(change)
    if total is not None:
        return total
    counted = _counted(connection, kind)  # with what this transaction has stored already
    try:
        with connection.begin_nested():
            connection.execute(insert(TotalRow).values(kind=kind, bytes=counted.bytes, count=counted.count))
    except IntegrityError:  # a concurrent transaction was faster
        return int(connection.scalar(change) or 0)
    return counted.bytes


def _counted(connection: Connection, kind: Kind) -> Total:
    """The total, added up from all rows."""
    if kind == "snapshots":
        size = func.coalesce(func.sum(func.length(SnapshotRow.content)), 0)
        asked = select(func.count(), size).where(SnapshotRow.content.is_not(None))
    else:
        asked = select(func.count(), func.coalesce(func.sum(VocabularyRow.stored_bytes), 0))
    count, bytes = connection.execute(asked).one()
    return Total(int(count), int(bytes))


def _advise(kind: Kind, used: int, more: int, limit: int) -> None:
    """Tell the operator in the log how to make room."""
    log.error(
        "No room for %s: %s bytes are stored, %s more would exceed the limit of %s. Raise TOKENSCOPE_MAX_STORED_BYTES, "
        "or make room with `flask --app webapp %s expire --older-than 365d` (first with --dry-run).",
        *(kind, f"{used:,}", f"{more:,}", f"{limit:,}", "snapshots" if kind == "snapshots" else "uploads"),
    )
