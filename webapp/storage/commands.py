"""`flask --app webapp backup FILE` and `restore FILE`: the embedded database in one file, and back."""

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
    """Give `app` the two commands, which `flask --app webapp` lists."""

    @app.cli.command("backup")
    @click.argument("file", type=click.Path(path_type=Path))
    def backup(file: Path) -> None:
        """Copy everything the site keeps to FILE, while it runs."""
        _done(write, database, file)
        click.echo(f"Everything the site keeps is in {file}: {file.stat().st_size:,} bytes.")

    @app.cli.command("restore")
    @click.argument("file", type=click.Path(path_type=Path))
    def restore(file: Path) -> None:
        """Put everything back as it is in FILE; what came later is gone."""
        _done(put_back, database, file)
        click.echo(f"Everything is as it was in {file}.")


def _done(what: Callable[[Database, Path], None], database: Database, file: Path) -> None:
    try:
        what(database, file)
    except BackupError as error:
        click.echo(str(error), err=True)
        sys.exit(1)
