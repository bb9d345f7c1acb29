"""The catalogue of the site's own vocabularies: built in, trained here, or pasted by the visitor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from webapp.vocabularies.algorithms import Algorithm

Origin = Literal["shipped", "learned", "pasted", "fetched", "uploaded"]


@dataclass(frozen=True)
class CatalogueEntry:
    """One vocabulary in the picker.

    `size` is the number of ids, or None if it depends on the visitor's input. `origin` says where the pieces come from:
    they ship with the site ("shipped"), are trained on the visitor's text ("learned"), are pasted by the visitor,
    fetched from the publisher, or uploaded as a file. `title` and `family` are proper names, which are not translated;
    the site's own vocabularies have neither, and get their names from `titles`.
    """

    name: str
    algorithms: tuple[Algorithm, ...]
    origin: Origin
    size: int | None = None
    title: str = ""
    family: str = ""
    licence: str = ""
    source: str = ""  # the repository and files it is fetched from, for display
    address: str = ""  # a web page about it
    file: str = ""  # the name of the uploaded file, shown only to the visitor who uploaded it


# In the order of the picker. The first entry for an algorithm is its default.
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
    """The site's own entries for `algorithm`, default first; none for `words`."""
    return [entry for entry in CATALOGUE.values() if algorithm in entry.algorithms]


def default_for(algorithm: str) -> str:
    """The name of the default vocabulary of `algorithm`: `bpe → bpe-bytes`; empty if it has none."""
    return next((entry.name for entry in entries_for(algorithm)), "")
