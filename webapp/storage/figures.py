"""How much the database stores, for the operator's metrics."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select

from webapp.storage.engine import Database
from webapp.storage.tables import JobRow, SnapshotRow, VocabularyRow


@dataclass(frozen=True)
class StoredFigures:
    """The number of trainings by state, of shared results by condition, and of vocabularies by who needs them."""

    jobs: dict[str, int]
    snapshots: dict[str, int]
    vocabularies: dict[str, int]


def figures_of(database: Database) -> StoredFigures:
    """Count what the database stores; raises UnavailableStorageError."""
    with database.read() as connection:
        jobs = connection.execute(select(JobRow.state, func.count()).group_by(JobRow.state)).all()
        snapshots = connection.execute(
            select(SnapshotRow.condition, func.count()).group_by(SnapshotRow.condition)
        ).all()
        files = connection.execute(select(VocabularyRow.uploaded, func.count()).group_by(VocabularyRow.uploaded)).all()
    return StoredFigures(
        jobs={row[0]: row[1] for row in jobs},
        snapshots={row[0]: row[1] for row in snapshots},
        vocabularies={"visitors" if uploaded else "snapshots": count for uploaded, count in files},
    )
