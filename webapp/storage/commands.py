"""The commands `flask --app webapp backup FILE` and `restore FILE` for the embedded database."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click
from flask import Flask

from webapp.storage.backup import BackupError, write
from webapp.storage.backup import restore as put_back
from webapp.storage.engine import Database, UnavailableStorageError
from webapp.storage.schema import SchemaError


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
        except (UnavailableStorageError, SchemaError) as error:
            click.echo(" ".join(str(error).split()), err=True)
            sys.exit(1)

    explained.explains_failures = True  # type: ignore[attr-defined]  # groups of blueprints belong to all sites of a process
    return explained


def _done(what: Callable[[Database, Path], None], database: Database, file: Path) -> None:
    try:
        what(database, file)
    except BackupError as error:
        click.echo(str(error), err=True)
        sys.exit(1)
