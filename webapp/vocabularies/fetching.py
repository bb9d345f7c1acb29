"""Fetches well-known vocabularies on first use and stores them on disk.

`Fetcher.fetch` waits for the files; `start`, `progress` and `result` let a page poll instead. The fetcher requests
only files that the catalogue lists.
"""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import BoundedSemaphore, Event, Lock, Thread
from typing import Any, NamedTuple

from flask import Flask

from webapp.core.formats.compact_bpe import LEAST_PIECES
from webapp.core.formats.reading import FormatError
from webapp.vocabularies.disk_cache import DiskCache, Progress
from webapp.vocabularies.https_download import Endpoint, FetchError, download
from webapp.vocabularies.wellknown import WellKnown

log = logging.getLogger(__name__)

# After a failure, further requests fail immediately for this many seconds instead of waiting for the network again.
REMEMBERED = 30.0
# The number of vocabularies that a process fetches at once; others wait.
AT_ONCE = 2
# The extra time in seconds before `fetch` gives up on a thread that blocks beyond its deadline.
GRACE = 2.0

_EXTENSION = "tokenscope-fetcher"


def init_app(app: Flask) -> None:
    """Set up the fetcher of `app` from its settings; raises ValueError for an address without TLS."""
    config = app.config
    folder = str(config["VOCABULARY_FOLDER"]) or Path(app.instance_path) / "vocabularies"
    try:
        app.extensions[_EXTENSION] = Fetcher(
            Path(folder),
            hub=str(config["HUB"]),
            most_bytes=config["MAX_FETCH_BYTES"],
            seconds=config["MAX_FETCH_SECONDS"],
        )
    except ValueError as error:
        raise ValueError(f"TOKENSCOPE_HUB cannot be used: {error}") from None


def chosen(setting: Any) -> list[str]:
    """The names in the setting FETCH, which is a list or a string with spaces or commas between the names.

    >>> chosen("gpt2, t5"), chosen(["gpt2"])
    (['gpt2', 't5'], ['gpt2'])
    """
    return list(map(str, setting)) if isinstance(setting, list | tuple) else str(setting).replace(",", " ").split()


def fetcher_of(app: Flask) -> Fetcher:
    """The fetcher of `app`, usually `current_app`."""
    fetcher: Fetcher = app.extensions[_EXTENSION]
    return fetcher


class FetchProgress(NamedTuple):
    """The bytes that a fetch has read, and the total; `total` is None while it is unknown."""

    read: int
    total: int | None


@dataclass
class _Attempt:
    """One attempt to fetch a vocabulary, in its own thread."""

    done: Event = field(default_factory=Event)
    progress: FetchProgress = field(default_factory=lambda: FetchProgress(0, None))
    error: FetchError | None = None
    ended: float = 0.0

    def failed_recently(self) -> bool:
        return self.error is not None and time.monotonic() - self.ended < REMEMBERED


