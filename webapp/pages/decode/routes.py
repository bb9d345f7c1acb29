"""Routes: `/decode` shows ids as text, token by token; `/decode.json` and `/decode.csv` export them."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, Response, current_app, make_response, redirect, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.analysis.decoding import Decoded, decoded
from webapp.core.text.split_patterns import TextError
from webapp.core.tokenizer import Tokenizer
from webapp.pages.decode import forms, messages, views
from webapp.pages.decode.contexts import DecodePage
from webapp.pages.decode.examples import EXAMPLES
from webapp.pages.decode.forms import DecodeRequest
from webapp.rendering.delimited import csv_parts
from webapp.serializers.decoding import decoded_rows, decoded_stream
from webapp.serializers.json import json_response
from webapp.tokenization.attempts import tokenize_or_explain
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.ids import MOST_IDS, ReadIds, ids_outside
from webapp.tokenization.messages import still_fetching_problem, text_problem, unavailable_problem
from webapp.tokenization.refusal import refused
from webapp.tokenization.vocabulary_choices import vocabulary_choices
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError, find, title_of, tokenizer_of
from webapp.web.htmx import private
from webapp.web.localization import number
from webapp.web.long_responses import long_response
from webapp.web.templates import render

blueprint = Blueprint("decode", __name__)

DECODED_TIMES_TEXT = 4  # pieces may be this many times as long as the longest text of a request

Answer = tuple[DecodeRequest, tuple[Decoded, Tokenizer] | None, list[InputProblem]]


@blueprint.route("/decode", methods=["GET", "POST"])
def page() -> BaseResponse:
    """Show the form and the decoded ids; a form is redirected to its address if that is short enough."""
    asked, answer, problems = _answer()
    if request.method == "GET" and request.args.get("format") == "json":
        return _as_json(asked, answer, problems)
    if answer is not None and asked.page > (last := views.pages_of(answer[0])):
        message = _("There is no page %(number)s; the last one is %(last)s.", number=asked.page, last=last)
        problems, answer = [InputProblem(message, 404)], None
    link = _link("decode.page", asked)
    if request.method == "POST" and not problems and link:
        return redirect(link, 303)
    context = _page_context(asked, answer, problems, link)
    return private(make_response(render(context), max((one.status for one in problems), default=200)))


@blueprint.route("/decode.json", methods=["GET", "POST"])
def as_json() -> BaseResponse:
    """Download the text and the tokens as JSON."""
    asked, answer, problems = _answer()
    response = _as_json(asked, answer, problems)
    if answer is not None:
        response.headers["Content-Disposition"] = "attachment; filename=decoded.json"
    return response


@blueprint.route("/decode.csv", methods=["GET", "POST"])
def as_table() -> BaseResponse:
    """Download the tokens as CSV."""
    _asked, answer, problems = _answer()
    if answer is None:
        return refused(problems)
    response = long_response(csv_parts(decoded_rows(answer[0])), mimetype="text/csv")
    response.headers["Content-Disposition"] = "attachment; filename=decoded.csv"
    return private(response)


def _answer() -> Answer:
    """The request, its decoded ids with their tokenizer, and its problems."""
    if forms.wants_encoding(request):
        return _encoded()
    asked, ids, problems = forms.read(request, EXAMPLES[0].request())
    return _decoded(asked, ids, problems)


def _encoded() -> Answer:
    """The same for the ids of a text that the playground's form has."""
    state, problems = forms.state_of(request)
    try:
        result, problems = tokenize_or_explain(state, problems)
    except StillFetchingError:
        result, problems = None, [still_fetching_problem()]
    if result is None:
        return DecodeRequest("", forms.chosen_or_default(state.vocabulary)), None, problems
    ids = result.encoding.ids
    asked = DecodeRequest(" ".join(map(str, ids[: MOST_IDS + 1])), state.vocabulary)
    if len(ids) > MOST_IDS:
        message = _(
            "The text has %(count)s tokens; the limit here is %(limit)s ids.",
            count=number(len(ids)),
            limit=number(MOST_IDS),
        )
        return replace(asked, ids=""), None, [InputProblem(message, 413, "ids")]
    return _decoded(asked, ReadIds(asked.ids, ids, range(len(ids))), [])


def _decoded(asked: DecodeRequest, ids: ReadIds, problems: list[InputProblem]) -> Answer:
    if problems:
        return asked, None, problems
    try:
        tokenizer = tokenizer_of(asked.vocabulary)
        outside = ids_outside(ids, tokenizer)
        if outside.count:
            return asked, None, [messages.outside_problem(outside, tokenizer)]
        limit = DECODED_TIMES_TEXT * current_app.config["MAX_TEXT_BYTES"]
        if (length := tokenizer.pieces_length(ids.ids)) > limit:
            return asked, None, [messages.length_problem(length, limit)]
        return asked, (decoded(tokenizer, ids.ids, skip_special=asked.skip), tokenizer), []
    except UnavailableVocabularyError as error:
        return asked, None, [unavailable_problem(error)]
    except TextError as error:
        return asked, None, [replace(text_problem(asked.state("", special=False), error), field="ids")]
    except StillFetchingError:
        return asked, None, [still_fetching_problem()]


def _page_context(
    asked: DecodeRequest,
    answer: tuple[Decoded, Tokenizer] | None,
    problems: list[InputProblem],
    link: str | None,
) -> DecodePage:
    entry = find(asked.vocabulary)
    return DecodePage(
        asked=asked,
        result=views.decoded_view(asked, *answer) if answer else None,
        problems=problems,
        invalid={one.field: one.message for one in problems if one.field},
        groups=vocabulary_choices(request, asked.vocabulary),
        title_of=title_of,
        vocabulary_title=title_of(entry) if entry else "",
        has_page=entry is not None,
        examples=[(str(one.title), f"{url_for('decode.page')}?{one.request().query()}") for one in EXAMPLES],
        views=[("joined", _("Joined")), ("apart", _("Apart"))],
        ids_limit=MOST_IDS,
        link=link,
        json_link=_link("decode.as_json", asked) if link else None,
    )


def _link(endpoint: str, asked: DecodeRequest) -> str | None:
    """The address of the request, None if it would be too long."""
    most = current_app.config["MAX_LINK_CHARACTERS"]
    if len(asked.ids) > most:
        return None
    query = asked.query()
    return f"{url_for(endpoint)}?{query}" if len(query) <= most else None


def _as_json(asked: DecodeRequest, answer: tuple[Decoded, Tokenizer] | None, problems: list[InputProblem]) -> Response:
    if answer is None:
        return refused(problems)
    return private(json_response({"vocabulary": asked.vocabulary, **decoded_stream(answer[0])}))
