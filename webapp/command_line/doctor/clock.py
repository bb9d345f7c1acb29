"""Compares the clock of this machine with those of the database and the queue."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
from redis import RedisError

from webapp import PACKAGE
from webapp.command_line.doctor import database, queue
from webapp.command_line.doctor.finding import Finding, Installation, fail, ok, warn, within

# Trainings are taken up by other workers after TOKENSCOPE_MAX_SILENT_SECONDS by the machines' clocks, 20 by default.
MOST_SECONDS = 2.0
ADVICE = "Set the clocks of all machines with NTP (chrony or systemd-timesyncd)."


def check(installation: Installation) -> Iterator[Finding]:
    """The findings on the clock."""
    now, installed = time.time(), Path(PACKAGE, "__init__.py").stat().st_mtime
    if now < installed - 86_400:
        yield fail(f"The clock says {time.strftime('%F %T UTC', time.gmtime(now))}, before the installation.", ADVICE)
    else:
        yield ok(f"The clock says {time.strftime('%F %T UTC', time.gmtime(now))}; the time zone is {_zone()}.")
    others: dict[str, Callable[[], float]] = {}
    if installation.config["DATABASE_URL"]:
        others["the database"] = lambda: _postgres_time(installation)
    if installation.redis:
        others["Redis"] = lambda: _redis_time(installation)
    for name, ask in others.items():
        try:
            difference = within(3 * installation.seconds, lambda ask=ask: _difference(ask))  # type: ignore[misc]
        except (psycopg.Error, RedisError, OSError, ValueError):
            yield warn(f"The clock cannot be compared with that of {name}.", f"See what is said about {name}.")
            continue
        if abs(difference) > MOST_SECONDS:
            yield warn(f"The clock of {name} differs by {difference:+.1f} s from this machine's.", ADVICE)
        else:
            yield ok(f"The clock of {name} agrees to {abs(difference):.2f} s.")


def _difference(ask: Callable[[], float]) -> float:
    """By how many seconds another clock is ahead, with half of the time that asking takes taken off."""
    begun = time.time()
    told = ask()
    return told - (begun + time.time()) / 2


def _postgres_time(installation: Installation) -> float:
    with database.connect(installation) as connection:
        row = connection.execute("SELECT extract(epoch FROM clock_timestamp())").fetchone()
    assert row is not None
    return float(row[0])


def _redis_time(installation: Installation) -> float:
    with queue.connect(installation) as redis:
        seconds, microseconds = redis.time()
    return float(seconds) + float(microseconds) / 1_000_000


def _zone() -> str:
    return f"{time.tzname[0]}, {-time.timezone / 3600:+g} h"
