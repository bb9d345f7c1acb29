"""Running totals of what the tables store, so that a limit is checked without adding up all rows.

A transaction collects its changes in `Changes` and applies them last. In PostgreSQL it then holds the row of a total
only while it commits, and no two transactions can wait for each other; the next one sees the new total, so that the
limit is exact.
"""

import logging
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from sqlalchemy import Connection, update

from webapp.storage.tables import TotalRow

log = logging.getLogger(__name__)

Kind = Literal["snapshots", "vocabularies"]


class StorageFullError(Exception):
    """There is no room: the limit of a kind is reached ("snapshots", "vocabularies"), or the disk is full ("disk")."""

    def __init__(self, what: Kind | Literal["disk"] = "disk") -> None:
        super().__init__(f"no room: {what}")
        self.what = what


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
            values = {"bytes": TotalRow.bytes + self.bytes[kind], "count": TotalRow.count + self.count[kind]}
            change = update(TotalRow).where(TotalRow.kind == kind).values(values).returning(TotalRow.bytes)
            total = connection.execute(change).scalar_one()
            limit = most_bytes.get(kind)
            if limit is not None and self.bytes[kind] > 0 and total > limit:
                _advise(kind, total - self.bytes[kind], self.bytes[kind], limit)
                raise StorageFullError(kind)


def _advise(kind: Kind, used: int, more: int, limit: int) -> None:
    """Tell the operator in the log how to make room."""
    log.error(
        "No room for %s: %s bytes are stored, %s more would exceed the limit of %s. Raise TOKENSCOPE_MAX_STORED_BYTES, "
        "or make room with `flask --app webapp %s expire --older-than 365d` (first with --dry-run).",
        *(kind, f"{used:,}", f"{more:,}", f"{limit:,}", "snapshots" if kind == "snapshots" else "uploads"),
    )
