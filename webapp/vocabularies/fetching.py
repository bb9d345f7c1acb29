"""Well-known vocabularies, fetched at their first use and kept.

`Fetcher.fetch` waits for the files; `start`, `progress` and `result` let a page look again meanwhile. Only what the
catalogue names is ever fetched.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from pathlib import Path
from threading import BoundedSemaphore, Event, Lock, Thread
from typing import NamedTuple

from flask import Flask

from webapp.vocabularies.disk_cache import DiskCache
from webapp.vocabularies.https_download import HUB_SITES, Download, Endpoint, FetchError, Reason
from webapp.vocabularies.wellknown import WellKnown

__all__ = ["FetchError", "Fetcher", "Progress", "Reason", "init_app", "of"]

log = logging.getLogger(__name__)

# For so many seconds a failure is the answer: no page waits twice for a network that is not there.
REMEMBERED = 30.0
# So many vocabularies are fetched at once in a process; the others wait their turn.
AT_ONCE = 2
# So many seconds after its time is up, a host that does not even end its headers is given up.
GRACE = 2.0

_EXTENSION = "tokenscope-fetcher"


def init_app(app: Flask) -> None:
    """Give `app` the fetcher that its settings describe; raises ValueError for an address that is not encrypted."""
    config = app.config
    folder = str(config["VOCABULARY_FOLDER"]) or Path(app.instance_path) / "vocabularies"
    try:
        app.extensions[_EXTENSION] = Fetcher(
            Path(folder),
            hub=str(config["HUB"]),
            openai=str(config["OPENAI_FILES"]),
            most_bytes=config["MAX_FETCH_BYTES"],
            seconds=config["MAX_FETCH_SECONDS"],
        )
    except ValueError as error:
        raise ValueError(f"TOKENSCOPE_HUB or TOKENSCOPE_OPENAI_FILES cannot be used: {error}") from None


def of(app: Flask) -> Fetcher:
    """The fetcher of `app`, usually `current_app`."""
    fetcher: Fetcher = app.extensions[_EXTENSION]
    return fetcher


class Progress(NamedTuple):
    """How far a fetch is, in bytes; `total` is None as long as nobody knows it."""

    read: int
    total: int | None


@dataclass
class _Attempt:
    """One try to fetch a vocabulary, in a thread of its own."""

    begun: Event = field(default_factory=Event)
    done: Event = field(default_factory=Event)
    progress: Progress = field(default_factory=lambda: Progress(0, None))
    error: FetchError | None = None
    ended: float = 0.0

    def failed_lately(self) -> bool:
        return self.error is not None and time.monotonic() - self.ended < REMEMBERED


class Fetcher:
    """Fetches the catalogue's vocabularies into `folder`, from `hub` and `openai` or mirrors of them.

    A file may have `most_bytes`, and a vocabulary may take `seconds`. Threads and processes may share a folder: within
    a process a vocabulary is fetched once however many ask, and two processes that fetch the same do not disturb each
    other. Raises ValueError for an address that is not encrypted.
    """

    def __init__(self, folder: Path, *, hub: str, openai: str, most_bytes: int, seconds: float) -> None:
        self.shelf = DiskCache(folder)
        self.most_bytes = most_bytes
        self.seconds = seconds
        self._endpoints = {"hub": Endpoint.checked(hub, HUB_SITES), "openai": Endpoint.checked(openai)}
        self._attempts: dict[str, _Attempt] = {}
        self._lock = Lock()
        self._places = BoundedSemaphore(AT_ONCE)

    def cached(self, known: WellKnown) -> list[bytes] | None:
        """The content of the vocabulary's files from disk, verified; None where they are not there or are damaged."""
        return self.shelf.get(known)

    def has(self, known: WellKnown) -> bool:
        """Whether the vocabulary's files are on disk, by their names and sizes: quick enough for a list."""
        return self.shelf.has(known)

    def fetch(self, known: WellKnown) -> list[bytes]:
        """The content of the vocabulary's files, from disk or else fetched, verified and kept.

        Waits for them; raises FetchError, at once where the last try failed less than `REMEMBERED` seconds ago.
        """
        kept = self.cached(known)
        if kept is not None:
            return kept
        attempt = self._attempt(known)
        if not attempt.begun.wait(2 * self.seconds + GRACE) or not attempt.done.wait(self.seconds + GRACE):
            raise FetchError("slow", "no end in sight", self._host(known), known.name)
        _raise_again(attempt)
        kept = self.cached(known)
        if kept is None:
            raise FetchError("storage", "what was written cannot be read back", self._host(known), known.name)
        return kept

    def start(self, known: WellKnown) -> None:
        """Begin to fetch in the background, unless that is under way or failed less than `REMEMBERED` seconds ago."""
        self._attempt(known)

    def progress(self, name: str) -> Progress | None:
        """How far the fetch of vocabulary `name` is; None where none is under way."""
        attempt = self._attempts.get(name)
        return None if attempt is None or attempt.done.is_set() else attempt.progress

    def result(self, known: WellKnown, seconds: float = 0.0) -> list[bytes] | None:
        """What has come of `start`: the content, as `cached`, or None as long as it is under way or was not begun.

        Waits up to `seconds` for one that is under way.

        Raises FetchError where it failed less than `REMEMBERED` seconds ago; after that `start` tries again.
        """
        attempt = self._attempts.get(known.name)
        if attempt is not None and not attempt.done.wait(seconds):
            return None
        kept = self.cached(known)
        if kept is None and attempt is not None and attempt.failed_lately():
            _raise_again(attempt)
        return kept

    def _attempt(self, known: WellKnown) -> _Attempt:
        """The try that is under way or failed lately, or else a new one."""
        with self._lock:
            attempt = self._attempts.get(known.name)
            if attempt is None or (attempt.done.is_set() and not attempt.failed_lately()):
                attempt = self._attempts[known.name] = _Attempt()
                Thread(target=self._run, args=(known, attempt), name=f"fetch {known.name}", daemon=True).start()
            return attempt

    def _run(self, known: WellKnown, attempt: _Attempt) -> None:
        with self._places:
            attempt.begun.set()
            try:
                self._fetch(known, attempt)
            except FetchError as error:
                attempt.error = FetchError(error.reason, error.detail, error.host or self._host(known), known.name)
                log.warning("%s", attempt.error)
            except Exception as error:
                log.exception("fetching %s failed", known.name)
                attempt.error = FetchError("failing", repr(error), self._host(known), known.name)
            finally:
                attempt.ended = time.monotonic()
                attempt.done.set()

    def _fetch(self, known: WellKnown, attempt: _Attempt) -> None:
        source, deadline = known.source, time.monotonic() + self.seconds
        contents: list[bytes] = []
        try:
            self.shelf.prepare()
            for at, file in enumerate(source.files):
                before = sum(map(len, contents))

                def told(read: int, total: int | None, before: int = before) -> None:
                    attempt.progress = Progress(before + read, None if total is None else before + total)

                checksum = source.sha256[at] if source.sha256 else ""
                endpoint = self._endpoints[source.publisher]
                contents.append(Download(endpoint, source, file, checksum, self.most_bytes, deadline, told).content())
            self.shelf.put(known, contents)
        except OSError as error:
            raise FetchError("storage", str(error)) from None

    def _host(self, known: WellKnown) -> str:
        return self._endpoints[known.source.publisher].host


def _raise_again(attempt: _Attempt) -> None:
    """Raise an attempt's error anew: each reader gets an exception, and a traceback, of its own."""
    if attempt.error is not None:
        error = attempt.error
        raise FetchError(error.reason, error.detail, error.host, error.name)
