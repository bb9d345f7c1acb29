"""Routes: `/measures` defines and shows measures of tokenizers, `/measures.csv` and `/measures.json` export them."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, Response, current_app, make_response, redirect, request, url_for
from flask_babel import gettext as _
from flask_babel import ngettext
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.evaluation.gold import GoldText
from webapp.pages.measures import choices, forms
from webapp.pages.measures.contexts import MeasuresPage
from webapp.pages.measures.forms import MeasuresRequest
from webapp.rendering.delimited import as_csv
from webapp.serializers.json import json_response
from webapp.serializers.measures import measure_rows, measures_json
from webapp.tokenization.attempts import refused
from webapp.tokenization.comparison.rows import ComparisonResult, rows_of
from webapp.tokenization.comparison.state import MOST
from webapp.tokenization.comparison.views import ComparisonView
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.measures.definitions import DEFINITIONS
from webapp.tokenization.measures.measured import Measured, measure_one_by_one
from webapp.tokenization.measures.table import groups_of
from webapp.vocabularies.upload_cookie import uploads_of
from webapp.web.htmx import private
from webapp.web.localization import number
from webapp.web.problems import problem
from webapp.web.templates import render

blueprint = Blueprint("measures", __name__)


@blueprint.route("/measures", methods=["GET", "POST"])
def page() -> BaseResponse:
    """Show the measures of a text, and their definitions; a form is redirected to its address if that is short."""
    asked, gold, problems = forms.read(request)
    link = _link(asked)
    if request.method == "POST" and not problems and link:
        return redirect(link, 303)
    compared, measured = _measured(asked, gold, problems)
    view = ComparisonView(asked.comparison, compared)
    text = compared.text
    invalid = {one.field: one.message for one in problems if one.field}
    if "file" in invalid:
        invalid["text"] = invalid["file"]
    context = MeasuresPage(
        asked=asked,
        problems=problems,
        invalid=invalid,
        offered=choices.groups_of(uploads_of(request), asked.comparison.choices),
        most=MOST,
        compared=compared,
        measured=measured,
        count=view.count,
        characters=len(text),
        bytes=len(text.encode("utf-8", "replace")),
        groups=groups_of(measured, gold=gold is not None) if measured else [],
        heads=view.measure_heads if measured else [],
        gold_note=_gold_note(gold),
        definitions=DEFINITIONS,
        example=None if text == forms.example() else url_for("measures.page"),
        link=link,
        files=_files(link),
    )
    status = max((one.status for one in problems), default=compared.status)
    return private(make_response(render(context), status))


@blueprint.route("/measures.csv", methods=["GET", "POST"])
def as_table() -> BaseResponse:
    """Download the measures as CSV."""
    asked, gold, problems = forms.read(request)
    compared, measured = _measured(asked, gold, problems)
    if measured is None:
        return _no_file(problems, compared)
    response = Response(as_csv(measure_rows(measured)).encode(), mimetype="text/csv")
    response.headers["Content-Disposition"] = "attachment; filename=measures.csv"
    return private(response)


@blueprint.route("/measures.json", methods=["GET", "POST"])
def as_json() -> BaseResponse:
    """Download the measures as JSON."""
    asked, gold, problems = forms.read(request)
    compared, measured = _measured(asked, gold, problems)
    if measured is None:
        return _no_file(problems, compared)
    response = json_response(measures_json(measured, compared.text))
    response.headers["Content-Disposition"] = "attachment; filename=measures.json"
    return private(response)


def _measured(
    asked: MeasuresRequest, gold: GoldText | None, problems: list[InputProblem]
) -> tuple[ComparisonResult, Measured | None]:
    """The rows of the tokenizers and their measures; None without a row that has tokens, or for an empty text."""
    if problems:
        return ComparisonResult(asked.comparison.text, []), None
    text = asked.comparison.text
    everything = measure_one_by_one(rows_of(asked.comparison), text, gold)
    compared = ComparisonResult(text, [each.row for each in everything.tokenizers])
    if not compared.shown or not text:
        return compared, None
    return compared, replace(
        everything, tokenizers=[each for each in everything.tokenizers if each.row.encoding is not None]
    )


def _link(asked: MeasuresRequest) -> str | None:
    query = asked.link(current_app.config["MAX_LINK_CHARACTERS"])
    return None if query is None else f"{url_for('measures.page')}?{query}"


def _files(link: str | None) -> list[tuple[str, str, str | None]]:
    titles = {"csv": _("Table as CSV"), "json": _("Data as JSON")}
    paths = {"csv": url_for("measures.as_table"), "json": url_for("measures.as_json")}
    query = link.partition("?")[2] if link else None
    return [(title, paths[kind], f"{paths[kind]}?{query}" if query else None) for kind, title in titles.items()]


def _gold_note(gold: GoldText | None) -> str:
    """How much gold text there is, and how many lines of it look wrong."""
    if gold is None:
        return ""
    words = ngettext(
        "One word in the gold text.", "%(count)s words in the gold text.", gold.words, count=number(gold.words)
    )
    if not gold.problem_count:
        return words
    return f"{words} {ngettext('One line looks wrong.', '%(num)s lines look wrong.', gold.problem_count)}"


def _no_file(problems: list[InputProblem], compared: ComparisonResult) -> Response:
    """Why there is no file."""
    if problems:
        return refused(problems)
    if compared.pending:
        return problem(503, _("The vocabulary is still being downloaded."), headers={"Retry-After": "2"})
    found = [row.problem.message for row in compared.rows if row.problem]
    return problem(compared.status if found else 422, " ".join(found) or _("Enter a text to measure."))
