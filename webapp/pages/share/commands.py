"""`flask --app webapp snapshots`: the operator's commands for reports and snapshots."""

from __future__ import annotations

import sys
from datetime import timedelta

import click
from flask import Blueprint

from webapp.rendering.markup import visible
from webapp.storage import storage
from webapp.storage.inventory import SnapshotRecord
from webapp.storage.listing import (
    age_in_days,
    age_options,
    as_json_option,
    before,
    print_deleted,
    print_records,
    total_bytes,
)


def add_commands(blueprint: Blueprint) -> None:
    """Add the commands to the blueprint, in the group `snapshots`."""
    blueprint.cli.help = "Shared results, and visitors' reports about them."

    @blueprint.cli.command("list")
    @as_json_option
    def list_snapshots(as_json: bool) -> None:
        """List every shared result.

        Prints bytes, age, last day, and how often it was shared and reported.
        """
        records = storage().inventory.snapshots()
        total = total_bytes([record.bytes for record in records], "snapshots")
        print_records(records, _line, total, as_json=as_json)

    @blueprint.cli.command("expire")
    @age_options
    def expire(older_than: timedelta, dry_run: bool, as_json: bool) -> None:
        """Delete shared results that were last shared long ago.

        Their links then say so.
        """
        deleted = storage().inventory.expire_snapshots(before(older_than), dry_run=dry_run)
        print_deleted("snapshots", deleted, dry_run=dry_run, as_json=as_json)

    @blueprint.cli.command("reports")
    def reports() -> None:
        """List what visitors have reported."""
        for report in storage().snapshots.reports():
            click.echo(f"{report.created:%Y-%m-%d %H:%M}  {report.id}  {visible(' '.join(report.reason.split()))}")

    @blueprint.cli.command("dismiss")
    @click.argument("id")
    def dismiss(id: str) -> None:
        """Dismiss the reports about a snapshot; the snapshot stays."""
        count = storage().snapshots.dismiss(id)
        if not count:
            click.echo(f"Nothing was reported about a snapshot {id!r}.", err=True)
            sys.exit(1)
        click.echo(f"{id} stays; reports dismissed: {count}.")

    @blueprint.cli.command("remove")
    @click.argument("id")
    def remove(id: str) -> None:
        """Remove a snapshot for good.

        Its link then says so, and the same result cannot be shared again.
        """
        if not storage().snapshots.remove(id):
            click.echo(f"No snapshot has the id {id!r}. List all: `flask --app webapp snapshots list`.", err=True)
            sys.exit(1)
        click.echo(f"{id} is removed.")


def _line(record: SnapshotRecord) -> str:
    until = f"until {record.expires:%Y-%m-%d}" if record.expires else "no last day"
    return (
        f"{record.id:14}  {record.bytes:>9,} bytes  {age_in_days(record.created)}  {until:16}  "
        f"{record.claims:>3} × shared  {record.reports:>3} × reported"
    )
