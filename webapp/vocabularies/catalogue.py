"""What the site has of its own: the vocabularies that ship, are learned here, or are pasted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from webapp.vocabularies.algorithms import Algorithm

Origin = Literal["shipped", "learned", "pasted", "fetched", "uploaded"]


@dataclass(frozen=True)
class CatalogueEntry:
    """One choice in the picker.

    `size` is the number of ids, or None where the visitor decides it. `origin` says where the pieces come from: they
    ship with the site, are learned from the visitor's text, are pasted by the visitor, are fetched from their
    publisher, or are a file that somebody uploaded. Title and family are proper names, which no language translates;
    what ships or is learned here has neither, and is named by `titles`.
    """

    name: str
    algorithms: tuple[Algorithm, ...]
    origin: Origin
    size: int | None = None
    title: str = ""
    family: str = ""
    licence: str = ""
    source: str = ""  # where it is fetched from, as people write it
    address: str = ""  # where people read about it
    file: str = ""  # what the visitor who uploaded it calls it, and nobody else is told


# In the order of the picker; the first one of an algorithm is its default.
CATALOGUE: dict[str, CatalogueEntry] = {
    entry.name: entry
    for entry in (
        CatalogueEntry("jieba", ("fmm", "bmm"), "shipped", 349_045),
        CatalogueEntry("own-dictionary", ("fmm", "bmm"), "pasted"),
        CatalogueEntry("bpe-bytes", ("bpe",), "shipped", 32_000),
        CatalogueEntry("bpe-characters", ("bpe",), "shipped", 32_000),
        CatalogueEntry("learned-characters", ("bpe",), "learned"),
        CatalogueEntry("learned-bytes", ("bpe",), "learned"),
        CatalogueEntry("wordpiece", ("wordpiece",), "shipped", 32_000),
        CatalogueEntry("learned-wordpiece", ("wordpiece",), "learned"),
        CatalogueEntry("unigram", ("unigram",), "shipped", 32_000),
        CatalogueEntry("learned-unigram", ("unigram",), "learned"),
    )
}


def entries_for(algorithm: str) -> list[CatalogueEntry]:
    """The site's own entries that `algorithm` can use, default first; none for `words`."""
    return [entry for entry in CATALOGUE.values() if algorithm in entry.algorithms]


def default_for(algorithm: str) -> str:
    """The name of the vocabulary that `algorithm` starts with: `bpe → bpe-bytes`; empty where none ships."""
    return next((entry.name for entry in entries_for(algorithm)), "")
