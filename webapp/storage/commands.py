"""The commands `flask --app webapp backup FILE` and `restore FILE` for the embedded database."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click
from flask import Flask

from webapp.storage.backup import BackupError, write
from webapp.storage.backup import restore as put_back
from webapp.storage.engine import Database


def init_app(app: Flask, database: Database) -> None:
    """Register the two commands with `app`."""

    @app.cli.command("backup")
    @click.argument("file", type=click.Path(path_type=Path))
    def backup(file: Path) -> None:
        """Back up the database to FILE while the site runs."""
        _done(write, database, file)
        click.echo(f"Backed up the database to {file}: {file.stat().st_size:,} bytes.")

    @app.cli.command("restore")
    @click.argument("file", type=click.Path(path_type=Path))
    def restore(file: Path) -> None:
        """Restore the database from FILE; later changes are lost."""
        _done(put_back, database, file)
        click.echo(f"Restored the database from {file}.")


def _done(what: Callable[[Database, Path], None], database: Database, file: Path) -> None:
    try:
        what(database, file)
    except BackupError as error:
        click.echo(str(error), err=True)
        sys.exit(1)
