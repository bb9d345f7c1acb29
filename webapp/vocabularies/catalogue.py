"""The catalogue of the site's own vocabularies: built in, trained here, or pasted by the visitor."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.core.algorithms import ALGORITHMS
from webapp.core.tokenizer import Tokenizer
from webapp.vocabularies.shipped_vocabularies import (
    NGRAM_WORDS,
    jieba_words,
    matching,
    ngram_tokenizer,
    shipped_tokenizer,
    tagger_tokenizer,
)

Origin = Literal["shipped", "learned", "pasted", "fetched", "uploaded"]


@dataclass(frozen=True)
class CatalogueEntry:
    """One vocabulary in the picker.

    `size` is the number of ids, or None if it depends on the visitor's input. `origin` says where the pieces come from:
    they ship with the site ("shipped"), are trained on the visitor's text ("learned"), are pasted by the visitor,
    fetched from the publisher, or uploaded as a file. `title` and `family` are proper names, which are not translated;
    the site's own vocabularies have a translated `label` instead, and `load` returns the tokenizer of a built-in one.
    """

    name: str
    algorithms: tuple[str, ...]
    origin: Origin
    size: int | None = None
    title: str = ""
    family: str = ""
    licence: str = ""
    source: str = ""  # the repository and files it is fetched from, for display
    address: str = ""  # a web page about it
    checksum: str = ""  # the SHA-256 of its file, for one that ships
    recognized: str = ""  # for an upload that is a well-known vocabulary, the name of that
    file: str = ""  # the name of the uploaded file, shown only to the visitor who uploaded it
    training: str = ""  # the id of the visitor's training that made it
    label: LazyString | None = field(default=None, compare=False)
    load: Callable[[], Tokenizer] | None = field(default=None, compare=False, repr=False)


def _shipped(name: str, algorithm: str, size: int, label: LazyString) -> CatalogueEntry:
    return CatalogueEntry(name, (algorithm,), "shipped", size, label=label, load=lambda: shipped_tokenizer(name))


def _trained(name: str, algorithm: str, label: LazyString) -> CatalogueEntry:
    return CatalogueEntry(name, (algorithm,), "learned", label=label)


MATCHING = tuple(id for id, algorithm in ALGORITHMS.items() if algorithm.vocabulary_kind == "matching")
"""The algorithms that use a dictionary."""

# In the order of the picker. The first entry for an algorithm is its default.
CATALOGUE: dict[str, CatalogueEntry] = {
    entry.name: entry
    for entry in (
        CatalogueEntry(
            "jieba",
            MATCHING,
            "shipped",
            349_045,
            label=_l("jieba's dictionary"),
            load=lambda: matching(jieba_words(), "both", keep_runs=True),
        ),
        CatalogueEntry("own-dictionary", MATCHING, "pasted", label=_l("My own dictionary")),
        CatalogueEntry(
            "ngram", ("ngram",), "shipped", NGRAM_WORDS, label=_l("Demo: Chinese word n-grams"), load=ngram_tokenizer
        ),
        CatalogueEntry("learned-ngram", ("ngram",), "learned", label=_l("My own sentences")),
        CatalogueEntry(
            "tagger", ("tagger",), "shipped", 349_045, label=_l("Demo: Chinese tagger"), load=tagger_tokenizer
        ),
        CatalogueEntry("learned-tagger", ("tagger",), "learned", label=_l("My own sentences")),
        _shipped("bpe-bytes", "bpe", 32_000, _l("Demo: byte-level BPE, 32k")),
        _shipped("bpe-characters", "bpe", 32_000, _l("Demo: BPE with </w>, 32k")),
        _trained("learned-characters", "bpe", _l("Trained here, characters")),
        _trained("learned-bytes", "bpe", _l("Trained here, bytes")),
        _shipped("wordpiece", "wordpiece", 32_000, _l("Demo: WordPiece, 32k")),
        _trained("learned-wordpiece", "wordpiece", _l("Trained here")),
        _shipped("unigram", "unigram", 32_000, _l("Demo: Unigram, 32k")),
        _trained("learned-unigram", "unigram", _l("Trained here")),
    )
}


def entries_for(algorithm: str) -> list[CatalogueEntry]:
    """The site's own entries for `algorithm`, default first; none for `words`."""
    return [entry for entry in CATALOGUE.values() if algorithm in entry.algorithms]


def default_for(algorithm: str) -> str:
    """The name of the default vocabulary of `algorithm`: `bpe → bpe-bytes`; empty if it has none."""
    return next((entry.name for entry in entries_for(algorithm)), "")


def offered_algorithms() -> list[str]:
    """The algorithms that the site has a vocabulary for, in order: all but `words`."""
    return [algorithm for algorithm in ALGORITHMS if entries_for(algorithm)]


@contextmanager
def registered(entry: CatalogueEntry) -> Iterator[None]:
    """Add a vocabulary to the catalogue for the duration of the context."""
    if entry.name in CATALOGUE:
        raise ValueError(f"the vocabulary {entry.name!r} is already registered")
    CATALOGUE[entry.name] = entry
    try:
        yield
    finally:
        del CATALOGUE[entry.name]