class Fetcher:
    """Fetches the catalogue's vocabularies into `folder`, from `hub` or a mirror of it.

    A file may have `most_bytes`, and a vocabulary may take `seconds`. Threads and processes may share a folder: one of
    them fetches a vocabulary, for any number of requests, and the others wait and show its progress. With the word
    `catalogue` after the address, `any_repository` is false: visitors may not name other repositories. Raises
    ValueError for an address without TLS.
    """

    def __init__(self, folder: Path, *, hub: str, most_bytes: int, seconds: float) -> None:
        self.disk_cache = DiskCache(folder)
        self.most_bytes = most_bytes
        self.seconds = seconds
        address, *scope = hub.split()
        if scope not in ([], ["catalogue"]):
            raise ValueError(f"{hub!r} should be an address, with the word catalogue after it at most")
        self.any_repository = not scope
        self.endpoint = Endpoint.checked(address)
        self._attempts: dict[str, _Attempt] = {}
        self._lock = Lock()
        self.places = BoundedSemaphore(AT_ONCE)

    def fetch(self, known: WellKnown) -> list[bytes]:
        """The content of the vocabulary's files, from disk or else fetched, verified and stored.

        Waits for them. Raises FetchError; immediately if the last attempt failed less than `REMEMBERED` seconds ago.
        """
        contents = self.disk_cache.get(known)
        if contents is None:
            self.start(known)
            contents = self.result(known, seconds=3 * self.seconds + GRACE)  # of another fetch that it waits for, too
        if contents is None:
            raise FetchError("slow", "timed out", self.endpoint.host, known.name)
        return contents

    def start(self, known: WellKnown, *, again: bool = False) -> None:
        """Start fetching in the background, unless a fetch is running or failed less than `REMEMBERED` seconds ago.

        With `again`, which a visitor asks for, it starts also after a failure.
        """
        with self._lock:
            attempt = self._attempts.get(known.name)
            if attempt is None or (attempt.done.is_set() and (again or not attempt.failed_recently())):
                attempt = self._attempts[known.name] = _Attempt()
                Thread(target=self._run, args=(known, attempt), name=f"fetch {known.name}", daemon=True).start()

    def progress(self, name: str) -> FetchProgress | None:
        """The progress of the running fetch of vocabulary `name`; None if none is running."""
        attempt = self._attempts.get(name)
        return None if attempt is None or attempt.done.is_set() else attempt.progress

    def result(self, known: WellKnown, seconds: float = 0.0) -> list[bytes] | None:
        """The content that `start` has fetched, as from `cached`; None while the fetch is running or was not started.

        Waits up to `seconds` for a running fetch. Raises FetchError if it failed less than `REMEMBERED` seconds ago;
        later, `start` tries again.
        """
        attempt = self._attempts.get(known.name)
        if attempt is not None and not attempt.done.wait(seconds):
            return None
        contents = self.disk_cache.get(known)
        if contents is None and attempt is not None and attempt.error is not None and attempt.failed_recently():
            error = attempt.error  # a copy, so that each caller gets its own exception and traceback
            raise FetchError(error.reason, error.detail, error.host, error.name)
        return contents

    def _run(self, known: WellKnown, attempt: _Attempt) -> None:
        def see(read: int, total: int | None) -> None:
            attempt.progress = FetchProgress(read, total)

        try:
            self.disk_cache.prepare()
            with self.disk_cache.fetch_alone(known.name, self.seconds + GRACE, see) as tell, self.places:
                if self.disk_cache.get(known) is None:
                    self._fetch(known, tell)
        except OSError as error:
            attempt.error = FetchError("storage", str(error), self.endpoint.host, known.name)
            log.warning("%s", attempt.error)
        except FetchError as error:
            error.host, error.name = error.host or self.endpoint.host, known.name
            attempt.error = error
            log.warning("%s", error)
        except Exception as error:
            log.exception("fetching %s failed", known.name)
            attempt.error = FetchError("failing", repr(error), self.endpoint.host, known.name)
        finally:
            attempt.ended = time.monotonic()
            attempt.done.set()

    def _fetch(self, known: WellKnown, tell: Progress) -> None:
        source, deadline = known.source, time.monotonic() + self.seconds
        contents: list[bytes] = []
        for at, file in enumerate(source.files):
            before = sum(map(len, contents))

            def report(read: int, total: int | None, before: int = before) -> None:
                tell(before + read, None if total is None else before + total)

            checksum = source.sha256[at] if source.sha256 else ""
            content = download(
                *(self.endpoint, source, file, checksum),
                most_bytes=self.most_bytes,
                deadline=deadline,
                report=report,
            )
            contents.append(content)
        self.disk_cache.put(known, contents)
        # Here, and not in the first request, which would wait for some seconds.
        if known.size >= LEAST_PIECES and known.format == "huggingface":
            with suppress(FormatError):
                known.tokenizer(contents, self.disk_cache.recognized)
