"""Fetches the chat templates of well-known vocabularies from the hub, as safely as the vocabularies themselves.

A repository has its template in `tokenizer_config.json`, newer ones in `chat_template.jinja` beside it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from webapp.chat.templates import ChatTemplate, NoTemplateError, TemplateSourceError, from_config
from webapp.core.formats.reading import FormatError
from webapp.core.vocabulary_error import Phrase
from webapp.vocabularies.fetching import Fetcher
from webapp.vocabularies.https_download import FetchError
from webapp.vocabularies.library import (
    PATIENCE,
    Library,
    StillFetchingError,
    UnavailableVocabularyError,
    library,
)
from webapp.vocabularies.wellknown import WELL_KNOWN, VocabularySource, WellKnown

CONFIG, TEMPLATE = "tokenizer_config.json", "chat_template.jinja"
MOST_BYTES = 8_000_000


def has_template(name: str) -> bool:
    """Whether a chat template is published for a vocabulary."""
    return name in WELL_KNOWN and bool(WELL_KNOWN[name].chat)


def template_of(vocabulary: str) -> ChatTemplate:
    """The template that is published for a well-known vocabulary, fetched if necessary, in the current application.

    Raises NoTemplateError, StillFetchingError and UnavailableVocabularyError as `published_template` does.
    """
    return published_template(library(), vocabulary)


def published_template(library: Library, name: str) -> ChatTemplate:
    """The chat template that is published for a vocabulary, fetched if necessary.

    Raises NoTemplateError if there is none, StillFetchingError while it is being fetched, and
    UnavailableVocabularyError if it cannot be fetched or read.
    """
    if not has_template(name):
        raise NoTemplateError(Phrase("no chat template is published for this vocabulary"))
    known, entry = WELL_KNOWN[name], library.find(name)
    assert entry is not None
    try:
        config = _content(library.fetcher, known, CONFIG)
        template = _read(name, known.title, known.chat, config or b"{}", b"")
        if template is None:
            source = _content(library.fetcher, known, TEMPLATE)
            template = _read(name, known.title, known.chat, config or b"{}", source or b"")
    except _WaitingError as waiting:
        raise StillFetchingError(entry, *(library.fetcher.progress(waiting.known.name) or (0, None))) from None
    except FetchError as error:
        named = FetchError(error.reason, error.detail, error.host, name)
        raise UnavailableVocabularyError(entry, named) from error
    except TemplateSourceError as error:
        wrong = FormatError("its chat template cannot be used: %(problem)s", problem=error.message)
        raise UnavailableVocabularyError(entry, wrong) from error
    if template is None:
        raise NoTemplateError(Phrase("no chat template is published for this vocabulary"))
    return template


class _WaitingError(Exception):
    """A file is still being fetched."""

    def __init__(self, known: WellKnown) -> None:
        super().__init__(known.name)
        self.known = known


def file_of(known: WellKnown, file: str) -> WellKnown:
    """A file of the repository with a vocabulary's chat template, as an entry that the fetcher takes.

    >>> file_of(WELL_KNOWN["qwen3"], CONFIG).source.shown
    'Qwen/Qwen3-8B: tokenizer_config.json'
    """
    revision = known.source.revision if known.source.repository == known.chat else "main"
    source = VocabularySource((file,), known.chat, revision)
    return replace(known, name=f"{known.name}.{file.partition('.')[0]}", source=source, also=())


def _content(fetcher: Fetcher, known: WellKnown, file: str) -> bytes | None:
    """The content of a file; None if the repository does not have it."""
    wanted = file_of(known, file)
    contents = fetcher.cached(wanted)
    if contents is None:
        fetcher.start(wanted)
        try:
            contents = fetcher.result(wanted, seconds=PATIENCE)
        except FetchError as error:
            if error.reason == "missing":
                return None
            raise
    if contents is None:
        raise _WaitingError(wanted)
    if len(contents[0]) > MOST_BYTES:
        raise TemplateSourceError(Phrase("the configuration has more than the allowed %(most)s bytes", most=MOST_BYTES))
    return contents[0]


@lru_cache(maxsize=32)
def _read(name: str, title: str, repository: str, config: bytes, source: bytes) -> ChatTemplate | None:
    try:
        text, jinja = config.decode(), source.decode()
    except UnicodeDecodeError:
        raise TemplateSourceError(Phrase("the configuration is not UTF-8")) from None
    return from_config(name, title, text, provenance=f"https://huggingface.co/{repository}", source=jinja)
