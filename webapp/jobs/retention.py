"""What is stored, for the operator: `flask --app webapp snapshots`, `uploads`, `vocabularies`, `trainings`, `expire`.

What is older than the setting `KEEP_DAYS` allows is deleted by a worker, every hour.
"""

import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, NoReturn

import click
from flask import Flask, current_app
from flask.cli import AppGroup, with_appcontext

from webapp.jobs import jobs
from webapp.storage import Deleted, storage, storage_of
from webapp.vocabularies import commands, surveys
from webapp.vocabularies.fetching import fetcher_of
from webapp.vocabularies.wellknown import WELL_KNOWN

Record = dict[str, Any]

_HOURS = {"h": 1, "d": 24, "w": 24 * 7}

snapshots = AppGroup("snapshots", help="Shared results, and visitors' reports about them.")
uploads = AppGroup("uploads", help="Vocabularies that visitors uploaded or trained.")
trainings = AppGroup("trainings", help="Trainings of visitors.")


def init_app(app: Flask) -> None:
    """Register the commands with `app`."""
    for command in (snapshots, uploads, commands.group, trainings, expire_all):
        app.cli.add_command(command)


def deletions(app: Flask) -> dict[str, tuple[str, Callable[..., Deleted]]]:
    """What deletes each kind of things from before a time, and the kind's name in the setting `KEEP_DAYS`."""
    inventory, fetched = storage_of(app).inventory, fetcher_of(app).disk_cache
    return {  # snapshots and trainings before the vocabularies that they need
        "snapshots": ("snapshots", inventory.expire_snapshots),
        "trainings": ("trainings", inventory.expire_trainings),
        "uploads": ("uploads", inventory.expire_uploads),
        "reports": ("reports", inventory.expire_reports),
        "downloaded vocabularies": ("fetched", fetched.expire),
        "surveys": ("surveys", partial(surveys.delete_old, fetched.folder / "surveys")),
    }


def expire(app: Flask, *, dry_run: bool = False) -> list[Record]:
    """Delete what is older than `days`, and return how much of each kind of things; 0 days: nothing ever is.

    With `dry_run`, only count it. Raises UnavailableStorageError. Several processes may do this at once.
    """
    done = []
    for kind, (setting, delete) in deletions(app).items():
        days = int(app.config[f"KEEP_{setting.upper()}_DAYS"])
        deleted = delete(datetime.now(UTC) - timedelta(days=days), dry_run=dry_run) if days else Deleted()
        done.append({"kind": kind, "setting": setting, "days": days, **asdict(deleted)})
    if not dry_run:  # also of what another machine has deleted
        fetcher_of(app).disk_cache.delete_compact(storage_of(app).vocabularies.has)
    return done


class Age(click.ParamType[timedelta]):
    """An age such as `90d`, in hours, days or weeks.

    >>> Age().convert("90d", None, None)
    datetime.timedelta(days=90)
    """

    name = "age"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        """The age as a time span; fails with what is expected."""
        found = re.fullmatch(r"([0-9]{1,5})([hdw])", str(value))
        if found is None:
            self.fail(f"{value!r} is not an age: write a number with h, d or w, such as 90d.", param, ctx)
        return timedelta(hours=int(found[1]) * _HOURS[found[2]])


_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
_dry_run = click.option("--dry-run", is_flag=True, help="Only say what would be deleted.")
_older_than = click.option("--older-than", type=Age(), required=True, metavar="AGE", help="For example 90d, 48h or 8w.")


def _list_and_expire(
    group: AppGroup, kind: str, found: Callable[[], list[Record]], columns: str, listing: str, expiry: str
) -> None:
    """Add the commands `list` and `expire` to a group; the list as text has some columns of its records."""

    @group.command("list", help=listing)
    @_as_json
    def list_all(as_json: bool) -> None:
        records = found()
        if as_json:
            click.echo(json.dumps(records, default=lambda time: time.isoformat(timespec="seconds"), indent=1))
            return
        sizes = [record["bytes"] for record in records if record["bytes"] is not None]
        _print_table(records, columns.split())
        click.echo(f"{len(sizes):,} {kind}, {sum(sizes):,} bytes", err=True)

    @group.command("expire", help=expiry)
    @_older_than
    @_dry_run
    @_as_json
    def expire_old(older_than: timedelta, dry_run: bool, as_json: bool) -> None:
        deleted = deletions(current_app)[kind][1](datetime.now(UTC) - older_than, dry_run=dry_run)
        record = {"kind": kind, "dry_run": dry_run, **asdict(deleted)}
        if as_json:
            click.echo(json.dumps(record))
        else:
            _print_deleted(record, dry_run)


def _print_table(records: Iterable[Record], columns: Sequence[str]) -> None:
    """Print a row for each record on standard output, and the names of the columns on standard error."""
    rows = [[_cell(record[column]) for column in columns] for record in records]
    widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
    for row in [columns, *rows]:
        cells = (
            cell.rjust(width) if cell.replace(",", "").isdecimal() else cell.ljust(width)
            for cell, width in zip(row, widths, strict=True)
        )
        click.echo("  ".join(cells).rstrip(), err=row is columns)


