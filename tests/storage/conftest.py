"""A database for each test, once SQLite and once PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select

from webapp.storage import Snapshot, Storage
from webapp.storage.engine import Database, url_of
from webapp.storage.tables import SnapshotRow, TotalRow, VocabularyRow


def database_of(settings: dict[str, str], seconds: float = 5) -> Database:
    """Return the database that the settings name."""
    return Database(url_of(settings["DATABASE_URL"], Path(settings["DATABASE_FILE"])), seconds=seconds)


@pytest.fixture
def database(database_settings: dict[str, str]) -> Iterator[Database]:
    """Return an empty database."""
    database = database_of(database_settings)
    yield database
    database.close()


@pytest.fixture
def storage(database: Database) -> Storage:
    """Return the stores of an empty database."""
    return Storage(database)


def snapshot(text: str = "low lower", **state: object) -> Snapshot:
    """Return a snapshot as a page would share it."""
    return Snapshot(
        text=text,
        state={"algorithm": "bpe", "vocabulary": "bpe-bytes", **state},
        ids=(7, 3, 7),
        starts=(0, 3, 4),
        ends=(3, 4, len(text)),
        pieces={7: "low", 3: b"\xe7\xa0"},
        unknown=(1,),
        special=(),
        decoded=text,
        core_version="0.1.0",
    )


def totals(storage: Storage) -> dict[str, tuple[int, int]]:
    """Return the number and the bytes of both kinds of content; the stored totals must be what the rows add up to."""
    with storage.database.read() as connection:
        found = {}
        for kind, content in (("snapshots", SnapshotRow.content), ("vocabularies", VocabularyRow.content)):
            count, bytes = connection.execute(select(func.count(content), func.sum(func.length(content)))).one()
            found[kind] = count, int(bytes or 0)
        stored = connection.execute(select(TotalRow.kind, TotalRow.count, TotalRow.bytes))
        assert {kind: (count, bytes) for kind, count, bytes in stored} == found
    return found
