"""The names of the vocabularies, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from flask_babel import gettext as _

from webapp.vocabularies.catalogue import CatalogueEntry


def title_of(entry: CatalogueEntry) -> str:
    """The name of a vocabulary: the site's own word, its publisher's, or for an upload what the visitor's file was
    called, or else the kind of file, and the beginning of its hash: `llama2.model · 9e556afd`."""
    if entry.origin == "uploaded":
        return f"{entry.file or formats()[entry.title]} · {entry.name.removeprefix('upload-')[:8]}"
    return entry.title or str(entry.label)


def by_family(entries: Iterable[CatalogueEntry]) -> list[tuple[str, list[CatalogueEntry]]]:
    """Vocabularies as they come, neighbours of one family under its name; uploads have a heading of their own."""
    return [(family, list(members)) for family, members in groupby(entries, key=_family)]


def _family(entry: CatalogueEntry) -> str:
    return _("Uploaded") if entry.origin == "uploaded" else entry.family


def formats() -> dict[str, str]:
    """What a file of each format is called."""
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
