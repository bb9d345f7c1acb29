"""A copy of the embedded database in one file, taken while the site runs, and put back."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from webapp.storage.engine import Database, UnavailableStorageError, url_of
from webapp.storage.schema import SchemaError

# What every database of the site has, whatever its revision.
TABLES = {"alembic_version", "claims", "snapshots", "vocabularies"}
# So many seconds a command waits for others to stop writing.
PATIENCE = 30.0


class BackupError(Exception):
    """A backup that cannot be made or put back; the message is for whoever typed the command."""


def write(database: Database, file: Path) -> None:
    """Copy the database to `file`, as it is at one moment; others may read and write meanwhile.

    An older backup of that name is replaced when the new one is whole. Raises BackupError.
    """
    source = _embedded(database)
    database.prepare()
    if file.exists():
        _check(file, f"{file} is there already and is no backup: it is left alone. Choose another name.")
    try:
        with TemporaryDirectory(dir=file.parent, prefix=".backup-") as folder:
            whole = Path(folder) / "whole"
            with closing(_open(source)) as here, closing(sqlite3.connect(whole)) as there:
                here.backup(there)
                there.execute("PRAGMA journal_mode=DELETE")  # one file, not three
            _check(whole, f"The copy of {source} is damaged.")
            _sync(whole)
            os.replace(whole, file)
            _sync(file.parent)
    except (OSError, sqlite3.Error) as error:
        raise BackupError(f"{file} could not be written: {error}.") from error


def restore(database: Database, file: Path) -> None:
    """Put the database back as it is in `file`, in one transaction: all of it or nothing.

    A backup of an earlier release is brought up to date on the way. Raises BackupError; then nothing has changed.
    """
    target = _embedded(database)
    _check(file, f"{file} is no backup of Tokenscope, or it is damaged: nothing was changed.")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=target.parent, prefix=".restore-") as folder:
            fresh = Path(folder) / "fresh"
            with closing(_open(file)) as here, closing(sqlite3.connect(fresh)) as there:
                here.backup(there)
            renewed = Database(url_of("", fresh), seconds=database.seconds)
            renewed.prepare()
            renewed.close()
            _replace(target, fresh)
    except SchemaError as error:
        raise BackupError(f"{file} was not restored, and nothing was changed. {error}") from error
    except (OSError, sqlite3.Error, UnavailableStorageError) as error:
        raise BackupError(f"{file} could not be restored, and nothing was changed: {error}.") from error


def _replace(target: Path, fresh: Path) -> None:
    """Put what is in `fresh` into `target`, which a running site may have open; a damaged one is moved aside."""
    with closing(_open(fresh)) as here:
        try:
            with closing(sqlite3.connect(target, timeout=PATIENCE)) as there:
                there.execute("PRAGMA synchronous=FULL")
                deadline = time.monotonic() + PATIENCE

                def wait(_status: int, _remaining: int, _total: int) -> None:
                    if time.monotonic() > deadline:
                        raise BackupError("Nothing was restored: others keep writing to the database. Try again.")

                here.backup(there, progress=wait)
                there.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorname not in ("SQLITE_NOTADB", "SQLITE_CORRUPT"):
                raise
    _sync(fresh)
    for ending in ("-wal", "-shm", ""):
        part = target.with_name(target.name + ending)
        if part.exists():
            os.replace(part, target.with_name(f"{target.name}.damaged{ending}"))
    os.replace(fresh, target)
    _sync(target.parent)


def _embedded(database: Database) -> Path:
    if database.file is None:
        raise BackupError(
            "This site keeps its data in PostgreSQL, which has commands of its own for this: pg_dump and pg_restore."
        )
    return database.file


def _check(file: Path, otherwise: str) -> None:
    """Raise BackupError with `otherwise` unless `file` is a whole database of the site."""
    if not file.is_file():
        raise BackupError(f"There is no file {file}.")
    try:
        with closing(_open(file)) as connection:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            sound = [row[0] for row in connection.execute("PRAGMA integrity_check")] == ["ok"]
            orphans = connection.execute("PRAGMA foreign_key_check").fetchone()
    except sqlite3.Error as error:
        raise BackupError(otherwise) from error
    if not sound or orphans or not tables >= TABLES:
        raise BackupError(otherwise)


def _open(file: Path) -> sqlite3.Connection:
    """A connection for reading; raises sqlite3.Error where there is no such file."""
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, timeout=PATIENCE)


def _sync(path: Path) -> None:
    """See that what was written to a file, or renamed in a folder, is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
