"""`/vocabularies/diff`: the difference of two vocabularies as a page, a part of it for htmx, and JSON."""

from __future__ import annotations

from flask import Blueprint, Response, make_response, request, url_for
from flask_babel import gettext as _

from webapp.core.analysis.vocabulary_difference import Group
from webapp.core.tokenizer import Tokenizer
from webapp.pages.difference import forms, views
from webapp.pages.difference.contexts import DifferenceContext, DifferencePage, ShownDifference
from webapp.pages.difference.forms import DifferenceRequest
from webapp.pages.difference.views import Comparison, NoSuchPageError
from webapp.rendering.markup import visible
from webapp.serializers.json import json_response
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import unavailable_problem
from webapp.tokenization.vocabulary_choices import vocabulary_choices
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError, find, title_of, tokenizer_of
from webapp.vocabularies.upload_cookie import uploads_of
from webapp.web.htmx import private, swappable, wants_partial
from webapp.web.localization import number
from webapp.web.problems import problem
from webapp.web.templates import render

blueprint = Blueprint("difference", __name__)


@blueprint.get("/vocabularies/diff")
def page() -> Response:
    """Show which pieces only one of two vocabularies has, and which have different ids."""
    asked, problems = forms.read(request)
    as_json = request.args.get("format") == "json"
    comparison: Comparison | None = None
    waiting: StillFetchingError | None = None
    if not problems and asked.a and asked.b:
        try:
            comparison, problems = _compared(asked)
        except StillFetchingError as error:
            waiting = error
    if as_json:
        return _json(asked, comparison, problems, waiting)
    difference, last = None, None
    if comparison is not None:
        try:
            difference = views.shown(comparison, asked)
        except NoSuchPageError as error:
            last = error.last
    return _respond(asked, difference, problems, waiting, last)


def _compared(asked: DifferenceRequest) -> tuple[Comparison | None, list[InputProblem]]:
    """The comparison, or the problem of each vocabulary that cannot be read; raises StillFetchingError."""
    tokenizers: list[Tokenizer] = []
    problems: list[InputProblem] = []
    waiting = None
    for field, name in (("a", asked.a), ("b", asked.b)):
        try:
            tokenizers.append(tokenizer_of(name))
        except UnavailableVocabularyError as error:
            told = unavailable_problem(error)
            problems.append(InputProblem(told.message, told.status, field))
        except StillFetchingError as error:
            waiting = waiting or error  # both are fetched at the same time
    if waiting is not None and not problems:
        raise waiting
    return (None if problems else Comparison(*tokenizers)), problems


def _respond(
    asked: DifferenceRequest,
    difference: ShownDifference | None,
    problems: list[InputProblem],
    waiting: StillFetchingError | None,
    last: int | None,
) -> Response:
    first, second = _title(asked.a), _title(asked.b)
    result = DifferenceContext(
        asked=asked,
        difference=difference,
        waiting=waiting,
        problems=problems,
        first_title=first,
        second_title=second,
        names=group_names(first, second),
        no_such_page=last,
        address=lambda **changes: f"{url_for('difference.page')}?{asked.address(**changes)}",
        visible=visible,
    )
    partial = wants_partial()
    body = render(result if partial else _page(asked, result))
    status = max((one.status for one in problems), default=404 if last else 202 if waiting else 200)
    response = make_response(body, status)
    swappable(response)
    if partial:
        header = "HX-Push-Url" if "page" in request.args else "HX-Replace-Url"
        response.headers[header] = result.address()
    return response


def _page(asked: DifferenceRequest, result: DifferenceContext) -> DifferencePage:
    return DifferencePage(
        result=result,
        groups=vocabulary_choices(request, asked.a, asked.b),
        invalid={one.field: one for one in result.problems if one.field},
    )


def _json(
    asked: DifferenceRequest,
    comparison: Comparison | None,
    problems: list[InputProblem],
    waiting: StillFetchingError | None,
) -> Response:
    if problems:
        return problem(problems[0].status, problems[0].message)
    if waiting is not None:
        return problem(503, _("The vocabulary is still being downloaded."), headers={"Retry-After": "2"})
    if comparison is None:
        return problem(422, _("Name two vocabularies, in the parameters a and b."))
    try:
        return private(json_response(views.as_json(comparison, asked)))
    except NoSuchPageError as error:
        return problem(404, _("There is no such page; the last is %(last)s.", last=number(error.last)))


def group_names(first: str, second: str) -> dict[Group, str]:
    """The names of the groups of pieces."""
    return {
        "a": _("Only in %(title)s", title=first),
        "b": _("Only in %(title)s", title=second),
        "moved": _("In both, with different ids"),
        "same": _("In both, with the same id"),
    }


def _title(name: str) -> str:
    entry = next((mine for mine in uploads_of(request) if mine.name == name), None) or (find(name) if name else None)
    return title_of(entry) if entry else ""
