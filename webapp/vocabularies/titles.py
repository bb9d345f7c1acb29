"""Display names of vocabularies, families and formats, in the visitor's language."""

from __future__ import annotations

from collections.abc import Iterable

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l

from webapp.vocabularies.catalogue import CatalogueEntry
from webapp.vocabularies.shipped_vocabularies import NAMES
from webapp.vocabularies.wellknown import WELL_KNOWN

SAME_CORPUS = _l("Same corpus, same size (for teaching)")
"""The heading of the site's own subword vocabularies."""


def title_of(entry: CatalogueEntry) -> str:
    """The display name of a vocabulary: the site's or the publisher's name for it.

    For an upload, the name of the well-known vocabulary that it is; else the name of the visitor's file, or its format,
    and the first digits of its hash: `my.model · 9e556afd`.
    """
    if entry.recognized:
        return WELL_KNOWN[entry.recognized].title
    if entry.origin == "uploaded":
        return f"{entry.file or formats()[entry.title]} · {entry.name.removeprefix('upload-')[:8]}"
    return entry.title or str(entry.label)


def short_title(entry: CatalogueEntry) -> str:
    """The first model that a title names: `GPT-4, GPT-3.5: cl100k_base → GPT-4`."""
    return title_of(entry).partition(":")[0].partition(",")[0]


def grouped(entries: Iterable[CatalogueEntry]) -> list[tuple[str, list[CatalogueEntry]]]:
    """Vocabularies with a heading for each group, as every list to choose from shows them.

    First the visitor's uploads, then each family of published ones, the site's own, those for teaching, and those of
    the visitor's text; in a group they keep their order.
    """
    groups: dict[tuple[int, str], list[CatalogueEntry]] = {}
    for entry in entries:
        groups.setdefault(_group(entry), []).append(entry)
    return [(heading, groups[place, heading]) for place, heading in sorted(groups, key=lambda group: group[0])]


def _group(entry: CatalogueEntry) -> tuple[int, str]:
    """The place and the heading of a vocabulary's group."""
    if entry.origin == "uploaded":
        return 0, _("Uploaded")
    if entry.family:
        return 1, entry.family
    if entry.name in NAMES:
        return 3, str(SAME_CORPUS)
    return (2, _("Shipped with this site")) if entry.origin == "shipped" else (4, _("From your text"))


def formats() -> dict[str, str]:
    """The display name of each file format."""
    return {
        "tiktoken": ".tiktoken",
        "tekken": "tekken.json",
        "huggingface": "tokenizer.json",
        "sentencepiece": "SentencePiece",
        "scores": _("Tokens and scores"),
        "minimal-bpe": _("Merges as nested lists"),
        "vocab.json": "vocab.json + merges.txt",
        "vocab.txt": "vocab.txt",
        "subword-nmt": "subword-nmt",
        "dictionary": _("Dictionary"),
        "arpa": "ARPA",  # uploads to earlier versions
        "ngram-counts": _("N-gram counts, JSON"),
        "ngram-text": _("N-gram counts, text"),
    }
