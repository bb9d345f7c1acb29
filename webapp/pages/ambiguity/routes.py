"""Routes: `/ambiguity` lists the ambiguities of a text, `/ambiguity.csv` and `/ambiguity.json` export them."""

from __future__ import annotations

from flask import Blueprint, Response, current_app, make_response, redirect, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response as BaseResponse

from webapp.pages.ambiguity import forms, views
from webapp.pages.ambiguity.contexts import AmbiguityPage, PlacesContext
from webapp.pages.ambiguity.examples import EXAMPLES
from webapp.pages.ambiguity.forms import AmbiguityRequest
from webapp.rendering.delimited import as_csv
from webapp.rendering.markup import visible
from webapp.serializers.ambiguities import ambiguities_json, ambiguity_rows
from webapp.serializers.json import json_response
from webapp.tokenization.ambiguities import AmbiguityResult, find_all
from webapp.tokenization.attempts import EXPLAINED_ERRORS, problem_of
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import ambiguity_name, still_fetching_problem
from webapp.tokenization.refusal import refused
from webapp.vocabularies import StillFetchingError, find, title_of
from webapp.web.htmx import private, swappable, wants_partial
from webapp.web.templates import render

blueprint = Blueprint("ambiguity", __name__)

PLACES_ON_A_PAGE = 50
EXPORT_LIMIT = 100_000


@blueprint.route("/ambiguity", methods=["GET", "POST"])
def page() -> BaseResponse:
    """Show the form and a page of the list; a form is redirected to its address if that is short enough."""
    asked, result, problems = _found()
    if request.method == "GET" and request.args.get("format") == "json":
        return _as_json(asked, result, problems)
    last = 1 if result is None else max(1, -(-result.count(asked.kind) // PLACES_ON_A_PAGE))
    if asked.page > last:
        message = _("There is no page %(number)s; the last one is %(last)s.", number=asked.page, last=last)
        problems = [InputProblem(message, 404)]
    query = asked.query()
    link = f"{url_for('ambiguity.page')}?{query}" if len(query) <= current_app.config["MAX_LINK_CHARACTERS"] else None
    partial = wants_partial()
    if request.method == "POST" and not partial and not problems and link:
        return redirect(link, 303)
    first = (asked.page - 1) * PLACES_ON_A_PAGE
    places = [] if problems or result is None else result.places(asked.kind, first, first + PLACES_ON_A_PAGE)
    entry = find(asked.state.vocabulary)
    shown = PlacesContext(
        asked=asked,
        result=result,
        problems=problems,
        places=[views.shown_place(result, place) for place in places] if result else [],
        summary=views.summary_of(result) if result else "",
        kinds=_kinds(result) if result else [],
        number_of_pages=last,
        export_limit=EXPORT_LIMIT,
        vocabulary_title=title_of(entry) if entry else "",
        link=link,
        visible=visible,
    )
    body = render(shown if partial else _page(asked, shown))
    response = swappable(make_response(body, max((one.status for one in problems), default=200)))
    if partial:
        response.headers["HX-Replace-Url"] = link or url_for("ambiguity.page")
    return response


@blueprint.route("/ambiguity.csv", methods=["GET", "POST"])
def as_table() -> BaseResponse:
    """Download the list as CSV."""
    asked, result, problems = _found()
    if result is None:
        return refused(problems)
    rows = ambiguity_rows(result, result.places(asked.kind, 0, EXPORT_LIMIT))
    return _download(as_csv(rows).encode(), "text/csv", "ambiguities.csv")


@blueprint.route("/ambiguity.json", methods=["GET", "POST"])
def as_json() -> BaseResponse:
    """Download the list as JSON."""
    asked, result, problems = _found()
    response = _as_json(asked, result, problems)
    if result is not None:
        response.headers["Content-Disposition"] = "attachment; filename=ambiguities.json"
    return response


def _found() -> tuple[AmbiguityRequest, AmbiguityResult | None, list[InputProblem]]:
    """The request, its result, and its problems."""
    asked, problems = forms.read(request)
    if problems:
        return asked, None, problems
    try:
        return asked, find_all(asked.state, corpus_limit=current_app.config["MAX_CORPUS_BYTES"]), []
    except EXPLAINED_ERRORS as error:
        return asked, None, [problem_of(asked.state, error)]
    except StillFetchingError:
        return asked, None, [still_fetching_problem()]


def _page(asked: AmbiguityRequest, shown: PlacesContext) -> AmbiguityPage:
    invalid = {one.field: one.message for one in shown.problems if one.field}
    if "file" in invalid:
        invalid["text"] = invalid["file"]
    return AmbiguityPage(
        shown=shown,
        dictionaries=forms.dictionaries(request, asked.state.vocabulary),
        title_of=title_of,
        invalid=invalid,
        examples=[
            (text, f"{url_for('ambiguity.page')}?{asked.state.query_of_algorithm(text=text)}") for text in EXAMPLES
        ],
    )


def _kinds(result: AmbiguityResult) -> list[tuple[str, str, int]]:
    return [
        ("", _("All"), result.count(None)),
        ("overlapping", ambiguity_name("overlapping"), result.count("overlapping")),
        ("combinational", ambiguity_name("combinational"), result.count("combinational")),
    ]


def _as_json(asked: AmbiguityRequest, result: AmbiguityResult | None, problems: list[InputProblem]) -> Response:
    if result is None:
        return refused(problems)
    return private(json_response(ambiguities_json(result, result.places(asked.kind, 0, EXPORT_LIMIT))))


def _download(content: bytes, mimetype: str, name: str) -> Response:
    response = Response(content, mimetype=mimetype)
    response.headers["Content-Disposition"] = f"attachment; filename={name}"
    return private(response)
