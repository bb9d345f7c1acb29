"""Display names of vocabularies, families and formats, in the visitor's language."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from flask_babel import gettext as _

from webapp.vocabularies.catalogue import CatalogueEntry


def title_of(entry: CatalogueEntry) -> str:
    """The display name of a vocabulary: the site's or the publisher's name for it.

    For an upload, the name of the visitor's file, or else its format, and the first digits of its hash:
    `llama2.model · 9e556afd`.
    """
    if entry.origin == "uploaded":
        return f"{entry.file or formats()[entry.title]} · {entry.name.removeprefix('upload-')[:8]}"
    return entry.title or str(entry.label)


def by_family(entries: Iterable[CatalogueEntry]) -> list[tuple[str, list[CatalogueEntry]]]:
    """The vocabularies in their order, with consecutive ones of one family grouped; uploads have their own heading."""
    return [(family, list(members)) for family, members in groupby(entries, key=_family)]


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
        "vocab.json": "vocab.json + merges.txt",
        "vocab.txt": "vocab.txt",
        "subword-nmt": "subword-nmt",
        "dictionary": _("Dictionary"),
    }
