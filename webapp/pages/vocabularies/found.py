"""A vocabulary by the name in an address; if there is none, the request ends with the response that says why."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Response, abort, make_response, request
from flask_babel import gettext as _

from webapp.core.tokenizer import Tokenizer
from webapp.pages.vocabularies import listing
from webapp.pages.vocabularies.listing import HeadedPage, VocabularyLine
from webapp.pages.vocabularies.token_table import short
from webapp.tokenization.messages import unavailable_problem
from webapp.vocabularies import CatalogueEntry, StillFetchingError, UnavailableVocabularyError, find, tokenizer_of
from webapp.web.error_messages import heading_for
from webapp.web.htmx import wants_partial
from webapp.web.problems import problem, refuse
from webapp.web.templates import ErrorMessage, ErrorPage, Page, render

DOWNLOAD = "vocabularies.download"
FOR_PROGRAMS = ("as_json", "as_csv")  # endings of the endpoints that answer with problem details


@dataclass(frozen=True, kw_only=True)
class UnknownVocabularyPage(Page):
    """There is no vocabulary with this name."""

    template = "vocabularies/unknown.html"

    message: str
    similar: list[VocabularyLine]  # those with similar names


@dataclass(frozen=True, kw_only=True)
class UnavailableVocabularyPage(HeadedPage):
    """A vocabulary that cannot be fetched or read."""

    template = "vocabularies/unavailable.html"

    message: str


@dataclass(frozen=True, kw_only=True)
class PendingVocabularyPage(HeadedPage):
    """A vocabulary that is being downloaded; the page reloads itself."""

    template = "vocabularies/pending.html"

    waiting: StillFetchingError


def entry_of(name: str, *, exists: bool = True) -> CatalogueEntry:
    """The vocabulary of this name, if it has a page; else, or unless it `exists`, a page with similar names."""
    entry = find(name) if exists else None
    if entry is None or not listing.has_page(entry):
        message = _("There is no vocabulary “%(name)s”.", name=short(name))
        if _is_for_programs():
            refuse(404, message)
        similar = [] if wants_partial() else listing.similar_vocabularies(name)
        abort(_page(404, message, UnknownVocabularyPage(message=message, similar=similar, status=404)))
    return entry


def vocabulary_of(name: str) -> tuple[CatalogueEntry, Tokenizer]:
    """A vocabulary that has a page, and its tokenizer."""
    entry = entry_of(name)
    try:
        return entry, tokenizer_of(name)
    except UnavailableVocabularyError as error:
        why = unavailable_problem(error)
        if _is_for_programs():
            refuse(why.status, why.message, headers={"Retry-After": "60"})
        page = UnavailableVocabularyPage(message=why.message, line=listing.line_of(entry))
        abort(_page(why.status, why.message, page))
    except StillFetchingError as waiting:
        if _is_for_programs():
            refuse(503, _("The vocabulary is still being downloaded."), headers={"Retry-After": "2"})
        if request.endpoint == DOWNLOAD:
            abort(
                error_page(
                    503, _("The vocabulary is still being downloaded. Try again in a moment."), {"Retry-After": "5"}
                )
            )
        abort(make_response(render(PendingVocabularyPage(line=listing.line_of(entry), waiting=waiting)), 202))


def error_page(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    """An error page, or problem details for programs."""
    if _is_for_programs():
        return problem(status, message, headers=headers)
    page = ErrorPage(message=message, heading=heading_for(status), status=status)
    return make_response(render(page), status, headers or {})


def _is_for_programs() -> bool:
    return (request.endpoint or "").endswith(FOR_PROGRAMS)


def _page(status: int, message: str, page: Page) -> Response:
    """A page; for htmx, its message alone."""
    return make_response(render(ErrorMessage(message=message) if wants_partial() else page), status)
