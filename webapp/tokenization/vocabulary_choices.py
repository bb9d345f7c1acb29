"""The vocabularies that a page offers, in the groups that every page has."""

from __future__ import annotations

from collections.abc import Callable

from flask import Request

from webapp.vocabularies import CATALOGUE, CatalogueEntry, find, well_known
from webapp.vocabularies.titles import grouped
from webapp.vocabularies.upload_cookie import uploads_of, with_chosen

Groups = list[tuple[str, list[CatalogueEntry]]]


def is_independent(entry: CatalogueEntry) -> bool:
    """Whether a vocabulary depends neither on the text nor on pasted words."""
    return entry.origin not in ("learned", "pasted")


def vocabulary_choices(
    request: Request, *chosen: str, keep: Callable[[CatalogueEntry], bool] = is_independent
) -> Groups:
    """The vocabularies that a page accepts (`keep`), with the visitor's uploads and those of others that are chosen."""
    uploads = with_chosen(uploads_of(request), filter(None, chosen))
    return grouped(filter(keep, [*uploads, *well_known(), *CATALOGUE.values()]))


def is_choice(name: str) -> bool:
    """Whether there is a vocabulary of this name that does not depend on the text or on pasted words."""
    entry = find(name)
    return entry is not None and is_independent(entry)
