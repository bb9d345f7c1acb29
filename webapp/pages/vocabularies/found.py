"""A vocabulary by the name in an address; if there is none, the request ends with the response that says why."""

from typing import Any, NoReturn

from flask import Blueprint, Response, abort, make_response, request, url_for
from flask_babel import gettext as _

from webapp.core.tokenizer import Tokenizer
from webapp.pages.vocabularies.token_table import short
from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.links import is_independent
from webapp.tokenization.messages import unavailable_problem
from webapp.vocabularies import CatalogueEntry, StillFetchingError, UnavailableVocabularyError, find, tokenizer_of
from webapp.vocabularies.library import is_here
from webapp.web.htmx import swappable, wants_partial
from webapp.web.localization import join_list, number
from webapp.web.problems import heading_for, refuse
from webapp.web.templates import ErrorMessage, ErrorPage, Page, render

DOWNLOAD = "vocabularies.download"
FOR_PROGRAMS = ("as_json", "as_csv")  # endings of the endpoints that answer with problem details

blueprint = Blueprint("vocabularies", __name__)


class HeadedPage(Page):
    """The variables of `vocabularies/_head.html`."""

    entry: CatalogueEntry


class MissingVocabularyPage(HeadedPage):
    """A vocabulary that is being downloaded, in which case the page reloads itself, or cannot be: why."""

    template = "vocabularies/missing.html"

    waiting: StillFetchingError | None = None
    message: str = ""


@blueprint.app_template_global()
def algorithms_of(entry: CatalogueEntry) -> str:
    """The names of the algorithms that use a vocabulary."""
    names = algorithm_names()
    return join_list(names[algorithm] for algorithm in entry.algorithms)


@blueprint.app_template_global()
def origin_of(entry: CatalogueEntry) -> str:
    """Where a vocabulary comes from, in a few words."""
    fetched = _("downloaded from its publisher") if is_here(entry) else _("downloaded from its publisher on first use")
    return {"shipped": _("ships with this site"), "fetched": fetched, "uploaded": _("uploaded")}.get(entry.origin, "")


def entry_of(name: str, *, exists: bool = True) -> CatalogueEntry:
    """The vocabulary of this name, if it has a page; else, or unless it `exists`, the request ends with status 404."""
    entry = find(name) if exists else None
    if entry is None or not is_independent(entry):
        end(404, _("There is no vocabulary “%(name)s”.", name=short(name)))
    return entry


def vocabulary_of(name: str) -> tuple[CatalogueEntry, Tokenizer]:
    """A vocabulary that has a page, and its tokenizer."""
    entry = entry_of(name)
    try:
        return entry, tokenizer_of(name)
    except UnavailableVocabularyError as error:
        why = unavailable_problem(error)
        if _is_for_programs() or wants_partial() or request.endpoint == DOWNLOAD:
            end(why.status, why.message, retry=60)
        page = render(MissingVocabularyPage(entry=entry, message=why.message))
        abort(make_response(page, why.status, {"Retry-After": "60"}))
    except StillFetchingError as waiting:
        if _is_for_programs() or request.endpoint == DOWNLOAD:
            end(503, _("The vocabulary is still being downloaded. Try again in a moment."), retry=5)
        abort(make_response(render(MissingVocabularyPage(entry=entry, waiting=waiting)), 202))


def end(status: int, message: str, retry: int | None = None) -> NoReturn:
    """End the request with an error page, its message alone for htmx, or problem details for programs."""
    headers = {"Retry-After": str(retry)} if retry else {}
    here = f"{request.script_root}{request.path}"
    if _is_for_programs():
        refuse(status, message, headers=headers)
    page = ErrorPage(message=message, heading=heading_for(status), status=status, again=here if retry else None)
    abort(make_response(render(ErrorMessage(message=message) if wants_partial() else page), status, headers))


def _is_for_programs() -> bool:
    return (request.endpoint or "").endswith(FOR_PROGRAMS)


def too_long(query: str, limit: int) -> InputProblem | None:
    """The problem with a search of more than `limit` characters."""
    if len(query) <= limit:
        return None
    sizes = {"limit": number(limit), "count": number(len(query))}
    return InputProblem(_("Search for at most %(limit)s characters; these are %(count)s.", **sizes))


def answer(body: str, problem: InputProblem | None, **address: str | int | None) -> Response:
    """The response, for htmx with the new address of the page."""
    response = swappable(make_response(body, problem.status if problem else 200))
    if wants_partial():
        values: dict[str, Any] = {key: value for key, value in address.items() if value}
        # Changing the page adds to the history, typing does not.
        header = "HX-Push-Url" if "page" in request.args else "HX-Replace-Url"
        response.headers[header] = url_for(request.endpoint or "vocabularies.index", **values)
    return response
