"""The commands `flask --app webapp vocabularies` and `uploads`: list, fetch and delete vocabularies."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from difflib import get_close_matches
from hashlib import sha256
from typing import Any

import click
from flask import Flask, current_app
from flask.cli import AppGroup
from flask_babel import force_locale

from webapp.storage import Deleted, storage
from webapp.storage.inventory import UploadRecord, find_upload
from webapp.storage.listing import (
    age_in_days,
    age_options,
    as_json_option,
    before,
    print_deleted,
    print_records,
    total_bytes,
)
from webapp.vocabularies import fetching, messages
from webapp.vocabularies.wellknown import WELL_KNOWN

group = AppGroup("vocabularies", help="Well-known vocabularies, fetched from their publishers.")
uploads = AppGroup("uploads", help="Vocabularies that visitors uploaded or trained.")


def init_app(app: Flask) -> None:
    """Register the commands with `app`."""
    app.cli.add_command(group)
    app.cli.add_command(uploads)


@dataclass(frozen=True)
class FetchedRecord:
    """A well-known vocabulary; `bytes` of its files and when they were `fetched`, if they are here."""

    name: str
    family: str
    size: int
    source: str
    bytes: int | None
    fetched: datetime | None


@group.command("list")
@as_json_option
def list_known(as_json: bool) -> None:
    """List all well-known vocabularies, and which are downloaded."""
    cache = fetching.fetcher_of(current_app).disk_cache
    records = [
        FetchedRecord(name, known.family, known.size, known.source.shown, *(cache.stored(known) or (None, None)))
        for name, known in WELL_KNOWN.items()
    ]
    width = max(map(len, WELL_KNOWN))

    def line(record: FetchedRecord) -> str:
        here = "ships" if WELL_KNOWN[record.name].ships else age_in_days(record.fetched) if record.fetched else "-"
        return f"{record.name:{width}}  {record.size:>7,}  {here:>7}  {record.family:10}  {record.source}"

    total = total_bytes([record.bytes or 0 for record in records if record.fetched], "downloaded")
    print_records(records, line, total, as_json=as_json)


@group.command("expire")
@age_options
def expire(older_than: timedelta, dry_run: bool, as_json: bool) -> None:
    """Delete the vocabularies that were downloaded long ago."""
    deleted = expire_fetched(current_app, before(older_than), dry_run=dry_run)
    print_deleted("downloaded vocabularies", deleted, dry_run=dry_run, as_json=as_json)


def expire_fetched(app: Flask, before: datetime, *, dry_run: bool = False) -> Deleted:
    """Delete the vocabularies that were downloaded before a time."""
    cache = fetching.fetcher_of(app).disk_cache
    deleted = Deleted()
    for known in WELL_KNOWN.values():
        stored = cache.stored(known)
        if stored is not None and stored[1] < before:
            deleted += Deleted(1, stored[0] if dry_run else cache.remove(known))
    return deleted


@group.command("fetch")
@click.argument("names", nargs=-1, metavar="[NAME]...")
def fetch(names: tuple[str, ...]) -> None:
    """Fetch those named, or else those in TOKENSCOPE_FETCH."""
    names = tuple(dict.fromkeys(names or chosen(current_app.config["FETCH"])))
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


def chosen(setting: Any) -> list[str]:
    """The names in the setting FETCH, which is a list or a string with spaces or commas between the names.

    >>> chosen("gpt2, t5"), chosen(["gpt2"])
    (['gpt2', 't5'], ['gpt2'])
    """
    return list(map(str, setting)) if isinstance(setting, list | tuple) else str(setting).replace(",", " ").split()


def _fetch(name: str) -> bool:
    """Fetch one vocabulary and print the result; False if it failed."""
    started = time.monotonic()
    try:
        contents = fetching.fetcher_of(current_app).fetch(WELL_KNOWN[name])
    except fetching.FetchError as error:
        with force_locale("en"):
            click.echo(messages.sentence(error), err=True)
        return False
    seconds = time.monotonic() - started
    for content in contents:
        click.echo(f"{name}  {len(content):,} bytes  sha256 {sha256(content).hexdigest()}  {seconds:.1f} s")
    return True


@uploads.command("list")
@as_json_option
def list_uploads(as_json: bool) -> None:
    """List every vocabulary in the database.

    Prints bytes, age, and what needs it. The database does not know who uploaded it.
    """
    found = storage().inventory.uploads()
    total = total_bytes([upload.bytes for upload in found], "vocabularies")
    print_records(found, _upload_line, total, as_json=as_json)


@uploads.command("remove")
@click.argument("name")
@click.option("--force", is_flag=True, help="Delete it even if a snapshot or a training needs it.")
def remove_upload(name: str, force: bool) -> None:
    """Delete a vocabulary by its name (upload-…) or its hash."""
    inventory = storage().inventory
    upload = find_upload(inventory.uploads(), name)
    if upload is None:
        click.echo(f"No vocabulary is called {name!r}. List all: `flask --app webapp uploads list`.", err=True)
        sys.exit(1)
    needed = upload.snapshots or upload.trainings
    if needed and not force:
        click.echo(
            f"{upload.name} was not deleted: {_needed(upload)}. With --force it is deleted; shared results then keep "
            "their tokens, and their pages say that the vocabulary is gone.",
            err=True,
        )
        sys.exit(1)
    deleted = inventory.remove_upload(upload.hash)
    click.echo(f"{upload.name} is deleted: {deleted.bytes:,} bytes{f'; {_needed(upload)}' if needed else ''}.")


@uploads.command("expire")
@age_options
def expire_uploads(older_than: timedelta, dry_run: bool, as_json: bool) -> None:
    """Delete old vocabularies that nothing needs.

    Those that only snapshots need lose their name, and are deleted with the last of these snapshots.
    """
    deleted, withdrawn = storage().inventory.expire_uploads(before(older_than), dry_run=dry_run)
    print_deleted("uploads", deleted, dry_run=dry_run, as_json=as_json, kept_for_snapshots=withdrawn)
    if withdrawn and not as_json:
        click.echo(f"{withdrawn:,} {'would stay' if dry_run else 'stay'} for snapshots only.")


def _upload_line(upload: UploadRecord) -> str:
    kind = "upload" if upload.uploaded else "for snapshots"
    return (
        f"{upload.name}  {upload.bytes:>11,} bytes  {age_in_days(upload.created)}  {kind:13}  "
        f"{upload.snapshots:>5} snapshots  {upload.trainings:>3} trainings  {upload.format}"
    )


def _needed(upload: UploadRecord) -> str:
    counts = [(upload.snapshots, "snapshot"), (upload.trainings, "training")]
    return " and ".join(f"{count:,} {name}{'s' * (count != 1)} need it" for count, name in counts if count)
