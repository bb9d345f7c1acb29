"""The names that the pages use, in the reader's language."""

from __future__ import annotations

from flask import current_app
from flask_babel import get_locale
from flask_babel import gettext as _

from webapp.core.analysis import portrait
from webapp.core.models.scored_pieces import PieceKind
from webapp.tokenization.algorithms import algorithm_names
from webapp.vocabularies import CatalogueEntry, fetching
from webapp.vocabularies.wellknown import WELL_KNOWN
from webapp.web.localization import join_list

# ISO 15924 codes of scripts whose names differ between the Unicode locale data and the character data.
_CODES = {
    "Bengali": "Beng",
    "Canadian_Aboriginal": "Cans",
    "Hanifi_Rohingya": "Rohg",
    "Lisu": "Lisu",
    "Meetei_Mayek": "Mtei",
    "Miao": "Plrd",
    "Nko": "Nkoo",
    "Nushu": "Nshu",
    "Oriya": "Orya",
    "Phags_Pa": "Phag",
    "Tai_Tham": "Lana",
}


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


def kind_title(kind: str) -> str:
    """The name of a script, or of a kind of token that is not text in one script."""
    others = {
        portrait.SEVERAL_SCRIPTS: _("Several scripts"),
        portrait.DIGITS: _("Digits"),
        portrait.PUNCTUATION: _("Punctuation and symbols"),
        portrait.WHITE_SPACE: _("White space"),
        portrait.PART: _("Part of a character"),
        portrait.SPECIAL: _("Special and unknown tokens"),
        portrait.OTHER: _("Other characters"),
    }
    return others.get(kind) or _script_title(kind)


def piece_kind_title(kind: PieceKind) -> str:
    """The kind of a SentencePiece piece that is not normal text."""
    return {
        PieceKind.USER_DEFINED: _("user-defined"),
        PieceKind.UNUSED: _("unused"),
        PieceKind.BYTE: _("byte"),
    }.get(kind, "")


def _script_title(name: str) -> str:
    plain = name.replace("_", " ")
    locale = get_locale()
    if locale is None:
        return plain
    english = locale.parse("en").scripts
    code = _CODES.get(name) or next((code for code, title in english.items() if title == plain), "")
    title: str = locale.scripts.get(code, plain)
    return title
