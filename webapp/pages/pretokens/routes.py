"""Routes: `/pretokens` shows the pre-tokens of a text, `/pretokens.json` exports them."""

from __future__ import annotations

from flask import Blueprint, Response, current_app, make_response, redirect, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.analysis.pretoken_view import pretoken_view
from webapp.core.text.split_patterns import PatternTimeoutError, TextError
from webapp.core.tokenizer import Tokenizer
from webapp.pages.pretokens import forms, views
from webapp.pages.pretokens.contexts import PretokensContext, PretokensPage, ShownPretokens
from webapp.pages.pretokens.forms import PretokensRequest
from webapp.pages.pretokens.messages import KNOWN_PATTERNS
from webapp.rendering.markup import visible
from webapp.serializers.json import json_response
from webapp.serializers.pretokens import pretokens_json
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import still_fetching_problem, text_problem, unavailable_problem
from webapp.tokenization.refusal import refused
from webapp.tokenization.state import State
from webapp.tokenization.vocabulary_choices import vocabulary_choices
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError, find, title_of, tokenizer_of
from webapp.web.htmx import private, swappable, wants_partial
from webapp.web.templates import render

blueprint = Blueprint("pretokens", __name__)


@blueprint.route("/pretokens", methods=["GET", "POST"])
def page() -> BaseResponse:
    """Show the form and the pre-tokens; a form is redirected to its address if that is short enough."""
    asked, problems = forms.read(request)
    if request.method == "GET" and request.args.get("format") == "json":
        return _json(asked, problems)
    shown: ShownPretokens | None = None
    if not problems:
        shown, problems = _shown(asked)
    query = asked.query()
    link = f"{url_for('pretokens.page')}?{query}" if len(query) <= current_app.config["MAX_LINK_CHARACTERS"] else None
    partial = wants_partial()
    if request.method == "POST" and not partial and not problems and link:
        return redirect(link, 303)
    entry = find(asked.vocabulary)
    result = PretokensContext(
        asked=asked,
        shown=shown,
        problems=problems,
        vocabulary_title=title_of(entry) if entry else "",
        link=link,
        visible=visible,
    )
    body = render(result if partial else _page(asked, result))
    response = swappable(make_response(body, max((one.status for one in problems), default=200)))
    if partial:
        response.headers["HX-Replace-Url"] = link or url_for("pretokens.page")
    return response


@blueprint.route("/pretokens.json", methods=["GET", "POST"])
def as_json() -> BaseResponse:
    """Download the pre-tokens as JSON."""
    response = _json(*forms.read(request))
    if response.status_code == 200:
        response.headers["Content-Disposition"] = "attachment; filename=pretokens.json"
    return response


def _shown(asked: PretokensRequest) -> tuple[ShownPretokens | None, list[InputProblem]]:
    tokenizer, problems = _tokenizer(asked)
    if tokenizer is None:
        return None, problems
    try:
        return views.shown_pretokens(tokenizer, asked), []
    except TextError as error:
        return None, [_text_problem(asked, error)]


def _tokenizer(asked: PretokensRequest) -> tuple[Tokenizer | None, list[InputProblem]]:
    try:
        return tokenizer_of(asked.vocabulary), []
    except UnavailableVocabularyError as error:
        return None, [unavailable_problem(error)]
    except StillFetchingError:
        return None, [still_fetching_problem()]


def _text_problem(asked: PretokensRequest, error: TextError) -> InputProblem:
    if asked.pattern and isinstance(error, PatternTimeoutError) and error.source == asked.pattern:
        return InputProblem(
            _("The pattern takes too long on this text. Simplify it, or shorten the text."), 422, "pattern"
        )
    return text_problem(State(vocabulary=asked.vocabulary, text=asked.text), error)


def _page(asked: PretokensRequest, result: PretokensContext) -> PretokensPage:
    return PretokensPage(
        result=result,
        groups=vocabulary_choices(request, asked.vocabulary),
        title_of=title_of,
        invalid={one.field: one.message for one in result.problems if one.field},
        starts=[(forms.OWN, _("this vocabulary’s")), *((name, name) for name in KNOWN_PATTERNS)],
    )


def _json(asked: PretokensRequest, problems: list[InputProblem]) -> Response:
    tokenizer: Tokenizer | None = None
    if not problems:
        tokenizer, problems = _tokenizer(asked)
    if tokenizer is not None:
        text = asked.text[: views.ANALYSED]
        try:
            view = pretoken_view(tokenizer, text, special=asked.special)
            own = pretoken_view(tokenizer, text, special=asked.special, own=asked.pattern) if asked.pattern else None
            return private(json_response(pretokens_json(view, own)))
        except TextError as error:
            problems = [_text_problem(asked, error)]
    return refused(problems)
