"""`/frequencies`: how often each token of a text occurs. It takes the fields of the playground's form."""

from __future__ import annotations

from dataclasses import fields

from flask import Blueprint, Response, current_app, make_response, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.analysis.frequencies import RankedToken, ranked
from webapp.pages.frequencies.contexts import FrequenciesPage
from webapp.pages.frequencies.plot import plot_of
from webapp.rendering.markup import shown_piece
from webapp.serializers.json import json_piece, json_response
from webapp.tokenization import forms
from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.attempts import tokenize_or_explain
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.result import Result
from webapp.tokenization.state import State
from webapp.vocabularies import StillFetchingError, find, title_of
from webapp.web.htmx import private
from webapp.web.problems import problem
from webapp.web.templates import render

blueprint = Blueprint("frequencies", __name__)

MAX_ROWS = 100
STATE_FIELDS = {field.name for field in fields(State)}


@blueprint.route("/frequencies", methods=["GET", "POST"])
def page() -> BaseResponse:
    """Show the chart and the most frequent tokens.

    A valid form is redirected to a URL with its state, unless that would be too long.
    """
    state, problems = forms.read(request)
    problems = [problem for problem in problems if problem.field != "token"]
    link = _address("frequencies.page", state)
    if request.method == "POST" and not problems and link:
        return redirect(link, 303)
    pending, result = False, None
    try:
        result, problems = tokenize_or_explain(state, problems)
    except StillFetchingError:
        pending = True
    if request.args.get("format") == "json" and request.method == "GET":
        return _json(result, problems)
    tokens = ranked(result.encoding.ids) if result else []
    total = sum(token.count for token in tokens)
    context = FrequenciesPage(
        problems=problems,
        pending=pending,
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
    )
    status = max((one.status for one in problems), default=202 if pending else 200)
    return private(make_response(render(context), status))


def _json(result: Result | None, problems: list[InputProblem]) -> Response:
    """The ranked tokens as JSON: every different token."""
    if result is None:
        status = max((one.status for one in problems), default=503)
        return problem(status, " ".join(one.message for one in problems) or "The vocabulary is being fetched.")
    tokens = ranked(result.encoding.ids)
    response = json_response(
        {
            "tokens": len(result.encoding),
            "different": len(tokens),
            "ranked": [{"id": one.id, "piece": json_piece(_piece(result, one)), "count": one.count} for one in tokens],
        }
    )
    return private(response)


def _piece(result: Result, token: RankedToken) -> str | bytes:
    pieces = result.tokenizer.model.pieces
    if token.id < len(pieces):
        return pieces[token.id]
    return result.encoding.piece(result.encoding.ids.index(token.id))


def _fields(state: State) -> list[tuple[str, str]]:
    """The form's fields, with the text of an uploaded file; used to go back when the text does not fit into a URL."""
    values = request.form if request.method == "POST" else request.args
    others = [pair for pair in values.items(multi=True) if pair[0] in STATE_FIELDS and pair[0] != "text"]
    return [*others, ("text", state.text)]


def _title(state: State) -> str:
    entry = find(state.vocabulary)
    return title_of(entry) if entry else state.vocabulary


def _address(endpoint: str, state: State) -> str | None:
    """The URL with the whole state, or None if it would be too long."""
    query = state.link(current_app.config["MAX_LINK_CHARACTERS"])
    return f"{url_for(endpoint)}?{query}" if query else None
