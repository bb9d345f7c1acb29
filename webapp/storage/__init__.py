"""What the site keeps: uploaded vocabularies, and the snapshots that links lead to.

    storage().snapshots.share(snapshot, expires=None)   →   Shared(id="7kq2m9xwd", secret="…", new=True)
    storage().snapshots.get("7kq2m9xwd")                →   Stored(…)

An SQLite file of its own by default, PostgreSQL where `DATABASE_URL` names one. Whatever cannot be read or written
now raises UnavailableStorageError, for which `webapp.web.errors` has a page.
"""

from __future__ import annotations

import logging
from pathlib import Path

from flask import Flask, current_app

from webapp.storage import commands
from webapp.storage.engine import Database, DatabaseUrlError, UnavailableStorageError, url_of
from webapp.storage.schema import SchemaError
from webapp.storage.snapshots import (
    LONGEST_REASON,
    RemovedSnapshotError,
    Report,
    ShareReceipt,
    Snapshot,
    SnapshotStore,
    StoredSnapshot,
)
from webapp.storage.vocabularies import StorageFullError, VocabularyFile, VocabularyRecord, VocabularyStore

__all__ = [
    "LONGEST_REASON",
    "DatabaseUrlError",
    "RemovedSnapshotError",
    "Report",
    "SchemaError",
    "ShareReceipt",
    "Snapshot",
    "SnapshotStore",
    "Storage",
    "StorageFullError",
    "StoredSnapshot",
    "UnavailableStorageError",
    "VocabularyFile",
    "VocabularyRecord",
    "VocabularyStore",
    "init_app",
    "storage",
    "storage_of",
]

log = logging.getLogger(__name__)

_EXTENSION = "tokenscope-storage"


class Storage:
    """The stores of one application, all in one database."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.vocabularies = VocabularyStore(database)
        self.snapshots = SnapshotStore(database)


def init_app(app: Flask) -> None:
    """Give `app` its storage, and bring the tables of its database up to date.

    A database that is away now does not keep the site from starting: its tables are looked after when it is back.
    Raises DatabaseUrlError where `DATABASE_URL` names no database, SchemaError where a newer release has written it.
    """
    file = Path(str(app.config["DATABASE_FILE"]) or Path(app.instance_path) / "tokenscope.sqlite")
    database = Database(url_of(str(app.config["DATABASE_URL"]), file), seconds=app.config["MAX_DATABASE_SECONDS"])
    app.extensions[_EXTENSION] = Storage(database)
    commands.init_app(app, database)
    try:
        database.prepare()
    except UnavailableStorageError as error:
        log.warning("The site starts without its database, and tries again when it is needed: %s", error)


def storage() -> Storage:
    """The storage of the application that answers this request."""
    return storage_of(current_app)


def storage_of(app: Flask) -> Storage:
    """The storage of `app`."""
    found: Storage = app.extensions[_EXTENSION]
    return found
