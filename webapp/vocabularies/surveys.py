"""Surveys of vocabularies: which of their tokens no text gives. The first request for one computes it, which is heavy.

They are kept as `KEY.json.gz` in a folder beside the fetched vocabularies, which machines may share.
"""

import gzip
import json
import logging
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from flask import current_app

from webapp.core import __version__
from webapp.core.analysis.reachability import METHOD, REASONS, Reach, Reason, State, survey
from webapp.storage import Deleted
from webapp.vocabularies.catalogue import CATALOGUE
from webapp.vocabularies.disk_cache import write_whole
from webapp.vocabularies.fetching import fetcher_of
from webapp.vocabularies.library import tokenizer_of
from webapp.vocabularies.shipped_vocabularies import FOLDER
from webapp.vocabularies.wellknown import WELL_KNOWN

MOST_LISTED = 100_000  # unreachable tokens that are kept; more are only counted
PARTS = "parts"  # chooses the tokens that are parts of others only
_CACHED = 8  # surveys in the memory of a process

log = logging.getLogger(__name__)


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


def survey_of(name: str) -> StoredSurvey:
    """The survey of a vocabulary, computed unless it is stored; raises the exceptions of `tokenizer_of`."""
    return stored_survey(name) or _computed(name)


def stored_survey(name: str) -> StoredSurvey | None:
    """The survey of a vocabulary if it is stored."""
    path = _path(name)
    try:
        return _read(path, path.stat().st_mtime_ns)
    except (OSError, EOFError, ValueError, KeyError, TypeError):
        return None


def survey_folder() -> Path:
    """The folder of surveys, created when the first one is stored."""
    return fetcher_of(current_app).disk_cache.folder / "surveys"


def delete_old(folder: Path, before: datetime, *, dry_run: bool = False) -> Deleted:
    """Delete the surveys from before a time; they are computed again on the next request."""
    deleted = Deleted()
    for path in folder.glob("*.json.gz"):
        with suppress(OSError):
            status = path.stat()
            if status.st_mtime < before.timestamp():
                if not dry_run:
                    path.unlink()
                deleted += Deleted(1, status.st_size)
    return deleted


def _path(name: str) -> Path:
    """The file of a survey, named after the vocabulary, the content of its files, and what computes it."""
    shipped, checksum = FOLDER / f"{name}.json.gz", ""  # the name of an upload is its checksum
    if name in WELL_KNOWN:
        checksum = fetcher_of(current_app).disk_cache.checksum(WELL_KNOWN[name])
    elif name in CATALOGUE and shipped.exists():
        checksum = sha256(shipped.read_bytes()).hexdigest()
    key = "-".join([name, *([checksum[:32]] if checksum else []), __version__, str(METHOD)])
    return survey_folder() / f"{re.sub(r'[^0-9A-Za-z._-]', '_', key)}.json.gz"


@lru_cache(_CACHED)
def _read(path: Path, _changed: int) -> StoredSurvey:
    stored: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    return StoredSurvey(**stored | {"unreachable": [_reach(row) for row in stored["unreachable"]]})


def _computed(name: str) -> StoredSurvey:
    began = time.process_time()
    found = survey(tokenizer_of(name))
    parts = sum(reach.part_of is not None for reach in found.unreachable)
    seconds, listed = round(time.process_time() - began, 2), found.unreachable[:MOST_LISTED]
    stored = {"states": found.states, "reasons": found.reasons, "parts": parts, "seconds": seconds}
    content = json.dumps(stored | {"unreachable": [_row(reach) for reach in listed]}).encode()
    try:
        survey_folder().mkdir(parents=True, exist_ok=True)
        write_whole(_path(name), gzip.compress(content, 5))
    except OSError as error:
        log.warning("The survey of %s is computed for each request, because it cannot be stored: %s", name, error)
    return StoredSurvey(dict(found.states), found.reasons, parts, seconds, listed)


def _row(reach: Reach) -> list[Any]:
    return [reach.id, reach.reason, reach.text, reach.ids, reach.same_as, reach.part_of, reach.certain]


def _reach(row: list[Any]) -> Reach:
    id, reason, text, ids, same_as, part_of, certain = row
    return Reach(id, "unreachable", text, tuple(ids), reason, same_as, part_of, certain)
