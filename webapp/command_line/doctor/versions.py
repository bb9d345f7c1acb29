"""Compares what is installed with what the release needs and what its tests passed with."""

from __future__ import annotations

import platform
import re
import sqlite3
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

from webapp import PACKAGE
from webapp.command_line.doctor.finding import Finding, fail, ok, warn
from webapp.core import __version__
from webapp.web.release import commit

OLDEST_PYTHON = (3, 11)
NAME = "tokenscope"
_PIN = re.compile(r"^([\w.-]+)==(\S+)(?: ; (.+))?$", re.MULTILINE)


def check(built_from: str) -> Iterator[Finding]:
    """The findings on versions; `built_from` is the setting `COMMIT`."""
    python = platform.python_version()
    yield ok(f"Tokenscope {__version__}, commit {commit(built_from)}")
    if sys.version_info[:2] < OLDEST_PYTHON:
        yield fail(f"Python {python} is too old.", "Install Python 3.11 or newer.")
    else:
        yield ok(f"Python {python}, SQLite {sqlite3.sqlite_version}, {platform.system()} {platform.release()}")
    yield from _dependencies()


def _dependencies() -> Iterator[Finding]:
    try:
        needed = [Requirement(line) for line in metadata.requires(NAME) or []]
    except metadata.PackageNotFoundError:
        yield warn("Tokenscope is not installed, it runs from its source.", "pip install -c requirements.lock .")
        return
    problems = []
    for requirement in needed:
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        found = _installed(requirement.name)
        if found is None:
            problems.append(f"{requirement.name} is missing")
        elif not requirement.specifier.contains(found, prereleases=True):
            problems.append(f"{requirement.name} is {found}, not {requirement.specifier}")
    advice = "pip install -c requirements.lock ."
    if problems:
        yield fail(f"Packages do not fit: {'; '.join(problems)}.", advice)
    different = [f"{name} {found} ({pinned})" for name, found, pinned in _different()]
    if different:
        shown = ", ".join(different[:5]) + (f" and {len(different) - 5} more" if len(different) > 5 else "")
        yield warn(f"Other releases than the tests passed with: {shown}.", advice)
    elif not problems:
        yield ok("All packages are those that the tests passed with.")


def _different() -> Iterator[tuple[str, str, str]]:
    """Installed packages that differ from the lock file: name, installed release, release of the lock file."""
    lock = lock_file()
    for name, pinned, marker in _PIN.findall(lock.read_text("utf-8") if lock else ""):
        if marker and not Requirement(f"{name} ; {marker}").marker.evaluate():  # type: ignore[union-attr]
            continue
        found = _installed(name)
        if found is not None and found != pinned:
            yield name, found, pinned


def lock_file() -> Path | None:
    """The lock file: inside an installed package, or in a checkout beside it."""
    files = (PACKAGE / "requirements.lock", PACKAGE.parent / "requirements.lock")
    return next((file for file in files if file.is_file()), None)


def _installed(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
