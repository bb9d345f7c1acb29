"""What the operator's commands have in common: the option `--older-than`, and listings as text or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import click

from webapp.storage.inventory import Deleted

F = TypeVar("F", bound=Callable[..., Any])

_HOURS = {"h": 1, "d": 24, "w": 24 * 7}


class Age(click.ParamType[timedelta]):
    """An age such as `90d`, in hours, days or weeks.

    >>> Age().convert("90d", None, None)
    datetime.timedelta(days=90)
    """

    name = "age"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        """The age as a time span; fails with what is expected."""
        if isinstance(value, timedelta):
            return value
        found = re.fullmatch(r"([0-9]{1,5})([hdw])", value)
        if found is None:
            self.fail(f"{value!r} is not an age: write a number with h, d or w, such as 90d.", param, ctx)
        return timedelta(hours=int(found[1]) * _HOURS[found[2]])


as_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
dry_run_option = click.option("--dry-run", is_flag=True, help="Only say what would be deleted.")


def age_options(command: F) -> F:
    """Add the options of a command that deletes what is old."""
    older = click.option("--older-than", type=Age(), required=True, metavar="AGE", help="For example 90d, 48h or 8w.")
    decorated: F = older(dry_run_option(as_json_option(command)))
    return decorated


def before(age: timedelta) -> datetime:
    """The time that is so long ago."""
    return datetime.now(UTC) - age


def print_records(records: Iterable[Any], line: Callable[[Any], str], total: str, *, as_json: bool) -> None:
    """Print dataclasses: one a line and the total on standard error, or all fields as a JSON list."""
    records = list(records)
    if as_json:
        click.echo(json.dumps([asdict(record) for record in records], default=_plain, indent=1))
        return
    for record in records:
        click.echo(line(record))
    click.echo(total, err=True)  # not among the lines that programs read


def print_deleted(kind: str, deleted: Deleted, *, dry_run: bool, as_json: bool, **more: Any) -> None:
    """Print what a command has deleted, or would."""
    if as_json:
        click.echo(json.dumps({"kind": kind, "dry_run": dry_run, **asdict(deleted), **more}))
        return
    verb = "Would delete" if dry_run else "Deleted"
    click.echo(f"{verb} {deleted.count:,} {kind}, {deleted.bytes:,} bytes.")


def age_in_days(moment: datetime) -> str:
    """How long ago something was, in whole days, right-aligned: `  12 d`."""
    return f"{(datetime.now(UTC) - moment).days:>5,} d"


def total_bytes(sizes: Sequence[int], kind: str) -> str:
    """The last line of a listing."""
    return f"{len(sizes):,} {kind}, {sum(sizes):,} bytes"


def _plain(value: Any) -> Any:
    return value.isoformat(timespec="seconds") if isinstance(value, datetime) else str(value)
