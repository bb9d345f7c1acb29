"""The names that the pages use, in the reader's language."""

from __future__ import annotations

from flask import current_app
from flask_babel import gettext as _

from webapp.core.models.scored_pieces import PieceKind
from webapp.tokenization.algorithms import algorithm_names
from webapp.vocabularies import CatalogueEntry, fetching
from webapp.vocabularies.wellknown import WELL_KNOWN
from webapp.web.localization import join_list


def algorithm_names_of(entry: CatalogueEntry) -> str:
    """The algorithms that use a vocabulary."""
    names = algorithm_names()
    return join_list(names[algorithm] for algorithm in entry.algorithms)


def origin_of(entry: CatalogueEntry) -> str:
    """Where a vocabulary comes from, in a few words."""
    known = WELL_KNOWN.get(entry.name)
    is_here = known is not None and fetching.fetcher_of(current_app).has(known)
    return {
        "shipped": _("ships with this site"),
        "fetched": _("downloaded from its publisher") if is_here else _("downloaded from its publisher on first use"),
        "uploaded": _("uploaded"),
    }.get(entry.origin, "")


def piece_kind_title(kind: PieceKind) -> str:
    """The kind of a SentencePiece piece that is not normal text."""
    return {
        PieceKind.USER_DEFINED: _("user-defined"),
        PieceKind.UNUSED: _("unused"),
        PieceKind.BYTE: _("byte"),
    }.get(kind, "")
