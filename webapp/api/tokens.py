"""The operations about one token, and about the unreachable tokens of a vocabulary."""

from __future__ import annotations

from flask import Response

from webapp.api.registry import operations
from webapp.api.schemas.tokens import TokenPageAnswer, UnreachableAnswer, UnreachableQuery
from webapp.api.tokenizer_choice import tokenizer_by_name
from webapp.jobs.surveying import Running, survey_of
from webapp.jobs.surveys import StoredSurvey
from webapp.serializers.json import cached_for, json_response
from webapp.serializers.token import reachability_json, survey_json, token_page_json
from webapp.vocabularies.descriptions import description_of
from webapp.vocabularies.token_facts import token_facts
from webapp.web.problems import refuse

HOUR = 3_600
PAGE = 1_000  # tokens
_DIGITS = 15  # of the largest number that is looked up as an id


@operations.add(
    "get",
    "/vocabularies/<name>/tokens/<id>",
    answer=TokenPageAnswer,
    errors=(404, 503),
    example={"name": "bpe-bytes", "id": "1000"},
)
def token(name: str, id: str) -> Response:
    """Describe one token: its bytes, its characters, how it is made, and whether a text gives it."""
    entry, tokenizer = tokenizer_by_name(name)
    ids = description_of(tokenizer).tokens.ids
    try:
        number = int(id) if id.isascii() and id.isdecimal() and len(id) <= _DIGITS else -1
        facts = token_facts(tokenizer, number)
    except KeyError:
        known = f"the ids go from {ids[0]} to {ids[-1]}" if ids else "it has no tokens"
        refuse(404, f"The vocabulary {name!r} has no token {id[:40]!r}; {known}.")
    return cached_for(json_response(token_page_json(entry, tokenizer, facts)), HOUR)


@operations.add(
    "get",
    "/vocabularies/<name>/unreachable",
    query=UnreachableQuery,
    answer=UnreachableAnswer,
    errors=(404, 503),
    example={"name": "wordpiece"},
)
def unreachable_tokens(name: str, query: UnreachableQuery) -> Response:
    """List the tokens of a vocabulary that no text gives, 1,000 per page.

    Each token is decoded, and its text is encoded again, alone and beside other characters. The first request starts
    the computation, which takes some seconds.
    """
    _entry, tokenizer = tokenizer_by_name(name)
    survey = survey_of(name)
    nothing = dict.fromkeys(UnreachableAnswer.model_fields)
    if isinstance(survey, Running):
        done = survey.done / survey.total if survey.total else 0.0
        response = json_response({**nothing, "name": name, "status": "computing", "done": round(done, 3)})
        response.headers["Retry-After"] = "2"
        response.headers["Cache-Control"] = "no-store"
        return response
    if not isinstance(survey, StoredSurvey):
        return json_response({**nothing, "name": name, "status": "failed"})
    found = survey.chosen(query.reason)
    last = max(1, -(-len(found) // PAGE))
    if query.page > last:
        refuse(404, f"There is no page {query.page}; the last page is {last}.", errors=[("page", "No such page")])
    tokens = description_of(tokenizer).tokens
    shown = found[(query.page - 1) * PAGE : query.page * PAGE]
    answer = {
        "name": name,
        "status": "ready",
        "done": 1.0,
        **survey_json(survey),
        "page": query.page,
        "pages": last,
        "tokens": [reachability_json(tokens, reach) for reach in shown],
    }
    return cached_for(json_response(answer), HOUR)
