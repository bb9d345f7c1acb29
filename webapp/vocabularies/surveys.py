"""Surveys of vocabularies: which of their tokens no text gives. Each request goes on with one until it is complete.

They are kept as `KEY.json.gz` in a folder beside the fetched vocabularies, which machines may share.
"""

import gzip
import json
import logging
import re
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from flask import current_app

from webapp.core import __version__
from webapp.core.analysis.reachability import METHOD, Reach, Survey, survey
from webapp.storage import Deleted
from webapp.vocabularies.catalogue import CATALOGUE
from webapp.vocabularies.disk_cache import write_whole
from webapp.vocabularies.fetching import fetcher_of
from webapp.vocabularies.library import tokenizer_of
from webapp.vocabularies.shipped_vocabularies import FOLDER
from webapp.vocabularies.wellknown import WELL_KNOWN

SECONDS = 2.0  # that one request tries tokens for; the next one goes on
_CACHED = 8  # surveys in the memory of a process

log = logging.getLogger(__name__)


def survey_of(name: str) -> Survey:
    """The survey of a vocabulary as far as it is after `SECONDS` more; raises the exceptions of `tokenizer_of`."""
    found = stored_survey(name)
    if found is None or not found.is_complete:
        tokenizer = tokenizer_of(name)
        found = survey(tokenizer, found, SECONDS)
        try:
            _store(_path(name), found)
        except OSError as error:
            log.warning("The survey of %s is computed for each request, because it cannot be stored: %s", name, error)
            found = survey(tokenizer, found)
    return found


def stored_survey(name: str) -> Survey | None:
    """The survey of a vocabulary as far as it is stored."""
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
def _read(path: Path, _changed: int) -> Survey:
    stored: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    found = [Reach(**row | {"ids": tuple(row["ids"])}) for row in stored["unreachable"]]
    return Survey(stored["states"], found, stored["size"])


def _store(path: Path, found: Survey) -> None:
    content = json.dumps(vars(found) | {"unreachable": list(map(vars, found.unreachable))}).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, gzip.compress(content, 5))
