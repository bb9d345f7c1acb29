"""Backs up the embedded database to one file while the site runs, and restores it: `flask --app webapp backup FILE`."""

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from flask import Flask

from webapp.storage.engine import Database, UnavailableStorageError, url_of
from webapp.storage.schema import SchemaError

# Tables that every database of the site has, at any revision.
TABLES = {"alembic_version", "claims", "snapshots", "vocabularies"}
# How long a command waits for other writers, in seconds.
PATIENCE = 30.0


class BackupError(Exception):
    """A backup cannot be written or restored; the message is for the operator."""


def add_commands(app: Flask, database: Database) -> None:
    """Register the commands `backup` and `restore` with `app`."""

    @app.cli.command("backup")
    @click.argument("file", type=click.Path(path_type=Path))
    def backup(file: Path) -> None:
        """Back up the database to FILE while the site runs."""
        write(database, file)
        click.echo(f"Backed up the database to {file}: {file.stat().st_size:,} bytes.")

    @app.cli.command("restore")
    @click.argument("file", type=click.Path(path_type=Path))
    def put_back(file: Path) -> None:
        """Restore the database from FILE; later changes are lost."""
        restore(database, file)
        click.echo(f"Restored the database from {file}.")


def write(database: Database, file: Path) -> None:
    """Copy a consistent state of the database to `file`; the site may read and write meanwhile.

    Replaces an older backup in `file` once the new one is complete. Raises BackupError.
    """
    source = _embedded(database)
    if not source.is_file():  # `prepare` would create an empty database, of which a backup is worth nothing
        raise BackupError(f"There is no database {source}, so nothing was backed up. Check TOKENSCOPE_DATABASE_FILE.")
    try:
        database.prepare()
    except (SchemaError, UnavailableStorageError) as error:
        raise BackupError(f"{source} was not backed up. {error}") from error
    if file.exists():
        _check(file, f"{file} already exists and is not a backup, so it was not changed. Choose another name.")
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
    """Replace the content of the database with the backup in `file`, in one transaction.

    Migrates a backup of an earlier release. Raises BackupError, without changing anything.
    """
    target = _embedded(database)
    _check(file, f"{file} is not a backup of Tokenscope, or it is damaged. Nothing was changed.")
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
    """Copy `fresh` into `target`, which a running site may have open; rename a damaged target."""
    with closing(_open(fresh)) as here:
        try:
            with closing(sqlite3.connect(target, timeout=PATIENCE)) as there:
                there.execute("PRAGMA synchronous=FULL")
                deadline = time.monotonic() + PATIENCE

                def wait(_status: int, _remaining: int, _total: int) -> None:
                    if time.monotonic() > deadline:
                        raise BackupError("The database is busy, so nothing was restored. Try again.")

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
        raise BackupError("This site stores its data in PostgreSQL. Use its own commands, pg_dump and pg_restore.")
    return database.file


def _check(file: Path, otherwise: str) -> None:
    """Raise BackupError with the message `otherwise` unless `file` is an intact database of the site."""
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
    """A read-only connection; raises sqlite3.Error if the file does not exist."""
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, timeout=PATIENCE)


def _sync(path: Path) -> None:
    """Flush a file, or the entries of a folder, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