def _cell(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "yes" if value else "-"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _print_deleted(deleted: Record, dry_run: bool) -> None:
    verb = "Would delete" if dry_run else "Deleted"
    click.echo(f"{verb} {deleted['count']:,} {deleted['kind']}, {deleted['bytes']:,} bytes.")
    if kept := deleted["kept_for_snapshots"]:
        click.echo(f"{kept:,} {'would stay' if dry_run else 'stay'} for snapshots only.")


def _fail(message: str) -> NoReturn:
    click.echo(message, err=True)
    sys.exit(1)


def _listed_trainings() -> list[Record]:
    """The trainings; `bytes` of the corpus on the disk, which several may share until it is deleted."""
    found = storage().inventory.trainings()
    return [{**each, "bytes": jobs().corpora.bytes_of(each.pop("corpus"))} for each in found]


def _listed_vocabularies() -> list[Record]:
    """The well-known vocabularies; `bytes` of their files and when they were `fetched`, if they are here."""
    records = []
    for name, known in WELL_KNOWN.items():
        bytes, fetched = fetcher_of(current_app).disk_cache.stored(known) or (None, None)
        about = {"name": name, "family": known.family, "size": known.size, "source": known.source.shown}
        records.append({**about, "bytes": bytes, "fetched": fetched})
    return records


_list_and_expire(
    snapshots,
    "snapshots",
    lambda: storage().inventory.snapshots(),
    "id bytes created expires claims reports",
    "List every shared result: bytes, first and last day, how often it was shared and reported.",
    "Delete shared results that were last shared long ago. Their links then say so.",
)
_list_and_expire(
    uploads,
    "uploads",
    lambda: storage().inventory.uploads(),
    "name bytes created uploaded snapshots trainings format",
    "List every vocabulary in the database, and what needs it. Nothing says who uploaded it.",
    "Delete old vocabularies that nothing needs. Those that only snapshots need lose their name, and are deleted with "
    "the last of these snapshots.",
)
_list_and_expire(
    trainings,
    "trainings",
    _listed_trainings,
    "id state created bytes vocabulary",
    "List every training: its state, the bytes of its corpus, and the vocabulary that was trained.",
    "Delete the trainings that ended long ago.",
)
_list_and_expire(
    commands.group,
    "downloaded vocabularies",
    _listed_vocabularies,
    "name size bytes fetched family source",
    "List all well-known vocabularies, and which are downloaded.",
    "Delete the vocabularies that were downloaded long ago.",
)


@snapshots.command("reports")
def reports() -> None:
    """List what visitors have reported."""
    for report in storage().snapshots.reports():
        reason = "".join(each if each.isprintable() else "\ufffd" for each in " ".join(report.reason.split()))
        click.echo(f"{report.created:%Y-%m-%d %H:%M}  {report.id}  {reason}")


@snapshots.command("dismiss")
@click.argument("id")
def dismiss(id: str) -> None:
    """Dismiss the reports about a snapshot; the snapshot stays."""
    count = storage().snapshots.dismiss(id)
    if not count:
        _fail(f"Nothing was reported about a snapshot {id!r}.")
    click.echo(f"{id} stays; reports dismissed: {count}.")


@snapshots.command("remove")
@click.argument("id")
def remove_snapshot(id: str) -> None:
    """Remove a snapshot for good. Its link then says so, and the same result cannot be shared again."""
    if not storage().snapshots.remove(id):
        _fail(f"No snapshot has the id {id!r}. List all: `flask --app webapp snapshots list`.")
    click.echo(f"{id} is removed.")


@uploads.command("remove")
@click.argument("name")
@click.option("--force", is_flag=True, help="Delete it even if a snapshot or a training needs it.")
def remove_upload(name: str, force: bool) -> None:
    """Delete a vocabulary by its name (upload-…) or its hash."""
    inventory = storage().inventory
    upload = next((each for each in inventory.uploads() if name in (each["name"], each["hash"])), None)
    if upload is None:
        _fail(f"No vocabulary is called {name!r}. List all: `flask --app webapp uploads list`.")
    needed = f"snapshots: {upload['snapshots']:,}, trainings: {upload['trainings']:,}"
    if (upload["snapshots"] or upload["trainings"]) and not force:
        _fail(
            f"{name} was not deleted, because it is needed ({needed}). With --force it is deleted; shared results then "
            "keep their tokens, and their pages say that the vocabulary is gone."
        )
    click.echo(f"{name} is deleted: {inventory.remove_upload(upload['hash']).bytes:,} bytes. Needed by {needed}.")
    fetcher_of(current_app).disk_cache.delete_compact(storage().vocabularies.has)


@trainings.command("remove")
@click.argument("id")
def remove_training(id: str) -> None:
    """Delete a training.

    One that waits or runs is cancelled first. Its corpus goes, too, unless another training needs it. The vocabulary
    that it trained stays, as an upload.
    """
    job = jobs().find(id)
    jobs().cancel(id)
    if job is not None:
        jobs().delete_corpus(job.corpus)
    if not storage().inventory.remove_training(id):
        _fail(f"No training has the id {id!r}. List all: `flask --app webapp trainings list`.")
    click.echo(f"{id} is deleted.")


@click.command("expire")
@with_appcontext
@_dry_run
@_as_json
def expire_all(dry_run: bool, as_json: bool) -> None:
    """Delete what is older than TOKENSCOPE_KEEP_DAYS allows.

    A worker does so every hour.
    """
    done = expire(current_app, dry_run=dry_run)
    if as_json:
        click.echo(json.dumps({"dry_run": dry_run, "expired": done}, indent=1))
        return
    for each in done:
        if each["days"]:
            _print_deleted(each, dry_run)
        else:
            click.echo(f"{each['kind']}: kept for good (TOKENSCOPE_KEEP_DAYS does not name {each['setting']!r}).")
