"""Finds any vocabulary by name: the site's own, well-known ones to fetch, and those that visitors uploaded."""

import logging
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import cast

from flask import Flask, current_app, g, has_app_context, has_request_context, request

from webapp.core.cache import held_by_all
from webapp.core.formats import huggingface
from webapp.core.formats.dictionary import write_dictionary
from webapp.core.formats.reading import FormatError
from webapp.core.formats.recognize import Format, save
from webapp.core.formats.tiktoken import is_guess
from webapp.core.models.by_sentence import BySentence
from webapp.core.models.dictionary_edits import unedited
from webapp.core.models.ngram import NGram
from webapp.core.models.word_models import DictionaryModel
from webapp.core.tokenizer import Tokenizer
from webapp.observing import report
from webapp.storage import UnavailableStorageError, VocabularyFile, storage_of
from webapp.vocabularies import fetching, language_models
from webapp.vocabularies.catalogue import CATALOGUE, CatalogueEntry
from webapp.vocabularies.fetching import Fetcher, FetchError
from webapp.vocabularies.language_models import LanguageModel
from webapp.vocabularies.memory_cache import MemoryCache, is_current
from webapp.vocabularies.shipped_vocabularies import NAMES, PRELOADED, SAMPLE, shipped_encoding, unpacked
from webapp.vocabularies.titles import short_title, title_of
from webapp.vocabularies.upload_labels import labels_of
from webapp.vocabularies.uploads import Uploads, algorithms_of, hash_of, is_upload, number_of_ids
from webapp.vocabularies.wellknown import WELL_KNOWN, WellKnown

log = logging.getLogger(__name__)

# How long a response waits for a vocabulary to be fetched, in seconds, before it reports the progress instead.
PATIENCE = 2.0


@dataclass(eq=False)
class UnavailableVocabularyError(Exception):
    """A known vocabulary cannot be fetched or read; `why` is the cause."""

    entry: CatalogueEntry
    why: FetchError | FormatError


@dataclass(eq=False)
class StillFetchingError(Exception):
    """A vocabulary is still being downloaded: `received` bytes so far, of `total` if that is known."""

    entry: CatalogueEntry
    received: int
    total: int | None


