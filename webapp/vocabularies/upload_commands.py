"""The commands `flask --app webapp uploads`: list and delete the vocabularies that visitors uploaded or trained."""

from __future__ import annotations

import sys
from datetime import timedelta

import click
from flask.cli import AppGroup

from webapp.storage import storage
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

group = AppGroup("uploads", help="Vocabularies that visitors uploaded or trained.")


@group.command("list")
@as_json_option
def list_uploads(as_json: bool) -> None:
    """List every vocabulary in the database.

    Prints bytes, age, and what needs it. The database does not know who uploaded it.
    """
    uploads = storage().inventory.uploads()
    total = total_bytes([upload.bytes for upload in uploads], "vocabularies")
    print_records(uploads, _line, total, as_json=as_json)


@group.command("remove")
@click.argument("name")
@click.option("--force", is_flag=True, help="Delete it even if a snapshot or a training needs it.")
def remove(name: str, force: bool) -> None:
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


@group.command("expire")
@age_options
def expire(older_than: timedelta, dry_run: bool, as_json: bool) -> None:
    """Delete old vocabularies that nothing needs.

    Those that only snapshots need lose their name, and are deleted with the last of these snapshots.
    """
    deleted, withdrawn = storage().inventory.expire_uploads(before(older_than), dry_run=dry_run)
    print_deleted("uploads", deleted, dry_run=dry_run, as_json=as_json, kept_for_snapshots=withdrawn)
    if withdrawn and not as_json:
        click.echo(f"{withdrawn:,} {'would stay' if dry_run else 'stay'} for snapshots only.")


def _line(upload: UploadRecord) -> str:
    kind = "upload" if upload.uploaded else "for snapshots"
    return (
        f"{upload.name}  {upload.bytes:>11,} bytes  {age_in_days(upload.created)}  {kind:13}  "
        f"{upload.snapshots:>5} snapshots  {upload.trainings:>3} trainings  {upload.format}"
    )


def _needed(upload: UploadRecord) -> str:
    counts = [(upload.snapshots, "snapshot"), (upload.trainings, "training")]
    return " and ".join(f"{count:,} {name}{'s' * (count != 1)} need it" for count, name in counts if count)
