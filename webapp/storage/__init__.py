"""The database of the site: uploaded vocabularies, shared snapshots, visitors' reports and trainings.

Fetched vocabularies are not in it: they are files in the folder `TOKENSCOPE_VOCABULARY_FOLDER`.

    storage().snapshots.share(snapshot, expires=None)   →   ShareReceipt(id="7kq2m9xwd", secret="…", new=True)
    storage().snapshots.get("7kq2m9xwd")                →   StoredSnapshot(…)

The database is an embedded SQLite file by default, or PostgreSQL if `DATABASE_URL` is set. While it is unreachable,
all methods raise UnavailableStorageError, for which `webapp.web.errors` has a page.
"""

import logging
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click
from flask import Flask, current_app

from webapp.storage.backup import BackupError, add_commands
from webapp.storage.engine import Database, DatabaseUrlError, UnavailableStorageError, url_of
from webapp.storage.inventory import Deleted, Inventory
from webapp.storage.jobs import MOST_ATTEMPTS, Failure, Job, JobStore, TooManyJobsError
from webapp.storage.schema import SchemaError
from webapp.storage.snapshots import (
    LONGEST_REASON,
    RemovedSnapshotError,
    ShareReceipt,
    Snapshot,
    SnapshotStore,
    StoredSnapshot,
)
from webapp.storage.totals import StorageFullError
from webapp.storage.vocabularies import VocabularyFile, VocabularyStore

log = logging.getLogger(__name__)

_EXTENSION = "tokenscope-storage"
# The time limit of the operator's commands, which may count or delete a lot, for one statement, in seconds.
COMMAND_SECONDS = 300


class Storage:
    """The stores of one application, all in one database."""

    def __init__(self, database: Database, *, most_snapshot_bytes: int | None = None) -> None:
        self.database = database
        self.vocabularies = VocabularyStore(database)
        self.snapshots = SnapshotStore(database, most_bytes=most_snapshot_bytes)
        self.jobs = JobStore(database)
        self.inventory = Inventory(database)


def init_app(app: Flask) -> None:
    """Set up the storage of `app`, and migrate its database; a command of the operator does that when it needs it.

    The site starts even if the database is unreachable, and migrates it later. Raises DatabaseUrlError if
    `DATABASE_URL` is invalid, SchemaError if a newer release has migrated the database.
    """
    file = Path(str(app.config["DATABASE_FILE"]) or Path(app.instance_path) / "tokenscope.sqlite")
    command = click.get_current_context(silent=True)
    seconds = app.config["MAX_DATABASE_SECONDS"] if command is None or command.info_name == "run" else COMMAND_SECONDS
    database = Database(url_of(str(app.config["DATABASE_URL"]), file), seconds=seconds)
    app.extensions[_EXTENSION] = Storage(database, most_snapshot_bytes=app.config["MAX_SNAPSHOTS_BYTES"])
    add_commands(app, database)
    if command is not None:
        return  # a command may be for another file than the operator means, and must not create it
    try:
        database.prepare()
    except UnavailableStorageError as error:
        log.warning("The site starts without its database, and tries again when it is needed: %s", error)


def storage() -> Storage:
    """The storage of the current application."""
    return storage_of(current_app)


def storage_of(app: Flask) -> Storage:
    """The storage of `app`."""
    current: Storage = app.extensions[_EXTENSION]
    return current


def explain_failures(app: Flask) -> None:
    """Let every command of the site end with one line, not a traceback, if the database cannot be used."""
    waiting: list[click.Command] = list(app.cli.commands.values())
    while waiting:
        command = waiting.pop()
        if isinstance(command, click.Group):
            waiting += command.commands.values()
        elif command.callback is not None and not hasattr(command.callback, "explains_failures"):
            command.callback = _explained(command.callback)


def _explained(callback: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(callback)
    def explained(*arguments: Any, **options: Any) -> Any:
        try:
            return callback(*arguments, **options)
        except (UnavailableStorageError, SchemaError, BackupError) as error:
            click.echo(" ".join(str(error).split()), err=True)
            sys.exit(1)

    explained.explains_failures = True  # type: ignore[attr-defined]  # groups of blueprints belong to all sites of a process
    return explained
