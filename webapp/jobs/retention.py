"""Deletes what is older than the settings `KEEP_…_DAYS` allow, of everything that the site stores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from flask import Flask

from webapp.jobs.surveys import SurveyFolder
from webapp.storage import Deleted, storage_of
from webapp.vocabularies.commands import expire_fetched
from webapp.vocabularies.fetching import fetcher_of

Expire = Callable[[datetime, bool], Deleted]


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
    done = []
    for kind, (setting, delete) in _kinds(app).items():
        days = int(app.config[setting])
        before = datetime.now(UTC) - timedelta(days=days)
        done.append(Expired(kind, f"TOKENSCOPE_{setting}", days, delete(before, dry_run) if days else Deleted()))
    return done


def _kinds(app: Flask) -> dict[str, tuple[str, Expire]]:
    """The setting and the function of each kind; snapshots and trainings before the vocabularies that they need."""
    inventory = storage_of(app).inventory
    surveys = SurveyFolder(fetcher_of(app).disk_cache.folder / "surveys")
    return {
        "snapshots": (
            "KEEP_SNAPSHOTS_DAYS",
            lambda before, dry_run: inventory.expire_snapshots(before, dry_run=dry_run),
        ),
        "trainings": (
            "KEEP_TRAININGS_DAYS",
            lambda before, dry_run: inventory.expire_trainings(before, dry_run=dry_run),
        ),
        "uploads": ("KEEP_UPLOADS_DAYS", lambda before, dry_run: inventory.expire_uploads(before, dry_run=dry_run)[0]),
        "reports": ("KEEP_REPORTS_DAYS", lambda before, dry_run: inventory.expire_reports(before, dry_run=dry_run)),
        "downloaded vocabularies": (
            "KEEP_FETCHED_DAYS",
            lambda before, dry_run: expire_fetched(app, before, dry_run=dry_run),
        ),
        "surveys": ("KEEP_SURVEYS_DAYS", lambda before, dry_run: surveys.delete_old(before, dry_run=dry_run)),
    }
