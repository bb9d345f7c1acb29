"""What is older than the setting `KEEP_DAYS` allows is deleted; the commands `trainings` and `expire`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial

import click
from flask import Flask, current_app
from flask.cli import AppGroup, with_appcontext

from webapp.jobs import jobs
from webapp.jobs.surveys import SurveyFolder
from webapp.storage import Deleted, storage, storage_of
from webapp.storage.listing import (
    age_in_days,
    age_options,
    as_json_option,
    before,
    dry_run_option,
    print_deleted,
    print_records,
    total_bytes,
)
from webapp.vocabularies.commands import expire_fetched
from webapp.vocabularies.fetching import fetcher_of


@dataclass(frozen=True)
class Expired:
    """What was deleted of a kind of things, or would be, because it is older than `days`; 0: nothing ever is."""

    kind: str
    setting: str
    days: int
    deleted: Deleted


def expire(app: Flask, *, dry_run: bool = False) -> list[Expired]:
    """Delete what is too old, and return that for each kind. With `dry_run`, only count it.

    Raises UnavailableStorageError. Several processes may do this at once.
    """
    inventory, cached = storage_of(app).inventory, fetcher_of(app).disk_cache.folder
    # Snapshots and trainings before the vocabularies that they need.
    deletions: dict[str, tuple[str, Callable[..., Deleted]]] = {
        "snapshots": ("snapshots", inventory.expire_snapshots),
        "trainings": ("trainings", inventory.expire_trainings),
        "uploads": ("uploads", lambda before, *, dry_run: inventory.expire_uploads(before, dry_run=dry_run)[0]),
        "reports": ("reports", inventory.expire_reports),
        "downloaded vocabularies": ("fetched", partial(expire_fetched, app)),
        "surveys": ("surveys", SurveyFolder(cached / "surveys").delete_old),
    }
    done = []
    for kind, (name, delete) in deletions.items():
        days = int(app.config[f"KEEP_{name.upper()}_DAYS"])
        deleted = delete(datetime.now(UTC) - timedelta(days=days), dry_run=dry_run) if days else Deleted()
        done.append(Expired(kind, name, days, deleted))
    return done


group = AppGroup("trainings", help="Trainings of visitors.")


@dataclass(frozen=True)
class ListedTraining:
    """A training; `bytes` of its corpus on the disk, which is deleted when the training ends."""

    id: str
    state: str
    created: datetime
    ended: datetime | None
    bytes: int
    vocabulary: str | None


@group.command("list")
@as_json_option
def list_trainings(as_json: bool) -> None:
    """List every training.

    Prints state, age, the bytes of its corpus, and the vocabulary that was trained.
    """
    records = [
        ListedTraining(
            each.id, each.state, each.created, each.ended, jobs().corpora.bytes_of(each.corpus), each.vocabulary
        )
        for each in storage().inventory.trainings()
    ]
    total = total_bytes([record.bytes for record in records], "trainings")
    print_records(records, _line, total, as_json=as_json)


@group.command("remove")
@click.argument("id")
def remove(id: str) -> None:
    """Delete a training.

    One that waits or runs is cancelled first. The vocabulary that it trained stays, as an upload.
    """
    if any(each.id == id and each.ended is None for each in storage().inventory.trainings()):
        jobs().cancel(id)
    if not storage().inventory.remove_training(id):
        click.echo(f"No training has the id {id!r}. List all: `flask --app webapp trainings list`.", err=True)
        sys.exit(1)
    click.echo(f"{id} is deleted.")


@group.command("expire")
@age_options
def expire_trainings(older_than: timedelta, dry_run: bool, as_json: bool) -> None:
    """Delete the trainings that ended long ago."""
    deleted = storage().inventory.expire_trainings(before(older_than), dry_run=dry_run)
    print_deleted("trainings", deleted, dry_run=dry_run, as_json=as_json)


@click.command("expire")
@with_appcontext
@dry_run_option
@as_json_option
def expire_all(dry_run: bool, as_json: bool) -> None:
    """Delete what is older than TOKENSCOPE_KEEP_DAYS allows.

    A worker does so every hour.
    """
    done = expire(current_app, dry_run=dry_run)
    if as_json:
        rows = [
            {"kind": each.kind, "days": each.days, "count": each.deleted.count, "bytes": each.deleted.bytes}
            for each in done
        ]
        click.echo(json.dumps({"dry_run": dry_run, "expired": rows}, indent=1))
        return
    for each in done:
        if each.days:
            print_deleted(each.kind, each.deleted, dry_run=dry_run, as_json=False)
        else:
            click.echo(f"{each.kind}: kept for good (TOKENSCOPE_KEEP_DAYS does not name {each.setting!r}).")


def _line(record: ListedTraining) -> str:
    trained = record.vocabulary or "-"
    return f"{record.id}  {record.state:9}  {age_in_days(record.created)}  {record.bytes:>13,} bytes  {trained}"
