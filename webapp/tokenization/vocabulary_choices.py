"""The vocabularies that a page offers which takes any vocabulary, and none that depends on the text."""

from __future__ import annotations

from flask import Request
from flask_babel import gettext as _

from webapp.tokenization.algorithms import algorithm_names
from webapp.vocabularies import CATALOGUE, CatalogueEntry, find, well_known
from webapp.vocabularies.titles import by_family
from webapp.vocabularies.upload_cookie import uploads_of, with_chosen


def vocabulary_choices(request: Request, chosen: str) -> list[tuple[str, list[CatalogueEntry]]]:
    """The vocabularies to choose from, in groups: the visitor's uploads, families, then the site's own by algorithm."""
    names = algorithm_names()
    own = [entry for entry in CATALOGUE.values() if entry.origin == "shipped"]
    shipped = sorted(own, key=lambda entry: list(names).index(entry.algorithms[-1]))
    uploads = with_chosen(uploads_of(request), [chosen])
    return [*by_family([*uploads, *well_known()]), (_("Shipped with this site"), shipped)]


def is_choice(name: str) -> bool:
    """Whether there is a vocabulary of this name that does not depend on the text or on pasted words."""
    entry = find(name)
    return entry is not None and entry.origin not in ("learned", "pasted")