class Library:
    """Finds vocabularies by name and caches their tokenizers."""

    def __init__(self, uploads: Uploads, fetcher: Fetcher, loaded: MemoryCache) -> None:
        """Combine the uploads, the fetcher for well-known vocabularies and the memory cache."""
        self.uploads = uploads
        self.fetcher = fetcher
        self.loaded = loaded
        self.inherited: dict[str, Tokenizer] = {}
        """Those that were loaded before the workers forked: measuring their size would copy their memory."""

    def find(self, name: str) -> CatalogueEntry | None:
        """The catalogue entry of the vocabulary `name`; None if there is none."""
        if name in CATALOGUE:
            return CATALOGUE[name]
        if name in WELL_KNOWN:
            return _well_known_entry(WELL_KNOWN[name])
        uploaded = self.uploads.find(name)
        return None if uploaded is None else self._recognized(uploaded)

    def tokenizer(self, name: str) -> Tokenizer:
        """The tokenizer of a built-in, well-known or uploaded vocabulary; for a dictionary, a bidirectional one.

        Raises KeyError for any other name, StillFetchingError while it is being downloaded, and
        UnavailableVocabularyError if it cannot be fetched or read.
        """
        if name in CATALOGUE and (load := CATALOGUE[name].load) is not None:
            with report.current().phase("load vocabulary"):
                return load()
        if name in PRELOADED:  # without the cache, which would count memory that workers share
            return shipped_encoding(name)
        if name in self.inherited and is_current(self.inherited[name]):
            return self.inherited[name]
        if name in WELL_KNOWN:
            return self._fetched(WELL_KNOWN[name])
        if not is_upload(name):
            raise KeyError(name)
        return self.loaded.get(name, lambda: self._uploaded(name))

    def gather(self, names: Iterable[str]) -> dict[str, StillFetchingError]:
        """Fetch the missing ones of some vocabularies concurrently; return those that are still being fetched, by name.

        Waits up to `PATIENCE` seconds for all together.
        """
        well_known = [WELL_KNOWN[name] for name in dict.fromkeys(names) if name in WELL_KNOWN]
        missing = [known for known in well_known if self.must_be_fetched(known.name)]
        for known in missing:
            self.fetcher.start(known)
        late = {}
        until = time.monotonic() + PATIENCE
        for known in missing:
            try:
                with report.current().phase("fetch vocabulary"):
                    contents = self.fetcher.result(known, seconds=max(0.0, until - time.monotonic()))
                if contents is None:
                    late[known.name] = self._still_fetching(known)
            except FetchError:
                continue  # `tokenizer` raises it again
        return late

    def stored(self, hash: str, name: str) -> Tokenizer:
        """The tokenizer of a file that a snapshot stores under its full hash; `name` is the vocabulary's name there.

        Raises KeyError if there is no file with that hash, ValueError if it cannot be read.
        """
        known = WELL_KNOWN.get(name)
        if known is not None and known.ships and known.source.sha256 == (hash,):
            return self.tokenizer(name)
        fetched = None if known is None or known.ships else known
        return self.loaded.get(f"stored {hash}", lambda: self.uploads.read(hash, fetched))

    def retry(self, name: str) -> None:
        """Fetch a vocabulary again whose last attempt failed a moment ago."""
        if self.must_be_fetched(name):
            self.fetcher.start(WELL_KNOWN[name], again=True)

    def must_be_fetched(self, name: str) -> bool:
        """Whether a vocabulary must be fetched before use."""
        here = name not in WELL_KNOWN or name in self.inherited or self.loaded.has(name)
        return not here and not self.fetcher.disk_cache.has(WELL_KNOWN[name])

    def _uploaded(self, name: str) -> Tokenizer:
        entry = self.find(name)
        if entry is None:
            raise KeyError(name)
        try:
            return self.uploads.read(name.removeprefix("upload-"))
        except FormatError as error:
            raise UnavailableVocabularyError(entry, error) from error

    def file(self, name: str) -> VocabularyFile:
        """The file of a vocabulary, for the same names as `tokenizer`.

        Raises the same exceptions, and KeyError or ValueError if the file of an upload is deleted or damaged.
        """
        if name in CATALOGUE and CATALOGUE[name].load is not None:
            return _shipped_file(CATALOGUE[name])
        tokenizer = self.tokenizer(name)  # fetches it if necessary
        contents = self.fetcher.disk_cache.get(WELL_KNOWN[name]) if name in WELL_KNOWN else self.uploads.content(name)
        if contents is None:
            raise self._still_fetching(WELL_KNOWN[name])
        entry = self.find(name)
        assert entry is not None
        format = WELL_KNOWN[name].format if name in WELL_KNOWN else cast(Format, entry.title)
        return _file(format, entry.algorithms, number_of_ids(tokenizer), *contents)

    def store(self, content: bytes, companion: bytes | None = None) -> CatalogueEntry:
        """Store an uploaded file and cache its tokenizer; raises the exceptions of `Uploads.add`."""
        uploaded, tokenizer = self.uploads.add(content, companion)
        self.loaded.get(uploaded.name, lambda: tokenizer)
        if has_app_context():
            _found_in_request().pop(uploaded.name, None)  # it may have been looked for before it was uploaded
        return self._recognized(uploaded)

    def guesses_pattern(self, entry: CatalogueEntry, tokenizer: Tokenizer) -> bool:
        """Whether the split pattern of an upload is a guess, because the file of ranks came without one."""
        if entry.origin != "uploaded" or not is_guess(tokenizer):
            return False
        try:
            return self.uploads.content(entry.name)[1] is None
        except (KeyError, ValueError, UnavailableStorageError):  # deleted since, or out of reach
            return False

    def _recognized(self, uploaded: CatalogueEntry) -> CatalogueEntry:
        """An upload, with the name and the licence of the well-known vocabulary that it is."""
        known = self.fetcher.disk_cache.known_by_checksum(uploaded.name.removeprefix("upload-"))
        if known is None:
            return uploaded
        return replace(uploaded, recognized=known.name, family=known.family, licence=known.licence)

    def _fetched(self, known: WellKnown) -> Tokenizer:
        try:
            # Wait before taking the cache's lock for this name, so that concurrent requests wait in parallel.
            if late := self.gather([known.name]):
                raise late[known.name]
            if self.must_be_fetched(known.name):
                self.fetcher.result(known)  # raises the error again
            return self.loaded.get(known.name, lambda: self._read(known))
        except (FetchError, FormatError) as error:
            raise UnavailableVocabularyError(_well_known_entry(known), error) from error

    def _read(self, known: WellKnown) -> Tokenizer:
        if known.ships:
            return shipped_encoding(known.encoding or known.name)
        disk_cache = self.fetcher.disk_cache
        if (compact := disk_cache.compact(disk_cache.checksum(known))) is not None:
            return compact.tokenizer
        if contents := disk_cache.get(known):
            return known.tokenizer(contents, disk_cache.recognized)
        self.fetcher.start(known)  # it exists, but is damaged
        raise self._still_fetching(known)

    def _still_fetching(self, known: WellKnown) -> StillFetchingError:
        return StillFetchingError(_well_known_entry(known), *(self.fetcher.progress(known.name) or (0, None)))


def init_app(app: Flask) -> None:
    """Set up the library of `app` from its settings."""
    app.jinja_env.globals.update(title_of=title_of, short_title=short_title)
    app.jinja_env.globals["guesses_pattern"] = lambda entry, used: library().guesses_pattern(entry, used)
    fetching.init_app(app)
    language_models.init_app(app)
    loaded = MemoryCache(most_bytes=app.config["MAX_LOADED_BYTES"])
    fetcher, most_bytes = fetching.fetcher_of(app), app.config["MAX_UPLOADS_BYTES"]
    uploads = Uploads(storage_of(app).vocabularies, fetcher.disk_cache, most_bytes=most_bytes)
    app.extensions["vocabularies"] = Library(uploads, fetcher, loaded)
    report.measure("vocabularies", lambda: len(loaded.names()))
    report.measure("cache_bytes", loaded.held, cache="vocabularies")
    report.measure("cache_bytes", held_by_all, cache="words")


