"""Checks whether the site can do its work: database, vocabularies and disk space.

Every check runs in a thread of its own and has `MAX_DATABASE_SECONDS` to answer, all of them together. A check that has
not come back is not started again until it does, and each process remembers a report for `REMEMBERED` seconds: asking
often neither piles up threads nor loads the database.

A report is public. It names no address, path or account; the log and `tokenscope doctor` do.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from flask import Blueprint, Flask, Response, current_app
from sqlalchemy import text

from webapp.core import __version__
from webapp.storage import SchemaError, UnavailableStorageError, storage_of
from webapp.storage.engine import Database
from webapp.storage.schema import HEAD
from webapp.vocabularies import shipped_vocabularies
from webapp.web import proxies
from webapp.web.folders import Folder, folders_of
from webapp.web.release import commit

log = logging.getLogger(__name__)
blueprint = Blueprint("health", __name__)

REMEMBERED = 1.0

_EXTENSION = "tokenscope-readiness"
_AWAY = {
    "locked": "The database is locked.",
    "full": "The disk of the database is full.",
    "away": "The database cannot be reached.",
    "damaged": "The file of the database is damaged.",
}


class Check:
    """One check: `ask` returns what is wrong, or None."""

    def __init__(self, ask: Callable[[], str | None]) -> None:
        self._ask = ask
        self._problem: str | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Ask in a thread, unless that still waits for an earlier answer."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def wait(self, deadline: float) -> str | None:
        """What is wrong, at `deadline` (of `time.monotonic`) at the latest."""
        assert self._thread is not None
        self._thread.join(max(0.0, deadline - time.monotonic()))
        return "There was no answer in time." if self._thread.is_alive() else self._problem

    def _run(self) -> None:
        try:
            self._problem = self._ask()
        except Exception:
            log.exception("A check of /readyz failed")
            self._problem = "The check failed; the log says why."


class Readiness:
    """The checks of one application."""

    def __init__(self, checks: dict[str, Check], *, seconds: float) -> None:
        """`seconds` is the time limit for all checks together."""
        self._checks = checks
        self._seconds = seconds
        self._lock = threading.Lock()
        self._problems: dict[str, str | None] = {}
        self._as_of = float("-inf")

    def problems(self) -> dict[str, str | None]:
        """What is wrong by check, None for those that passed; at most `REMEMBERED` seconds old."""
        with self._lock:
            if time.monotonic() - self._as_of >= REMEMBERED:
                deadline = time.monotonic() + self._seconds
                for check in self._checks.values():
                    check.start()
                self._problems = {name: check.wait(deadline) for name, check in self._checks.items()}
                self._as_of = time.monotonic()
            return self._problems


def report(app: Flask) -> dict[str, Any]:
    """The report of `app` for `/readyz`: each check with `ok`, `required` (all are), and what is the `problem`."""
    readiness: Readiness = app.extensions.get(_EXTENSION) or app.extensions.setdefault(_EXTENSION, _made(app))
    problems = readiness.problems()
    status = "unready" if any(problems.values()) else "ready"
    checks = {
        name: {"ok": not problem, "required": True} | ({"problem": problem} if problem else {})
        for name, problem in problems.items()
    }
    warnings = ["proxies: " + proxies.WARNING] if proxies.are_uncounted(app) else []
    built_from = commit(str(app.config["COMMIT"]))
    return {"status": status, "version": __version__, "commit": built_from, "checks": checks, "warnings": warnings}


def _made(app: Flask) -> Readiness:
    least = int(app.config["MIN_DISK_BYTES"])
    checks = {
        "database": Check(partial(database_problem, storage_of(app).database)),
        "vocabularies": Check(partial(vocabulary_problem, preloaded=bool(app.config["PRELOAD"]))),
    }
    for folder in folders_of(app.config, app.instance_path):
        checks[f"disk: {folder.name}"] = Check(partial(folder_problem, folder, least))
    return Readiness(checks, seconds=float(app.config["MAX_DATABASE_SECONDS"]))


def database_problem(database: Database) -> str | None:
    """What is wrong with the database: unreachable, or at another revision than this release needs."""
    try:
        with database.read() as connection:
            revision = connection.scalar(text("SELECT version_num FROM alembic_version"))
    except UnavailableStorageError as error:
        log.warning("/readyz: %s", error)
        return _AWAY[error.reason]
    except SchemaError:
        return f"A newer release has migrated the database; this one needs revision {HEAD}."
    return None if revision == HEAD else f"The database is at revision {revision}; this release needs {HEAD}."


def vocabulary_problem(*, preloaded: bool) -> str | None:
    """What is wrong with the built-in vocabularies: files that are missing, or with `preloaded` not in the memory."""
    missing = shipped_vocabularies.missing_files()
    if missing:
        return f"Files of the built-in vocabularies are missing: {', '.join(missing)}."
    if preloaded and not shipped_vocabularies.ARE_LOADED.is_set():
        return "The built-in vocabularies are not loaded."
    return None


def folder_problem(folder: Folder, least: int) -> str | None:
    """What is wrong with a folder: it cannot be written, or the disk has less than `least` bytes of free space."""
    place = folder.existing
    if not os.access(place, os.W_OK | os.X_OK) or (place != folder.path and not folder.create):
        return "The folder cannot be written."
    try:
        free = folder.free_bytes()
    except OSError:
        return "The folder cannot be read."
    if free < least:
        return f"The disk is nearly full: less than {least:,} bytes are free."
    return None


@blueprint.get("/healthz")
def healthz() -> Response:
    """Answer `ok` without using the database or any vocabulary."""
    return Response("ok", mimetype="text/plain")


@blueprint.get("/readyz")
def readyz() -> Response:
    """Answer with a report as JSON; the status is 503 while something is missing that the site needs."""
    current = report(current_app)
    response = Response(json.dumps(current, indent=2) + "\n", mimetype="application/json")
    response.status_code = 503 if current["status"] == "unready" else 200
    response.headers["Cache-Control"] = "no-store"
    return response
