"""The command `flask --app webapp vocabularies fetch`; `webapp.jobs.retention` has the others of the group."""

import sys
import time
from difflib import get_close_matches
from hashlib import sha256

import click
from flask import current_app
from flask.cli import AppGroup
from flask_babel import force_locale

from webapp.vocabularies import fetching
from webapp.vocabularies.wellknown import WELL_KNOWN

group = AppGroup("vocabularies", help="Well-known vocabularies, fetched from their publishers.")


@group.command("fetch")
@click.argument("names", nargs=-1, metavar="[NAME]...")
def fetch(names: tuple[str, ...]) -> None:
    """Fetch those named, or else those in TOKENSCOPE_FETCH."""
    names = tuple(dict.fromkeys(names or fetching.chosen(current_app.config["FETCH"])))
    if not names:
        click.echo("Nothing to fetch: no name is given, and TOKENSCOPE_FETCH is empty.")
    unknown = [name for name in names if name not in WELL_KNOWN]
    for name in unknown:
        similar = get_close_matches(name, WELL_KNOWN, n=5, cutoff=0.5)
        hint = f"Did you mean {', '.join(similar)}?" if similar else "List all: `flask --app webapp vocabularies list`."
        click.echo(f"No vocabulary is called {name!r}. {hint}", err=True)
    if unknown:
        sys.exit(2)
    failed = [name for name in names if not _fetch(name)]
    if failed:
        sys.exit(1)


def _fetch(name: str) -> bool:
    """Fetch one vocabulary and print the result; False if it failed."""
    started = time.monotonic()
    try:
        contents = fetching.fetcher_of(current_app).fetch(WELL_KNOWN[name])
    except fetching.FetchError as error:
        with force_locale("en"):
            click.echo(error.sentence(), err=True)
        return False
    seconds = time.monotonic() - started
    for content in contents:
        click.echo(f"{name}  {len(content):,} bytes  sha256 {sha256(content).hexdigest()}  {seconds:.1f} s")
    return True
