"""Surveys of vocabularies: which of their tokens no text gives. Each is computed once, in a process of its own.

    survey_of("gpt2")  →  Running(done=12000, total=50257), then a StoredSurvey

The first request for a survey starts its process, of low priority and within limits; later ones, of whatever process or
machine, find it running or done. They share a folder:

    KEY.json.gz    a survey, or why there is none; written under another name and renamed, so it is complete or missing
    KEY.lock       held by the process that computes it (`compute`)
    KEY.progress   how far that is
    slot-0.lock …  each held for a process that computes one: as many as may run at once

A lock is released by the system when its process ends, in whatever way.
"""

from __future__ import annotations

import gzip
import json
import logging
import os
import re
import signal
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from flask import current_app

from webapp.core import __version__
from webapp.core.analysis.reachability import METHOD, REASONS, Reach, Reason, State, Survey, survey
from webapp.core.formats.recognize import recognize
from webapp.core.tokenizer import Tokenizer
from webapp.processes import NO_MEMORY, Child, Send, locked, set_priority
from webapp.storage import Deleted
from webapp.vocabularies import CATALOGUE, library
from webapp.vocabularies.disk_cache import DiskCache, write_whole
from webapp.vocabularies.fetching import fetcher_of
from webapp.vocabularies.shipped_vocabularies import FOLDER
from webapp.vocabularies.wellknown import WELL_KNOWN

AT_ONCE = 2  # surveys that are computed at the same time
MOST_LISTED = 100_000  # unreachable tokens that are kept; more are only counted
PARTS = "parts"  # chooses the tokens that are parts of others only
_CACHED = 8  # surveys in the memory of a process

SECONDS = 120  # of processor time for one survey
MEMORY = 3_221_225_472  # bytes
MOST_FILE = 268_435_456  # bytes of a file that its process writes
NICENESS = 5  # a visitor waits for the survey, but visitors of pages go first
REPORT_SECONDS = 0.5

FailureReason = Literal["time", "memory", "error", "storage"]
"""Why there is no survey; `storage`: the folder cannot be written."""
# Why a process ended that stored nothing, by its exit code: a signal of the system, or no memory. Others: an error.
ENDINGS: dict[int, FailureReason] = {NO_MEMORY: "memory", -9: "memory", -24: "time"}

log = logging.getLogger(__name__)
# The surveys that this process has started and that still run.
_running: set[str] = set()
_starting = threading.Lock()


@dataclass(frozen=True)
class StoredSurvey:
    """A survey as it is stored: `unreachable` has at most `MOST_LISTED` tokens, `seconds` of processor time it took.

    `parts` counts the unreachable tokens that merging makes others from.
    """

    states: dict[State, int]
    reasons: dict[Reason, int]
    parts: int
    seconds: float
    unreachable: Sequence[Reach]

    @property
    def counted(self) -> int:
        """The number of tokens that stand for text and were tried."""
        return sum(count for state, count in self.states.items() if state not in ("special", "untried"))

    @property
    def total(self) -> int:
        """The number of unreachable tokens."""
        return self.states.get("unreachable", 0)

    def chosen(self, reason: str) -> Sequence[Reach]:
        """The stored tokens of a reason, or with `PARTS` those that are parts of others; all for anything else."""
        if reason == PARTS:
            return [reach for reach in self.unreachable if reach.part_of is not None]
        if reason in REASONS:
            return [reach for reach in self.unreachable if reach.reason == reason]
        return self.unreachable


