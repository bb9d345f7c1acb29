"""Display names of vocabularies, families and formats, in the visitor's language."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from flask_babel import gettext as _

from webapp.vocabularies.catalogue import CatalogueEntry
from webapp.vocabularies.wellknown import WELL_KNOWN


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


def by_family(entries: Iterable[CatalogueEntry]) -> list[tuple[str, list[CatalogueEntry]]]:
    """The vocabularies in their order, with consecutive ones of one family grouped; uploads have their own heading."""
    return [(family, list(members)) for family, members in groupby(entries, key=_family)]


def own_groups(entries: Iterable[CatalogueEntry]) -> list[tuple[str, list[CatalogueEntry]]]:
    """The site's own vocabularies in two groups: those that ship with it, and those of the visitor's text or words."""
    found = list(entries)
    shipped = [entry for entry in found if entry.origin == "shipped"]
    groups = [(_("Shipped with this site"), shipped), (_("From your text"), [e for e in found if e not in shipped])]
    return [(heading, members) for heading, members in groups if members]


def _family(entry: CatalogueEntry) -> str:
    return _("Uploaded") if entry.origin == "uploaded" else entry.family


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
        "arpa": _("ARPA file"),
        "ngram-counts": _("N-gram counts, JSON"),
        "ngram-text": _("N-gram counts, text"),
    }
