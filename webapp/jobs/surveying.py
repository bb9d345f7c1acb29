"""Has surveys computed outside of requests: each in a process of its own, of low priority and within limits.

    survey_of("gpt2")  →  Running(done=12000, total=50257), then a StoredSurvey

The first request for a survey starts its process; later ones, of whatever process or machine, find it running or done.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from flask import current_app

from webapp.jobs.surveys import FailureReason, StoredSurvey, SurveyFolder, key_of
from webapp.processes import Child
from webapp.vocabularies import CATALOGUE, library
from webapp.vocabularies.fetching import fetcher_of
from webapp.vocabularies.shipped_vocabularies import FOLDER
from webapp.vocabularies.wellknown import WELL_KNOWN

log = logging.getLogger(__name__)

SECONDS = 120  # of processor time for one survey
MEMORY = 3_221_225_472  # bytes
MOST_FILE = 268_435_456  # bytes of a file that its process writes

# The surveys that this process has started and that still run.
_running: dict[str, threading.Thread] = {}
_lock = threading.Lock()


@dataclass(frozen=True)
class Running:
    """A survey that is being computed, or that waits for others; `total` is 0 before the first report."""

    done: int = 0
    total: int = 0
    waits: bool = False


@dataclass(frozen=True)
class FailedSurvey:
    """A survey that there will not be: `storage` if the folder cannot be written."""

    why: FailureReason | Literal["storage"]


@dataclass(frozen=True)
class SurveyTask:
    """What a process has to do; it gets the files of an upload as well."""

    name: str
    kind: Literal["shipped", "known", "upload"]
    key: str
    folder: str
    vocabularies: str
    seconds: int = SECONDS
    memory: int = MEMORY


def survey_of(name: str) -> StoredSurvey | Running | FailedSurvey:
    """The survey of a vocabulary, which `tokenizer_of` has found; it is started if there is none yet."""
    folder, key = survey_folder(), survey_key(name)
    found = folder.get(key)
    if isinstance(found, StoredSurvey):
        return found
    if found is not None:
        return FailedSurvey(found)
    try:
        started = _start(folder, key, name)
    except OSError:
        return FailedSurvey("storage")
    progress = folder.progress(key)
    return Running(*(progress or (0, 0)), waits=not started)


def stored_survey(name: str) -> StoredSurvey | None:
    """The survey of a vocabulary if there is one; nothing is started."""
    found = survey_folder().get(survey_key(name))
    return found if isinstance(found, StoredSurvey) else None


def survey_folder() -> SurveyFolder:
    """The folder of surveys: beside the fetched vocabularies."""
    return SurveyFolder(fetcher_of(current_app).disk_cache.folder / "surveys")


def survey_key(name: str) -> str:
    """The key of a vocabulary's survey, by the content of its files."""
    if name in WELL_KNOWN:
        return key_of(f"{name}-{fetcher_of(current_app).disk_cache.checksum(WELL_KNOWN[name])[:32]}")
    shipped = FOLDER / f"{name}.json.gz"
    if name in CATALOGUE and shipped.exists():
        return key_of(f"{name}-{sha256(shipped.read_bytes()).hexdigest()[:32]}")
    return key_of(name)  # the name of an upload is its checksum


def _start(folder: SurveyFolder, key: str, name: str) -> bool:
    """Start the process of a survey unless it runs; False if it has to wait for others."""
    with _lock:
        for ended in [other for other, thread in _running.items() if not thread.is_alive()]:
            del _running[ended]
        if key in _running or folder.is_running(key):
            return True
        folder.folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder.folder, os.W_OK):
            raise PermissionError(str(folder.folder))
        vocabularies = str(fetcher_of(current_app).disk_cache.folder)
        contents: list[bytes] = []
        if name in CATALOGUE:
            task = SurveyTask(name, "shipped", key, str(folder.folder), vocabularies)
        elif name in WELL_KNOWN:
            task = SurveyTask(name, "known", key, str(folder.folder), vocabularies)
        else:
            content, companion = library().uploads.content(name)
            contents = [content] if companion is None else [content, companion]
            task = SurveyTask(name, "upload", key, str(folder.folder), vocabularies)
        slot = folder.slot()
        if slot is None:
            return False
        thread = threading.Thread(target=run_survey, args=(task, contents, slot), name=f"survey {name}", daemon=True)
        _running[key] = thread
        thread.start()
        return True


def running(key: str) -> threading.Thread | None:
    """The thread of this process that waits for a survey, if there is one."""
    return _running.get(key)


def run_survey(task: SurveyTask, contents: Sequence[bytes], *slot: int) -> None:
    """Start the process, give it its slot and the files, and wait for it; it ends when this process does."""
    try:
        child = start_process(task, contents, *slot)
    finally:
        for lock in slot:
            os.close(lock)
    for _message in child.messages():
        pass
    code = child.wait()
    child.close()
    folder = SurveyFolder(Path(task.folder))
    found = folder.get(task.key)
    if code == 1 and found is None:  # an exception while it stored why it failed: not even that fitted
        with suppress(OSError):
            folder.fail(task.key, "memory")
    if code or isinstance(found, str):
        log.warning("The survey of %s ended with code %s: %s.", task.name, code, found)


def start_process(task: SurveyTask, contents: Sequence[bytes], *slot: int) -> Child:
    """The process of a survey, which has its task with the first of its messages."""
    target = "webapp.jobs.survey_child:main"
    return Child(target, task, task.folder, memory=task.memory, disk=MOST_FILE, contents=contents, locks=slot)
