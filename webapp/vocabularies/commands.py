"""`flask --app webapp vocabularies`: what there is to fetch, and fetching it ahead of time."""

from __future__ import annotations

import sys
import time
from difflib import get_close_matches
from hashlib import sha256
from typing import Any

import click
from flask import Flask, current_app
from flask.cli import AppGroup
from flask_babel import force_locale

from webapp.vocabularies import fetching, messages
from webapp.vocabularies.wellknown import WELL_KNOWN

group = AppGroup("vocabularies", help="Well-known vocabularies, fetched from their publishers.")


def init_app(app: Flask) -> None:
    """Give `app` the commands, which `flask --app webapp` lists."""
    app.cli.add_command(group)


@group.command("list")
def list_known() -> None:
    """List every well-known vocabulary, and whether it has been fetched."""
    fetcher = fetching.of(current_app)
    width = max(map(len, WELL_KNOWN))
    for name, known in WELL_KNOWN.items():
        here = "here" if fetcher.has(known) else "-"
        click.echo(f"{name:{width}}  {known.size:>7,}  {here:4}  {known.family:10}  {known.source.shown}")


@group.command("fetch")
@click.argument("names", nargs=-1, metavar="[NAME]...")
def fetch(names: tuple[str, ...]) -> None:
    """Fetch vocabularies: those named, or else those of the setting FETCH."""
    wanted = list(dict.fromkeys(names or chosen(current_app.config["FETCH"])))
    if not wanted:
        click.echo("Nothing to fetch: no name is given, and TOKENSCOPE_FETCH is empty.")
    strange = [name for name in wanted if name not in WELL_KNOWN]
    for name in strange:
        near = get_close_matches(name, WELL_KNOWN, n=5, cutoff=0.5)
        hint = f"Did you mean {', '.join(near)}?" if near else "`flask --app webapp vocabularies list` names them all."
        click.echo(f"No vocabulary is called {name!r}. {hint}", err=True)
    if strange:
        sys.exit(2)
    failed = [name for name in wanted if not _fetched(name)]
    if failed:
        sys.exit(1)


def chosen(setting: Any) -> list[str]:
    """The names in the setting FETCH: a list, or a text with spaces or commas between them.

    >>> chosen("gpt2, t5"), chosen(["gpt2"])
    (['gpt2', 't5'], ['gpt2'])
    """
    return list(map(str, setting)) if isinstance(setting, list | tuple) else str(setting).replace(",", " ").split()


def _fetched(name: str) -> bool:
    """Fetch one vocabulary and say how it went."""
    started = time.monotonic()
    try:
        contents = fetching.of(current_app).fetch(WELL_KNOWN[name])
    except fetching.FetchError as error:
        with force_locale("en"):
            click.echo(messages.sentence(error), err=True)
        return False
    seconds = time.monotonic() - started
    for content in contents:
        click.echo(f"{name}  {len(content):,} bytes  sha256 {sha256(content).hexdigest()}  {seconds:.1f} s")
    return True
