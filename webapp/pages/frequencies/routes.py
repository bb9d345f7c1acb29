"""`/frequencies`: how often each token of a text occurs. It takes the fields of the playground's form."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import chain

from flask import Blueprint, Response, current_app, make_response, redirect, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.analysis.frequencies import RankedToken, ranked
from webapp.pages.frequencies.contexts import FrequenciesPage
from webapp.pages.frequencies.examples import EXAMPLES
from webapp.pages.frequencies.figure import frequency_figure
from webapp.pages.frequencies.plot import plot_of
from webapp.rendering.delimited import csv_parts
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.figure_files import figure_png, figure_svg
from webapp.rendering.pictures.palette import Theme
from webapp.serializers.json import json_piece, json_response
from webapp.tokenization import forms
from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.attempts import tokenize_or_explain
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.result import Result
from webapp.tokenization.state import State
from webapp.vocabularies import CATALOGUE, CatalogueEntry, StillFetchingError, find, title_of, well_known
from webapp.vocabularies.titles import by_family
from webapp.vocabularies.upload_cookie import uploads_of, with_chosen
from webapp.web.htmx import private
from webapp.web.long_responses import long_response
from webapp.web.problems import problem
from webapp.web.templates import render

blueprint = Blueprint("frequencies", __name__)

MAX_ROWS = 100
MAX_BARS = 12
FILE_HEADER = ("rank", "token", "id", "count", "share")
MEDIA_TYPES = {"csv": "text/csv", "svg": "image/svg+xml", "png": "image/png"}
STATE_FIELDS = {field.name for field in fields(State)}


@blueprint.route("/frequencies", methods=["GET", "POST"])
def page() -> BaseResponse:
    """Show the form, the chart and the most frequent tokens, or export them.

    A valid form is redirected to a URL with its state, unless that would be too long.
    """
    state, problems = _read()
    file = request.args.get("format", "")
    link = _address("frequencies.page", state)
    if request.method == "POST" and not problems and link and not file:
        return redirect(link, 303)
    pending, result = False, None
    try:
        result, problems = tokenize_or_explain(state, problems)
    except StillFetchingError:
        pending = True
    tokens = ranked(result.encoding.ids) if result else []
    if file == "json":
        return _json(result, problems)
    if result and tokens and file in ("csv", "svg", "png"):
        return _file(file, state, result, tokens)
    context = _page_context(state, result, tokens, problems, pending=pending)
    status = max((one.status for one in problems), default=202 if pending else 200)
    return private(make_response(render(context), status))


def _read() -> tuple[State, list[InputProblem]]:
    """The requested state, with the text of an example if the address names one, and its problems."""
    state, problems = forms.read(request)
    example = EXAMPLES.get(request.args.get("example", ""))
    if example and request.method == "GET" and not state.text:
        state = replace(state, text=example.text)
    return state, [problem for problem in problems if problem.field != "token"]


def _page_context(
    state: State, result: Result | None, tokens: list[RankedToken], problems: list[InputProblem], *, pending: bool
) -> FrequenciesPage:
    total = sum(token.count for token in tokens)
    link = _address("frequencies.page", state)
    return FrequenciesPage(
        form_id="frequencies",
        problems=problems,
        pending=pending,
        text=state.text,
        text_limit=current_app.config["MAX_TEXT_BYTES"],
        chosen=state.vocabulary,
        choices=_choices(state),
        title_of=title_of,
        examples=[(str(one.title), url_for("frequencies.page", example=key)) for key, one in EXAMPLES.items()],
        tokens=tokens[:MAX_ROWS],
        different=len(tokens),
        total=total,
        once=sum(token.count == 1 for token in tokens),
        top_share=sum(token.count for token in tokens[:10]) / total if total else 0,
        plot=plot_of(tokens) if tokens else None,
        piece=lambda token: shown_piece(_piece(result, token)) if result else "",
        algorithm=algorithm_names()[state.algorithm],
        vocabulary=_title(state),
        back=_address("playground.page", state),
        fields=_fields(state),
        link=link,
        max_rows=MAX_ROWS,
        max_bars=MAX_BARS,
        files=_files(link or url_for("frequencies.page")),
    )


def _choices(state: State) -> list[tuple[str, list[CatalogueEntry]]]:
    """The vocabularies to choose from: the site's own and the chosen one, the visitor's uploads, then families."""
    own = [entry for entry in CATALOGUE.values() if entry.origin == "shipped" or entry.name == state.vocabulary]
    others = [*with_chosen(uploads_of(request), [state.vocabulary]), *well_known()]
    return [(_("Shipped"), own), *by_family(others)]


def _files(address: str) -> list[tuple[str, str]]:
    """The title and address of each export."""
    separator = "&" if "?" in address else "?"
    titles = {
        "svg": _("Chart as SVG"),
        "png": _("Chart as PNG"),
        "csv": _("Table as CSV"),
        "json": _("All tokens as JSON"),
    }
    return [(title, f"{address}{separator}format={kind}") for kind, title in titles.items()]


def _file(kind: str, state: State, result: Result, tokens: list[RankedToken]) -> Response:
    """The chart or the table as a download; its name is fixed: no input of the visitor goes into a header."""
    theme: Theme = "dark" if request.args.get("colours") == "dark" else "light"
    figure = frequency_figure(plot_of(tokens), f"{algorithm_names()[state.algorithm]} · {_title(state)}")
    if kind == "csv":
        total = sum(token.count for token in tokens)
        rows = ((one.rank, shown_piece(_piece(result, one)), one.id, one.count, one.count / total) for one in tokens)
        response = long_response(csv_parts(chain([FILE_HEADER], rows)), mimetype=MEDIA_TYPES[kind])
    else:
        content = figure_svg(figure, theme=theme) if kind == "svg" else figure_png(figure, theme=theme)
        body = content if isinstance(content, bytes) else content.encode("utf-8", "replace")
        response = Response(body, mimetype=MEDIA_TYPES[kind])
    response.headers["Content-Disposition"] = f"attachment; filename=frequencies.{kind}"
    return private(response)


def _json(result: Result | None, problems: list[InputProblem]) -> Response:
    """The ranked tokens as JSON: every different token."""
    if result is None:
        status = max((one.status for one in problems), default=503)
        return problem(status, " ".join(one.message for one in problems) or "The vocabulary is being downloaded.")
    tokens = ranked(result.encoding.ids)
    response = json_response(
        {
            "tokens": len(result.encoding),
            "different": len(tokens),
            "ranked": ({"id": one.id, "piece": json_piece(_piece(result, one)), "count": one.count} for one in tokens),
        }
    )
    return private(response)


def _piece(result: Result, token: RankedToken) -> str | bytes:
    pieces = result.tokenizer.model.pieces
    if token.id < len(pieces):
        return pieces[token.id]
    return result.encoding.piece(result.encoding.ids.index(token.id))


def _fields(state: State) -> list[tuple[str, str]]:
    """The hidden fields of the form: all choices of the request other than the text and the vocabulary."""
    values = request.form if request.method == "POST" else request.args
    shown = {"text", "vocabulary", "algorithm"}
    others = [pair for pair in values.items(multi=True) if pair[0] in STATE_FIELDS - shown]
    return [*others, ("algorithm", state.algorithm)]


def _title(state: State) -> str:
    entry = find(state.vocabulary)
    return title_of(entry) if entry else state.vocabulary


def _address(endpoint: str, state: State) -> str | None:
    """The URL with the whole state, or None if it would be too long."""
    query = state.link(current_app.config["MAX_LINK_CHARACTERS"])
    return f"{url_for(endpoint)}?{query}" if query else None
