"""What the site has of its own: the vocabularies that ship, are learned here, or are pasted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.core.algorithms import ALGORITHMS
from webapp.core.tokenizer import Tokenizer
from webapp.vocabularies.shipped_vocabularies import jieba_words, matching, shipped_tokenizer

Origin = Literal["shipped", "learned", "pasted", "fetched", "uploaded"]


@dataclass(frozen=True)
class CatalogueEntry:
    """One choice in the picker.

    `size` is the number of ids, or None where the visitor decides it. `origin` says where the pieces come from: they
    ship with the site, are learned from the visitor's text, are pasted by the visitor, are fetched from their
    publisher, or are a file that somebody uploaded. Title and family are proper names, which no language translates;
    what ships or is learned here has a translated `label` instead, and where it ships `load` gives its tokenizer.
    """

    name: str
    algorithms: tuple[str, ...]
    origin: Origin
    size: int | None = None
    title: str = ""
    family: str = ""
    licence: str = ""
    source: str = ""  # where it is fetched from, as people write it
    address: str = ""  # where people read about it
    file: str = ""  # what the visitor who uploaded it calls it, and nobody else is told
    label: LazyString | None = field(default=None, compare=False)
    load: Callable[[], Tokenizer] | None = field(default=None, compare=False, repr=False)


def _shipped(name: str, algorithm: str, size: int, label: LazyString) -> CatalogueEntry:
    return CatalogueEntry(name, (algorithm,), "shipped", size, label=label, load=lambda: shipped_tokenizer(name))


def _learned(name: str, algorithm: str, label: LazyString) -> CatalogueEntry:
    return CatalogueEntry(name, (algorithm,), "learned", label=label)


# In the order of the picker; the first one of an algorithm is its default.
CATALOGUE: dict[str, CatalogueEntry] = {
    entry.name: entry
    for entry in (
        CatalogueEntry(
            "jieba",
            ("fmm", "bmm"),
            "shipped",
            349_045,
            label=_l("jieba's dictionary"),
            load=lambda: matching(jieba_words(), "both", keep_runs=True),
        ),
        CatalogueEntry("own-dictionary", ("fmm", "bmm"), "pasted", label=_l("My own dictionary")),
        _shipped("bpe-bytes", "bpe", 32_000, _l("Bytes, like GPT")),
        _shipped("bpe-characters", "bpe", 32_000, _l("Characters with </w>")),
        _learned("learned-characters", "bpe", _l("Learned here, characters")),
        _learned("learned-bytes", "bpe", _l("Learned here, bytes")),
        _shipped("wordpiece", "wordpiece", 32_000, _l("WordPiece, like BERT")),
        _learned("learned-wordpiece", "wordpiece", _l("Learned here")),
        _shipped("unigram", "unigram", 32_000, _l("Unigram, like T5")),
        _learned("learned-unigram", "unigram", _l("Learned here")),
    )
}


def entries_for(algorithm: str) -> list[CatalogueEntry]:
    """The site's own entries that `algorithm` can use, default first; none for `words`."""
    return [entry for entry in CATALOGUE.values() if algorithm in entry.algorithms]


def default_for(algorithm: str) -> str:
    """The name of the vocabulary that `algorithm` starts with: `bpe → bpe-bytes`; empty where none ships."""
    return next((entry.name for entry in entries_for(algorithm)), "")


def offered_algorithms() -> list[str]:
    """The algorithms that the site has a vocabulary for, in order: all but `words`."""
    return [algorithm for algorithm in ALGORITHMS if entries_for(algorithm)]


@contextmanager
def registered(entry: CatalogueEntry) -> Iterator[None]:
    """Have a vocabulary in the catalogue for as long as the context lasts."""
    if entry.name in CATALOGUE:
        raise ValueError(f"there is a vocabulary {entry.name!r} already")
    CATALOGUE[entry.name] = entry
    try:
        yield
    finally:
        del CATALOGUE[entry.name]
