"""`flask --app webapp snapshots`: the operator's commands for reports and snapshots."""

from __future__ import annotations

import sys

import click
from flask import Blueprint

from webapp.rendering.markup import visible
from webapp.storage import storage


def add_commands(blueprint: Blueprint) -> None:
    """Add the commands to the blueprint, in the group `snapshots`."""

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
        """Remove a snapshot permanently: its link then says so, and the same result cannot be shared again."""
        if not storage().snapshots.remove(id):
            click.echo(f"No snapshot has the id {id!r}.", err=True)
            sys.exit(1)
        click.echo(f"{id} is removed.")
