"""The five algorithms and the vocabularies that each can use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Algorithm = Literal["fmm", "bmm", "bpe", "wordpiece", "unigram"]
Origin = Literal["shipped", "learned", "pasted"]

ALGORITHMS: tuple[Algorithm, ...] = ("fmm", "bmm", "bpe", "wordpiece", "unigram")


@dataclass(frozen=True)
class Entry:
    """One choice in the picker.

    `size` is the number of pieces, or None where the visitor decides it. `origin` says where the pieces come
    from: they ship with the site, are learned from the visitor's text, or are pasted by the visitor.
    """

    name: str
    algorithms: tuple[Algorithm, ...]
    origin: Origin
    size: int | None = None


# In the order of the picker; the first one of an algorithm is its default.
CATALOGUE: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry("jieba", ("fmm", "bmm"), "shipped", 349_045),
        Entry("own-dictionary", ("fmm", "bmm"), "pasted"),
        Entry("bpe-bytes", ("bpe",), "shipped", 32_000),
        Entry("bpe-characters", ("bpe",), "shipped", 32_000),
        Entry("learned-characters", ("bpe",), "learned"),
        Entry("learned-bytes", ("bpe",), "learned"),
        Entry("wordpiece", ("wordpiece",), "shipped", 32_000),
        Entry("learned-wordpiece", ("wordpiece",), "learned"),
        Entry("unigram", ("unigram",), "shipped", 32_000),
        Entry("learned-unigram", ("unigram",), "learned"),
    )
}


def entries_for(algorithm: str) -> list[Entry]:
    """The catalogue's entries that `algorithm` can use, default first."""
    return [entry for entry in CATALOGUE.values() if algorithm in entry.algorithms]


def default_for(algorithm: str) -> str:
    """The name of the vocabulary that `algorithm` starts with: `bpe → bpe-bytes`."""
    return entries_for(algorithm)[0].name
