"""Checks whether the site can do its work: database, vocabularies and disk space.

Every check runs in a thread of its own and has `MAX_DATABASE_SECONDS` to answer, all of them together. A check that has
not come back is not started again until it does, and each process remembers a report for `REMEMBERED` seconds: asking
often neither piles up threads nor loads the database.

A report is public. It names no address, path or account; the log and `tokenscope doctor` do.
"""

import json
import logging
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from flask import Blueprint, Flask, Response, current_app
from sqlalchemy import text

from webapp.core import __version__
from webapp.storage import SchemaError, UnavailableStorageError, storage_of
from webapp.storage.engine import Database
from webapp.storage.schema import HEAD
from webapp.vocabularies import shipped_vocabularies
from webapp.web import proxies

log = logging.getLogger(__name__)
blueprint = Blueprint("health", __name__)

REMEMBERED = 1.0
CHECKOUT = Path(__file__).resolve().parents[2]

_COMMIT = re.compile(r"[0-9a-f]{7,64}")

_EXTENSION = "tokenscope-readiness"
_AWAY = {
    "locked": "The database is locked.",
    "full": "The disk of the database is full.",
    "away": "The database cannot be reached.",
    "damaged": "The file of the database is damaged.",
}


class Folder(NamedTuple):
    """A folder that the site writes to: a name without its place on the disk, the path, and the setting that moves it.

    `create` tells whether the site creates the folder when it first needs it.
    """

    name: str
    path: Path
    setting: str
    create: bool = True


class Readiness:
    """The checks of one application, each of which returns what is wrong, or None."""

    def __init__(self, checks: Mapping[str, Callable[[], str | None]], *, seconds: float) -> None:
        """`seconds` is the time limit for all checks together."""
        self._checks = checks
        self._seconds = seconds
        self._lock = threading.Lock()
        self._threads: dict[str, threading.Thread] = {}
        self._found: dict[str, str | None] = {}  # by the threads
        self._problems: dict[str, str | None] = {}
        self._as_of = float("-inf")

    def problems(self) -> dict[str, str | None]:
        """What is wrong by check, None for those that passed; at most `REMEMBERED` seconds old."""
        with self._lock:
            if time.monotonic() - self._as_of >= REMEMBERED:
                deadline = time.monotonic() + self._seconds
                for name in self._checks:
                    if name not in self._threads or not self._threads[name].is_alive():
                        self._threads[name] = threading.Thread(target=self._run, args=[name], daemon=True)
                        self._threads[name].start()
                self._problems = {name: self._problem(name, deadline) for name in self._checks}
                self._as_of = time.monotonic()
            return self._problems

    def _run(self, name: str) -> None:
        try:
            self._found[name] = self._checks[name]()
        except Exception:
            log.exception("A check of /readyz failed")
            self._found[name] = "The check failed; the log says why."

    def _problem(self, name: str, deadline: float) -> str | None:
        """What is wrong, at `deadline` (of `time.monotonic`) at the latest."""
        self._threads[name].join(max(0.0, deadline - time.monotonic()))
        return "There was no answer in time." if self._threads[name].is_alive() else self._found[name]


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
    checks = {
        "database": partial(database_problem, storage_of(app).database),
        "vocabularies": partial(vocabulary_problem, preloaded=bool(app.config["PRELOAD"])),
    }
    for folder in folders_of(app.config, app.instance_path):
        checks[f"disk: {folder.name}"] = partial(folder_problem, folder, int(app.config["MIN_DISK_BYTES"]))
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
    place = next((path for path in (folder.path, *folder.path.parents) if path.is_dir()), Path("/"))
    if not os.access(place, os.W_OK | os.X_OK) or (place != folder.path and not folder.create):
        return "The folder cannot be written."
    try:
        free = shutil.disk_usage(place).free
    except OSError:
        return "The folder cannot be read."
    if free < least:
        return f"The disk is nearly full: less than {least:,} bytes are free."
    return None


def folders_of(config: Mapping[str, Any], instance: str) -> list[Folder]:
    """The folders that a configuration names; `instance` is Flask's instance folder, the default for most of them."""
    home = Path(instance)
    vocabularies = Path(str(config["VOCABULARY_FOLDER"]) or home / "vocabularies")
    corpora = Path(str(config["CORPUS_FOLDER"]) or home / "corpora")
    found = [
        Folder("vocabularies", vocabularies, "TOKENSCOPE_VOCABULARY_FOLDER"),
        Folder("corpora", corpora, "TOKENSCOPE_CORPUS_FOLDER"),
        Folder("temporary files", Path(tempfile.gettempdir()), "TMPDIR", create=False),
    ]
    if not config["DATABASE_URL"]:
        file = Path(str(config["DATABASE_FILE"]) or home / "tokenscope.sqlite")
        found.insert(0, Folder("database", file.resolve().parent, "TOKENSCOPE_DATABASE_FILE"))
    return found


@cache
def commit(setting: str = "", checkout: Path = CHECKOUT) -> str:
    """The commit: the setting `COMMIT`, which an image has from its build; else what git says of a checkout.

    `unknown` if there is neither.
    """
    if setting:
        return setting
    if not (checkout / ".git").exists():
        return "unknown"
    command = ["git", "-C", str(checkout), "rev-parse", "HEAD"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return found if _COMMIT.fullmatch(found) else "unknown"


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
