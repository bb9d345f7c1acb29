"""Fetches the chat templates of well-known vocabularies from the hub, as safely as the vocabularies themselves.

A repository has its template in `tokenizer_config.json`, newer ones in `chat_template.jinja` beside it.
"""

from dataclasses import replace
from functools import lru_cache

from webapp.chat.templates import ChatTemplate, NoTemplateError, TemplateSourceError, from_config
from webapp.core.formats.gguf_metadata import chat_config, is_gguf
from webapp.core.formats.reading import FormatError
from webapp.core.vocabulary_error import Phrase
from webapp.vocabularies.catalogue import CatalogueEntry
from webapp.vocabularies.https_download import FetchError
from webapp.vocabularies.library import PATIENCE, Library, StillFetchingError, UnavailableVocabularyError
from webapp.vocabularies.uploads import is_upload
from webapp.vocabularies.wellknown import WELL_KNOWN, VocabularySource, WellKnown

CONFIG, TEMPLATE = "tokenizer_config.json", "chat_template.jinja"
MOST_BYTES = 8_000_000


def has_template(name: str) -> bool:
    """Whether a chat template is published for a vocabulary."""
    return name in WELL_KNOWN and bool(WELL_KNOWN[name].chat)


def fetched_names(library: Library) -> list[str]:
    """The vocabularies whose chat template has been fetched."""
    has = library.fetcher.disk_cache.has
    return [name for name, known in WELL_KNOWN.items() if known.chat and has(file_of(known, CONFIG))]


def published_template(library: Library, name: str) -> ChatTemplate:
    """The chat template that is published for a vocabulary, fetched if necessary, or in an uploaded GGUF file.

    Raises NoTemplateError if there is none, StillFetchingError while it is being fetched, and
    UnavailableVocabularyError if it cannot be fetched or read.
    """
    none = NoTemplateError(Phrase("no chat template is published for this vocabulary"))
    entry = library.find(name) if has_template(name) or is_upload(name) else None
    if entry is None:
        raise none
    try:
        if is_upload(name):
            content, _companion = library.uploads.content(name)
            template = from_config(name, entry.title, chat_config(content)) if is_gguf(content) else None
            if template is None:
                raise none
            return template
        config = _content(library, entry, CONFIG) or b"{}"
        template = _read(name, config, b"") or _read(name, config, _content(library, entry, TEMPLATE) or b"")
    except FetchError as error:
        named = FetchError(error.reason, error.detail, error.host, name)
        raise UnavailableVocabularyError(entry, named) from error
    except TemplateSourceError as error:
        wrong = FormatError("its chat template cannot be used: %(problem)s", problem=error.message)
        raise UnavailableVocabularyError(entry, wrong) from error
    if template is None:
        raise none
    return template


def file_of(known: WellKnown, file: str) -> WellKnown:
    """A file of the repository with a vocabulary's chat template, as an entry that the fetcher takes.

    >>> file_of(WELL_KNOWN["qwen3"], CONFIG).source.shown
    'Qwen/Qwen3-8B: tokenizer_config.json'
    """
    revision = known.source.revision if known.source.repository == known.chat else "main"
    source = VocabularySource((file,), known.chat, revision)
    return replace(known, name=f"{known.name}.{file.partition('.')[0]}", source=source, also=())


def _content(library: Library, entry: CatalogueEntry, file: str) -> bytes | None:
    """The content of a file; None if the repository does not have it. Raises StillFetchingError."""
    fetcher, wanted = library.fetcher, file_of(WELL_KNOWN[entry.name], file)
    contents = fetcher.disk_cache.get(wanted)
    if contents is None:
        fetcher.start(wanted)
        try:
            contents = fetcher.result(wanted, seconds=PATIENCE)
        except FetchError as error:
            if error.reason == "missing":
                return None
            raise
    if contents is None:
        raise StillFetchingError(entry, *(fetcher.progress(wanted.name) or (0, None)))
    if len(contents[0]) > MOST_BYTES:
        raise TemplateSourceError(Phrase("the configuration has more than the allowed %(most)s bytes", most=MOST_BYTES))
    return contents[0]


@lru_cache(maxsize=32)
def _read(name: str, config: bytes, source: bytes) -> ChatTemplate | None:
    known = WELL_KNOWN[name]
    try:
        text, jinja = config.decode(), source.decode()
    except UnicodeDecodeError:
        raise TemplateSourceError(Phrase("the configuration is not UTF-8")) from None
    return from_config(name, known.title, text, provenance=f"https://huggingface.co/{known.chat}", source=jinja)