def library() -> Library:
    """The library of the current application."""
    current: Library = current_app.extensions["vocabularies"]
    return current


def preload_fetched() -> None:
    """Load the vocabularies in TOKENSCOPE_FETCH that are on disk, so that workers inherit them.

    Loading 262,144 pieces takes the first worker 5 s, until it has stored their compact form, and each further one
    0.1 s and 5 MB; one that inherits them needs none of both.
    """
    current = library()
    for name in fetching.chosen(current_app.config["FETCH"]):
        known = WELL_KNOWN.get(name)
        contents = current.fetcher.disk_cache.get(known) if known and name not in PRELOADED else None
        if known is None or contents is None:
            continue
        try:
            tokenizer = current._read(known)
            tokenizer.encode(SAMPLE).starts  # noqa: B018 (builds the tables)
            current.inherited[name] = tokenizer
        except FormatError as error:
            log.warning("%s is not loaded at the start: %s", name, error)


def find(name: str) -> CatalogueEntry | None:
    """The catalogue entry of a vocabulary, or None: `Library.find`, called once for each name in a request.

    An upload of the visitor has the name of its file.
    """
    found = _found_in_request()
    if name not in found:
        entry = library().find(name)
        label = labels_of(request).get(name) if entry and entry.origin == "uploaded" and has_request_context() else None
        found[name] = replace(entry, **label._asdict()) if entry and label else entry
    return found[name]


def _found_in_request() -> dict[str, CatalogueEntry | None]:
    found: dict[str, CatalogueEntry | None] = g.setdefault("vocabularies_found", {})
    return found


def tokenizer_of(name: str) -> Tokenizer:
    """The tokenizer of a vocabulary: `Library.tokenizer`, with the same exceptions."""
    return library().tokenizer(name)


def is_here(entry: CatalogueEntry) -> bool:
    """Whether a vocabulary needs no fetching; for a well-known one, whether it is on disk."""
    return entry.name not in WELL_KNOWN or library().fetcher.disk_cache.has(WELL_KNOWN[entry.name])


def well_known() -> list[CatalogueEntry]:
    """The well-known vocabularies, which ship with the site or are fetched on first use, as in `well_known.toml`."""
    return list(map(_well_known_entry, WELL_KNOWN.values()))


def _well_known_entry(known: WellKnown) -> CatalogueEntry:
    return CatalogueEntry(
        known.name,
        (known.algorithm,),
        "shipped" if known.ships else "fetched",
        known.size,
        title=known.title,
        family=known.family,
        licence=known.licence,
        source=known.source.shown,
        address=known.address,
        checksum="".join(known.source.sha256),
    )


def well_known_name(vocabulary: str) -> str:
    """Return the name of a vocabulary in `well_known.toml`; for an upload, of the one that its checksum names."""
    if language_models.models_using(vocabulary):
        return vocabulary
    entry = find(vocabulary)
    return (entry.recognized or entry.name) if entry else vocabulary


def models_of(vocabulary: str) -> list[LanguageModel]:
    """Return the models of the list that use a vocabulary, or the well-known one that an upload is."""
    return language_models.models_using(well_known_name(vocabulary))


def uses(model: str, vocabulary: str) -> bool:
    """Whether the model of this name uses a vocabulary."""
    found = language_models.model_of(model)
    return found is not None and found.vocabulary is not None and found.vocabulary == well_known_name(vocabulary)


def _file(
    format: Format, algorithms: Sequence[str], size: int, content: bytes, companion: bytes | None = None
) -> VocabularyFile:
    """A vocabulary file with the hash of its content, the same hash as for an upload."""
    return VocabularyFile(hash_of(content, companion), format, algorithms, size, content, companion)


def file_of(tokenizer: Tokenizer) -> VocabularyFile:
    """The vocabulary of a trained or pasted tokenizer as a file.

    A dictionary is written without a visitor's changes: the state has those, and would make them again.

    Raises FormatError if no file format can represent it.
    """
    if isinstance(tokenizer.model, DictionaryModel):
        dictionary = unedited(tokenizer.model.dictionary)
        content = write_dictionary(dictionary, separator="\t").encode()
        return _file("dictionary", algorithms_of(tokenizer), len(dictionary), content)
    format: Format = "huggingface"
    if isinstance(tokenizer.model, BySentence):
        format = "ngram-counts" if isinstance(tokenizer.model, NGram) else "tagger-weights"
        content = save(tokenizer)
    else:
        content = huggingface.write(tokenizer).encode()
    return _file(format, algorithms_of(tokenizer), number_of_ids(tokenizer), content)


@cache
def _shipped_file(entry: CatalogueEntry) -> VocabularyFile:
    """The file of a built-in vocabulary: its `tokenizer.json`, or a list of words.

    Raises FormatError if no file format can represent it.
    """
    assert entry.load is not None
    tokenizer = entry.load()
    if entry.name not in NAMES:
        return file_of(tokenizer)
    return _file("huggingface", entry.algorithms, number_of_ids(tokenizer), unpacked(entry.name))