class SurveyFolder:
    """A folder of surveys, created when the first one is computed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: str) -> StoredSurvey | FailureReason | None:
        """A survey, or why it failed; None if it is not computed."""
        path = self._path(key, "json.gz")
        try:
            changed = path.stat().st_mtime_ns
            return _read(path, changed)
        except (OSError, EOFError, ValueError, KeyError, TypeError):
            return None

    def put(self, key: str, survey: Survey, seconds: float) -> None:
        """Store a survey."""
        self._write(
            key,
            {
                "states": survey.states,
                "reasons": survey.reasons,
                "parts": sum(reach.part_of is not None for reach in survey.unreachable),
                "seconds": round(seconds, 2),
                "unreachable": [_row(reach) for reach in survey.unreachable[:MOST_LISTED]],
            },
        )

    def fail(self, key: str, why: FailureReason) -> None:
        """Store that a survey failed, so that it is not tried again."""
        self._write(key, {"failed": why})

    def report(self, key: str, done: int, total: int) -> None:
        """Store how many of how many tokens are done."""
        with suppress(OSError):
            write_whole(self._path(key, "progress"), json.dumps([done, total]).encode())

    def progress(self, key: str) -> tuple[int, int] | None:
        """How many of how many tokens the running process has done."""
        try:
            done, total = json.loads(self._path(key, "progress").read_bytes())
            return int(done), int(total)
        except (OSError, ValueError, TypeError):
            return None

    def lock(self, key: str) -> int | None:
        """The open lock of a survey, for the process that shall compute it; None if one does."""
        return locked(self._path(key, "lock"))

    def slot(self) -> int | None:
        """The open lock of a slot, for the process that shall compute a survey; None if too many compute at once."""
        locks = (locked(self.folder / f"slot-{at}.lock") for at in range(AT_ONCE))
        return next((lock for lock in locks if lock is not None), None)

    def delete_old(self, before: datetime, *, dry_run: bool = False) -> Deleted:
        """Delete the surveys from before a time; they are computed again on the next request."""
        deleted = Deleted()
        for path in self.folder.glob("*.json.gz"):
            with suppress(OSError):
                status = path.stat()
                if status.st_mtime < before.timestamp():
                    if not dry_run:
                        path.unlink()
                    deleted += Deleted(1, status.st_size)
        return deleted

    def forget(self, key: str) -> None:
        """Delete what only the process that computes a survey needs."""
        for ending in ("progress", "lock"):
            with suppress(OSError):
                self._path(key, ending).unlink(missing_ok=True)

    def _path(self, key: str, ending: str) -> Path:
        return self.folder / f"{re.sub(r'[^0-9A-Za-z._-]', '_', key)}.{ending}"

    def _write(self, key: str, content: dict[str, Any]) -> None:
        write_whole(self._path(key, "json.gz"), gzip.compress(json.dumps(content).encode(), 5))


@lru_cache(_CACHED)
def _read(path: Path, _changed: int) -> StoredSurvey | FailureReason:
    stored: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    failed: FailureReason | None = stored.get("failed")
    return failed or StoredSurvey(**stored | {"unreachable": [_reach(row) for row in stored["unreachable"]]})


def _row(reach: Reach) -> list[Any]:
    return [reach.id, reach.reason, reach.text, reach.ids, reach.same_as, reach.part_of, reach.certain]


def _reach(row: list[Any]) -> Reach:
    id, reason, text, ids, same_as, part_of, certain = row
    return Reach(id, "unreachable", text, tuple(ids), reason, same_as, part_of, certain)


@dataclass(frozen=True)
class Running:
    """A survey that is being computed, or that waits for others; `total` is 0 before the first report."""

    done: int = 0
    total: int = 0
    waits: bool = False


def survey_of(name: str) -> StoredSurvey | Running | FailureReason:
    """The survey of a vocabulary, which `tokenizer_of` has found; it is started if there is none yet."""
    folder, key = survey_folder(), survey_key(name)
    if (found := folder.get(key)) is not None:
        return found
    try:
        started = _start(folder, key, name)
    except OSError:
        return "storage"
    return Running(*(folder.progress(key) or (0, 0)), waits=not started)


def stored_survey(name: str) -> StoredSurvey | None:
    """The survey of a vocabulary if there is one; nothing is started."""
    found = survey_folder().get(survey_key(name))
    return found if isinstance(found, StoredSurvey) else None


def survey_folder() -> SurveyFolder:
    """The folder of surveys: beside the fetched vocabularies."""
    return SurveyFolder(fetcher_of(current_app).disk_cache.folder / "surveys")


def survey_key(name: str) -> str:
    """The key of a survey: the vocabulary with the content of its files, and the version of what computes it."""
    shipped, checksum = FOLDER / f"{name}.json.gz", ""  # the name of an upload is its checksum
    if name in WELL_KNOWN:
        checksum = fetcher_of(current_app).disk_cache.checksum(WELL_KNOWN[name])
    elif name in CATALOGUE and shipped.exists():
        checksum = sha256(shipped.read_bytes()).hexdigest()
    return "-".join([name, *([checksum[:32]] if checksum else []), __version__, str(METHOD)])


def _start(folder: SurveyFolder, key: str, name: str) -> bool:
    """Start the process of a survey unless it runs; False if it has to wait for others."""
    with _starting:
        if key in _running:
            return True
        folder.folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder.folder, os.W_OK):
            raise PermissionError(str(folder.folder))
        lock = folder.lock(key)
        if lock is None:
            return True
        slot = folder.slot()
        if slot is None or folder.get(key) is not None:  # another process was faster
            for each in (lock, slot):
                if each is not None:
                    os.close(each)
            return slot is not None
        is_upload = name not in CATALOGUE and name not in WELL_KNOWN
        contents = [each for each in library().uploads.content(name) if each is not None] if is_upload else []
        _running.add(key)
        run = partial(run_survey, folder, key, name, contents, locks=(lock, slot))
        threading.Thread(target=run, name=f"survey {name}", daemon=True).start()
        return True


def run_survey(
    folder: SurveyFolder,
    key: str,
    name: str,
    contents: Sequence[bytes],
    *,
    locks: Sequence[int] = (),
    seconds: int = SECONDS,
    memory: int = MEMORY,
) -> None:
    """Start the process of a survey, which gets the locks, and wait for it; it ends when this process does."""
    try:
        try:
            limits = {"memory": memory, "disk": MOST_FILE, "seconds": seconds}
            child = Child(compute, folder.folder, key, name, contents, folder=folder.folder, locks=locks, **limits)
        finally:
            for lock in locks:
                os.close(lock)
        for _message in child.messages():
            pass
        code = child.wait()
        child.close()
        if code:
            log.warning("The survey of %s ended with code %s.", name, code)
        if code not in (0, -signal.SIGTERM):  # SIGTERM stops the machine, so the next visitor starts it
            with suppress(OSError):
                folder.fail(key, ENDINGS.get(code, "error"))
        folder.forget(key)
    finally:
        _running.discard(key)


def compute(folder: Path, key: str, name: str, contents: Sequence[bytes], _send: Send) -> None:
    """In a process of its own: try all tokens of a vocabulary, and store what is found."""
    set_priority(os.getpid(), NICENESS)
    surveys, began, reported = SurveyFolder(folder), time.process_time(), 0.0

    def report(done: int, total: int) -> None:
        nonlocal reported
        if time.monotonic() - reported > REPORT_SECONDS:
            reported = time.monotonic()
            surveys.report(key, done, total)

    found = survey(_tokenizer(folder, name, contents), report)
    surveys.put(key, found, time.process_time() - began)


def _tokenizer(folder: Path, name: str, contents: Sequence[bytes]) -> Tokenizer:
    if contents:
        return recognize(*contents).tokenizer
    if name in CATALOGUE and (load := CATALOGUE[name].load):
        return load()
    return WELL_KNOWN[name].tokenizer(DiskCache(folder.parent).get(WELL_KNOWN[name]) or ())
