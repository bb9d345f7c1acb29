"""Pages for what can be wrong with the vocabulary of an address: unknown, unavailable, or still being downloaded."""

from __future__ import annotations

from flask import Response, make_response
from flask_babel import gettext as _

from webapp.pages.vocabularies import listing
from webapp.pages.vocabularies.contexts import (
    PendingVocabularyPage,
    UnavailableVocabularyPage,
    UnknownVocabularyPage,
)
from webapp.rendering.markup import visible
from webapp.tokenization.messages import unavailable_problem
from webapp.vocabularies import CatalogueEntry, StillFetchingError, UnavailableVocabularyError
from webapp.web.error_messages import heading_for
from webapp.web.htmx import wants_partial
from webapp.web.templates import ErrorMessage, ErrorPage, render


def unknown_vocabulary(name: str) -> Response:
    """The page for a name that no vocabulary has, with similar names."""
    message = _("There is no vocabulary “%(name)s”.", name=short(name))
    if wants_partial():
        return make_response(render(ErrorMessage(message=message)), 404)
    return make_response(
        render(UnknownVocabularyPage(message=message, similar=listing.similar_vocabularies(name), status=404)), 404
    )


def unavailable_vocabulary(entry: CatalogueEntry, error: UnavailableVocabularyError) -> Response:
    """The page of a known vocabulary that cannot be fetched or read."""
    told = unavailable_problem(error)
    if wants_partial():
        return make_response(render(ErrorMessage(message=told.message)), told.status)
    page = UnavailableVocabularyPage(message=told.message, line=listing.line_of(entry))
    return make_response(render(page), told.status)


def error_page(status: int, message: str) -> Response:
    """An error page of this blueprint."""
    page = ErrorPage(message=message, heading=heading_for(status), status=status)
    return make_response(render(page), status)


def vocabulary_on_its_way(entry: CatalogueEntry, waiting: StillFetchingError) -> Response:
    """The page of a vocabulary that is being downloaded, which reloads itself."""
    return make_response(render(PendingVocabularyPage(line=listing.line_of(entry), waiting=waiting)), 202)


def short(text: str) -> str:
    """A text of an address as a message quotes it, truncated if it is long."""
    text = visible(text)
    return text if len(text) <= 40 else f"{text[:40]}…"
