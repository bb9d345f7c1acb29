"""Checks the folders that the site writes to: they exist or can be created, can be written, and have space."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from webapp.command_line.doctor.database import file_system
from webapp.command_line.doctor.finding import Finding, Installation, fail, ok, size, warn
from webapp.web.folders import Folder, folders_of

# What the front may store in temporary files at once: bodies, and as much again of responses.
TEMPORARY_BYTES = 4_000_000_000
# The settings that limit what the site writes to a folder.
LIMITS = {"database": ("MAX_UPLOADS_BYTES", "MAX_SNAPSHOTS_BYTES"), "corpora": ("MAX_CORPORA_BYTES",)}


def check(installation: Installation) -> Iterator[Finding]:
    """The findings on folders, and on the user that this process runs as."""
    if os.geteuid() == 0:
        yield warn("doctor runs as root, who may write everywhere.", "Run it as the user of the site.")
    for folder in folders_of(installation.config, installation.instance):
        yield from _folder(folder, installation)


def _folder(folder: Folder, installation: Installation) -> Iterator[Finding]:
    least = int(installation.config["MIN_DISK_BYTES"])
    limits = LIMITS.get(folder.name, ())
    needed = sum(int(installation.config[name]) for name in limits)
    needed += TEMPORARY_BYTES if folder.name == "temporary files" else 0
    place = folder.existing
    if place != folder.path and not folder.create:
        yield fail(f"{folder.name}: there is no folder {folder.path}.", f"Create it, or change {folder.setting}.")
        return
    problem = _write_problem(place)
    if problem:
        user = f"user {os.geteuid()}"
        yield fail(
            f"{folder.name}: {place} cannot be written: {problem}.",
            f"Let {user} write there, or name another folder with {folder.setting}.",
        )
        return
    free = folder.free_bytes()
    kind = file_system(place)
    in_memory = ", in memory" if kind in ("tmpfs", "ramfs") else ""
    state = "can be written" if place == folder.path else "does not exist yet and can be created"
    if free < least:
        yield fail(
            f"{folder.name}: {folder.path} has only {size(free)} of free space{in_memory}.",
            "Make room: below TOKENSCOPE_MIN_DISK_BYTES, /readyz says that the site is not ready.",
        )
    elif free < needed:
        yield warn(
            f"{folder.name}: {folder.path} has {size(free)} of free space{in_memory}; the site may use {size(needed)}.",
            f"Make room, or change {' or '.join((folder.setting, *(f'TOKENSCOPE_{name}' for name in limits)))}.",
        )
    else:
        yield ok(f"{folder.name}: {folder.path} {state}; {size(free)} are free{in_memory}.")


def _write_problem(place: Path) -> str | None:
    """Why a file cannot be created in a folder; the file is deleted at once."""
    try:
        with tempfile.TemporaryFile(dir=place) as file:
            file.write(b"\0" * 4096)
            file.flush()
    except OSError as error:
        return error.strerror or str(error)
    return None
