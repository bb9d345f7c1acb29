"""`/vocabularies/NAME/tokens/ID`: one token; `/vocabularies/NAME/unreachable`: the tokens that no text gives."""

from __future__ import annotations

from flask import Response, abort, make_response, request
from flask_babel import gettext as _

from webapp.core.tokenizer import Tokenizer
from webapp.jobs.surveys import StoredSurvey, survey_of
from webapp.pages.vocabularies import token_view, unreachable_view
from webapp.pages.vocabularies.found import error_page, vocabulary_of
from webapp.pages.vocabularies.routes import blueprint
from webapp.pages.vocabularies.token_table import short
from webapp.rendering.delimited import as_csv
from webapp.serializers.json import json_response
from webapp.serializers.vocabulary import reachability_json, survey_json, token_page_json
from webapp.vocabularies.descriptions import description_of
from webapp.vocabularies.token_facts import TokenFacts, token_facts
from webapp.web.htmx import private, swappable, wants_partial
from webapp.web.localization import number
from webapp.web.problems import refuse
from webapp.web.templates import render

_DIGITS = 15  # of the largest number that is looked up as an id


@blueprint.get("/vocabularies/<name>/tokens/<id>")
def token(name: str, id: str) -> Response:
    """The page of a token; with `others=all`, other vocabularies on disk are searched as well."""
    entry, tokenizer = vocabulary_of(name)
    facts = _facts(tokenizer, id)
    if wants_partial():
        return swappable(make_response(render(token_view.others_context(entry, facts))))
    return swappable(make_response(render(token_view.token_page(entry, tokenizer, facts))))


@blueprint.get("/vocabularies/<name>/tokens/<id>.json")
def token_as_json(name: str, id: str) -> Response:
    """A token as JSON."""
    entry, tokenizer = vocabulary_of(name)
    facts = _facts(tokenizer, id)
    return private(json_response(token_page_json(entry, tokenizer, facts)))


@blueprint.get("/vocabularies/<name>/unreachable")
def unreachable(name: str) -> Response:
    """The unreachable tokens of a vocabulary, of the reason `reason`, or how far their computation is."""
    entry, tokenizer = vocabulary_of(name)
    context = unreachable_view.survey_context(
        entry, tokenizer, survey_of(name), request.args.get("reason", ""), request.args.get("page", "")
    )
    status = 404 if context.problem else 503 if context.failed else 202 if context.running else 200
    if wants_partial():
        # htmx swaps no errors, and this is the answer to its question.
        response = make_response(render(context), 200 if context.running or context.failed else status)
    else:
        response = make_response(render(unreachable_view.unreachable_page(entry, context)), status)
    return swappable(response)


@blueprint.get("/vocabularies/<name>/unreachable.json")
def unreachable_as_json(name: str) -> Response:
    """The unreachable tokens as JSON: all that are stored."""
    entry, tokenizer = vocabulary_of(name)
    survey = _survey(name)
    tokens = description_of(tokenizer).tokens
    answer = {
        "name": entry.name,
        **survey_json(survey),
        "tokens": [reachability_json(tokens, reach) for reach in survey.unreachable],
    }
    return private(json_response(answer))


@blueprint.get("/vocabularies/<name>/unreachable.csv")
def unreachable_as_csv(name: str) -> Response:
    """The unreachable tokens as a table for spreadsheets."""
    entry, tokenizer = vocabulary_of(name)
    survey = _survey(name)
    rows = unreachable_view.table_rows(description_of(tokenizer).tokens, survey)
    response = Response(as_csv(rows), mimetype="text/csv")
    response.headers["Content-Disposition"] = f"attachment; filename={entry.name}-unreachable.csv"
    return private(response)


def _survey(name: str) -> StoredSurvey:
    survey = survey_of(name)
    if not isinstance(survey, StoredSurvey):
        refuse(503, _("The unreachable tokens are still being computed."), headers={"Retry-After": "5"})
    return survey


def _facts(tokenizer: Tokenizer, id: str) -> TokenFacts:
    """The facts of a token; the request ends with status 404 if there is none with this id."""
    number_of_id = int(id) if id.isascii() and id.isdecimal() and len(id) <= _DIGITS else -1
    ids = description_of(tokenizer).tokens.ids
    if not ids:
        abort(error_page(404, _("This vocabulary has no tokens.")))
    try:
        return token_facts(tokenizer, number_of_id)
    except KeyError:
        message = _(
            "There is no token %(id)s in this vocabulary; the ids go from %(first)s to %(last)s.",
            id=short(id),
            first=number(ids[0]),
            last=number(ids[-1]),
        )
        abort(error_page(404, message))
