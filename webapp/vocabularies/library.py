"""All vocabularies by name: the site's own, the well-known ones that are fetched, and those that visitors uploaded."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from flask import Flask, current_app

from webapp.core.formats.fields import FormatError
from webapp.core.formats.recognize import Format, recognize
from webapp.core.tokenizer import Tokenizer
from webapp.storage import VocabularyFile, storage_of
from webapp.vocabularies import fetching
from webapp.vocabularies.catalogue import CATALOGUE, CatalogueEntry
from webapp.vocabularies.fetching import Fetcher, FetchError
from webapp.vocabularies.memory_cache import MemoryCache
from webapp.vocabularies.uploads import UploadedVocabulary, Uploads, is_upload, number_of_ids
from webapp.vocabularies.vocabulary_files import shipped_file, vocabulary_file
from webapp.vocabularies.wellknown import WELL_KNOWN, WellKnown

# How long an answer waits for a vocabulary that is being fetched, in seconds, before it says so instead.
PATIENCE = 2.0


@dataclass(eq=False)
class UnavailableVocabularyError(Exception):
    """A vocabulary that is known but cannot be had now: `why` says what went wrong."""

    entry: CatalogueEntry
    why: FetchError | FormatError


@dataclass(eq=False)
class StillFetchingError(Exception):
    """A vocabulary that is being fetched: so many bytes are here, of so many in all where that is known."""

    entry: CatalogueEntry
    received: int
    total: int | None


class Library:
    """Finds vocabularies by name and keeps their tokenizers at hand."""

    def __init__(self, uploads: Uploads, fetcher: Fetcher, loaded: MemoryCache) -> None:
        """What it is made of: where uploads are, where the well-known come from, what is in memory."""
        self.uploads = uploads
        self.fetcher = fetcher
        self.loaded = loaded

    def find(self, name: str) -> CatalogueEntry | None:
        """What is known of the vocabulary of that name; None where there is none."""
        if name in CATALOGUE:
            return CATALOGUE[name]
        if name in WELL_KNOWN:
            return _well_known_entry(WELL_KNOWN[name])
        uploaded = self.uploads.find(name)
        return None if uploaded is None else _uploaded_entry(uploaded)

    def tokenizer(self, name: str) -> Tokenizer:
        """The tokenizer of a vocabulary that ships, is well known or was uploaded; a dictionary matches both ways.

        Raises KeyError for any other name, OnItsWayError while it is being fetched, UnavailableError where it cannot be
        fetched or read.
        """
        if name in CATALOGUE and (load := CATALOGUE[name].load) is not None:
            return load()
        if name in WELL_KNOWN:
            return self._fetched(WELL_KNOWN[name])
        if not is_upload(name):
            raise KeyError(name)
        return self.loaded.get(name, lambda: self._uploaded(name))

    def gather(self, names: Iterable[str]) -> dict[str, StillFetchingError]:
        """Fetch what is not here of some vocabularies, all at the same time; by name, those still on their way.

        Waits `PATIENCE` seconds for all together.
        """
        asked = [WELL_KNOWN[name] for name in dict.fromkeys(names) if name in WELL_KNOWN]
        missing = [known for known in asked if self.must_be_fetched(known.name)]
        for known in missing:
            self.fetcher.start(known)
        late = {}
        until = time.monotonic() + PATIENCE
        for known in missing:
            try:
                if self.fetcher.result(known, seconds=max(0.0, until - time.monotonic())) is None:
                    late[known.name] = self._on_its_way(known)
            except FetchError:
                continue  # `tokenizer` tells what is wrong
        return late

    def kept(self, hash: str, name: str) -> Tokenizer:
        """The tokenizer of a file that was kept under its whole hash with a snapshot; there its vocabulary was `name`.

        Raises KeyError where there is none of that hash, ValueError where it cannot be read.
        """
        return self.loaded.get(f"kept {hash}", lambda: self._kept(hash, name))

    def _kept(self, hash: str, name: str) -> Tokenizer:
        content, companion = self.uploads.store.content(hash)
        if name in WELL_KNOWN:
            return WELL_KNOWN[name].tokenizer([content] if companion is None else [content, companion])
        return recognize(content, companion).tokenizer

    def must_be_fetched(self, name: str) -> bool:
        """Whether a vocabulary has to be fetched before it can be used."""
        return name in WELL_KNOWN and not self.loaded.has(name) and not self.fetcher.has(WELL_KNOWN[name])

    def _uploaded(self, name: str) -> Tokenizer:
        entry = self.find(name)
        if entry is None:
            raise KeyError(name)
        try:
            return self.uploads.read(name).tokenizer
        except FormatError as error:
            raise UnavailableVocabularyError(entry, error) from error

    def file(self, name: str) -> VocabularyFile:
        """The file of a vocabulary that `tokenizer` gives the tokenizer of.

        Raises the same, and KeyError or ValueError where the file of an upload was deleted or damaged since.
        """
        if name in CATALOGUE and CATALOGUE[name].load is not None:
            return shipped_file(CATALOGUE[name])
        tokenizer = self.tokenizer(name)  # it is here then
        contents = self.fetcher.cached(WELL_KNOWN[name]) if name in WELL_KNOWN else self.uploads.content(name)
        if contents is None:
            raise self._on_its_way(WELL_KNOWN[name])
        entry = self.find(name)
        assert entry is not None
        format = WELL_KNOWN[name].format if name in WELL_KNOWN else cast(Format, entry.title)
        return vocabulary_file(format, entry.algorithms, number_of_ids(tokenizer), *contents)

    def keep(self, content: bytes, companion: bytes | None = None) -> CatalogueEntry:
        """Keep an uploaded file and have its tokenizer at hand; raises what `Uploads.keep` raises."""
        uploaded, tokenizer = self.uploads.keep(content, companion)
        self.loaded.get(uploaded.name, lambda: tokenizer)
        return _uploaded_entry(uploaded)

    def _fetched(self, known: WellKnown) -> Tokenizer:
        try:
            # Not while the lock of its name is held: whoever asks meanwhile waits no longer than this one.
            if self.must_be_fetched(known.name):
                self.fetcher.start(known)
                if self.fetcher.result(known, seconds=PATIENCE) is None:
                    raise self._on_its_way(known)
            return self.loaded.get(known.name, lambda: self._read(known))
        except (FetchError, FormatError) as error:
            raise UnavailableVocabularyError(_well_known_entry(known), error) from error

    def _read(self, known: WellKnown) -> Tokenizer:
        contents = self.fetcher.cached(known)
        if contents is None:  # it is there, but damaged
            self.fetcher.start(known)
            raise self._on_its_way(known)
        return known.tokenizer(contents)

    def _on_its_way(self, known: WellKnown) -> StillFetchingError:
        return StillFetchingError(_well_known_entry(known), *(self.fetcher.progress(known.name) or (0, None)))


def init_app(app: Flask) -> None:
    """Give an application its library, made from its settings."""
    fetching.init_app(app)
    app.extensions["vocabularies"] = Library(
        Uploads(storage_of(app).vocabularies, most_bytes=app.config["MAX_UPLOADS_BYTES"]),
        fetching.of(app),
        MemoryCache(most_bytes=app.config["MAX_LOADED_BYTES"]),
    )


def library() -> Library:
    """The library of the application that answers this request."""
    found: Library = current_app.extensions["vocabularies"]
    return found


def find(name: str) -> CatalogueEntry | None:
    """What is known of a vocabulary, or None: `Library.find`."""
    return library().find(name)


def tokenizer_of(name: str) -> Tokenizer:
    """The tokenizer of a vocabulary, with the exceptions of `Library.tokenizer`."""
    return library().tokenizer(name)


def is_here(entry: CatalogueEntry) -> bool:
    """Whether a well-known vocabulary has been fetched already; any other is here."""
    return entry.name not in WELL_KNOWN or library().fetcher.has(WELL_KNOWN[entry.name])


def well_known() -> list[CatalogueEntry]:
    """The vocabularies that are fetched on first use, in the order of their file."""
    return list(map(_well_known_entry, WELL_KNOWN.values()))


def _well_known_entry(known: WellKnown) -> CatalogueEntry:
    return CatalogueEntry(
        known.name,
        (known.algorithm,),
        "fetched",
        known.size,
        title=known.title,
        family=known.family,
        licence=known.licence,
        source=known.source.shown,
        address=known.address,
    )


def _uploaded_entry(uploaded: UploadedVocabulary) -> CatalogueEntry:
    return CatalogueEntry(uploaded.name, uploaded.algorithms, "uploaded", uploaded.size, title=uploaded.format)
