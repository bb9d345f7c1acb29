"""`/compare` shows several tokenizers on one text.

`/compare/tokens.svg` and the like export the comparison; `/compare/choices` searches tokenizers by name.

Addresses (GET) and forms (POST) have the same fields. A plain form is redirected to its address if that is short
enough; htmx gets the parts of the page that change, and the address to show.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from flask import Blueprint, Response, abort, current_app, make_response, redirect, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response as BaseResponse

from webapp.pages.compare.forms import Preset, offered, read, uses
from webapp.serializers.comparison import comparison_json
from webapp.serializers.json import json_response
from webapp.sharing.results import SharingPage
from webapp.tokenization.attempts import refused
from webapp.tokenization.comparison import exports
from webapp.tokenization.comparison.choices import LONGEST_QUERY, ComparisonPicker
from webapp.tokenization.comparison.rows import ComparisonResult, compare_tokenizers
from webapp.tokenization.comparison.state import LEAST, MOST, Comparison, TokenizerChoice
from webapp.tokenization.comparison.views import ComparisonTools, ComparisonView
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.inferences import parameter_fields, ways_of
from webapp.tokenization.messages import ChoiceField, choice_fields, options
from webapp.vocabularies.upload_cookie import find_or_none, uploads_of
from webapp.web.htmx import private, swappable, wants_partial
from webapp.web.problems import problem
from webapp.web.templates import Context, render


@dataclass(frozen=True, kw_only=True)
class ChoicesContext(Context):
    """The tokenizers that match a search."""

    template = "compare/_choices.html"

    choosing: ComparisonPicker


@dataclass(frozen=True, kw_only=True)
class ComparePage(SharingPage):
    """The form, the rows, and the form that shares them."""

    template = "compare/page.html"

    form_id: str = "compare"
    view: ComparisonView
    choices: ChoicesContext
    problems: Sequence[InputProblem]
    least: int  # rows
    most: int  # rows
    presets: Sequence[Preset]
    uses: Collection[str]  # the options that at least one row uses
    options: Sequence[tuple[str, bool, str, str]]  # checkboxes: field, whether it is ticked, label, CSS class
    choice_fields: Sequence[ChoiceField]  # options with several values
    link: str | None  # the address with the whole state, or None if it would be too long
    difference: str | None  # the address of the difference of the first two vocabularies
    corpus_limit: int  # bytes of a training text
    text_limit: int  # bytes of the text
    ways_of: Callable[[TokenizerChoice], Sequence[tuple[str, str]]]  # how a vocabulary may be applied: id and title
    parameters: Sequence[tuple[str, str, str, str, str]]  # of inferences: field, label, least, most, value


@dataclass(frozen=True, kw_only=True)
class CompareAnswer(ComparePage):
    """The parts of the page that change, for htmx."""

    template = "compare/_answer.html"


blueprint = Blueprint("compare", __name__)


@blueprint.get("/compare")
def page() -> BaseResponse:
    """The form and the tokens of its text."""
    comparison, problems = read(request)
    if request.args.get("format") == "json":
        return _as_json(comparison, problems)
    link = _link(comparison)
    if "algorithm" in request.args and "with" not in request.args and link and not problems:
        return redirect(link)  # from the playground: redirect to the address that names the rows
    return _answer(comparison, problems)


@blueprint.post("/compare")
def submit() -> BaseResponse:
    """The form: redirected to its own address if it has one, else rendered here."""
    return _answer(*read(request))


@blueprint.get("/compare/choices")
def choices() -> Response:
    """The tokenizers that match the search: the part of the page that htmx swaps."""
    comparison, _problems = read(request)
    return private(make_response(render(ChoicesContext(choosing=_choosing(comparison)))))


@blueprint.route("/compare/tokens.<kind>", methods=["GET", "POST"])
def files(kind: str) -> BaseResponse:
    """The comparison as a file: a picture, text or JSON."""
    comparison, problems = read(request)
    if kind == "json":
        return _as_json(comparison, problems)
    if kind not in exports.WRITERS:
        abort(404)
    compared = ComparisonResult(comparison.text, []) if problems else compare_tokenizers(comparison)
    if problems or not compared.shown:
        return _answer(comparison, problems)
    return exports.as_file(ComparisonView(comparison, compared), kind)


def _tools(comparison: Comparison) -> ComparisonTools:
    most = current_app.config["MAX_LINK_CHARACTERS"]
    return ComparisonTools(
        layouts=exports.layouts(lambda layout: None),
        downloads=exports.downloads(lambda kind: url_for("compare.files", kind=kind), comparison.link(most)),
        shareable=True,
    )


def _answer(comparison: Comparison, problems: Sequence[InputProblem]) -> BaseResponse:
    link = _link(comparison)
    partial = wants_partial()
    if request.method == "POST" and not partial and not problems and link and "search" not in request.form:
        return redirect(link, 303)
    # A text that is too long is not tokenized; too many or too few rows are shown all the same.
    refused = any(one.field not in ("", "file") for one in problems)
    compared = ComparisonResult(comparison.text, []) if refused else compare_tokenizers(comparison)
    context = (CompareAnswer if partial else ComparePage)(
        view=ComparisonView(comparison, compared, _tools(comparison)),
        choices=ChoicesContext(choosing=_choosing(comparison)),
        problems=problems,
        least=LEAST,
        most=MOST,
        presets=offered(),
        uses=uses(comparison),
        options=options(comparison.common),
        choice_fields=choice_fields(comparison.common),
        link=link,
        difference=_difference(comparison),
        corpus_limit=current_app.config["MAX_CORPUS_BYTES"],
        text_limit=current_app.config["MAX_TEXT_BYTES"],
        ways_of=ways_of,
        parameters=parameter_fields(comparison.common),
    )
    response = make_response(render(context), max((one.status for one in problems), default=compared.status))
    swappable(response)
    if partial:
        bare = f"{url_for('compare.page')}?{comparison.query_without_texts()}"
        response.headers["HX-Replace-Url"] = link or bare
    return response


def _difference(comparison: Comparison) -> str | None:
    """The address of the difference of the first two vocabularies that exist apart from the visitor's text."""
    entries = (find_or_none(name) for name in dict.fromkeys(choice.vocabulary for choice in comparison.choices) if name)
    names = [entry.name for entry in entries if entry is not None and entry.origin not in ("learned", "pasted")]
    return url_for("difference.page", a=names[0], b=names[1]) if len(names) > 1 else None


def _as_json(comparison: Comparison, problems: Sequence[InputProblem]) -> Response:
    """The comparison as JSON."""
    if problems:
        return refused(problems)
    compared = compare_tokenizers(comparison)
    if compared.pending:
        return problem(503, _("The vocabulary is still being downloaded."), headers={"Retry-After": "2"})
    response = json_response(comparison_json(comparison, compared), compared.status)
    return private(response)


def _choosing(comparison: Comparison) -> ComparisonPicker:
    query = request.values.get("find", "").strip()[:LONGEST_QUERY]
    return ComparisonPicker(uploads_of(request), comparison.choices, query)


def _link(comparison: Comparison) -> str | None:
    """The address that holds the whole state, or None where it would be too long."""
    query = comparison.link(current_app.config["MAX_LINK_CHARACTERS"])
    return None if query is None else f"{url_for('compare.page')}?{query}"
