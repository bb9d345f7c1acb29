"""The operations about one token, about the unreachable tokens of a vocabulary, and about round trips."""

from __future__ import annotations

from typing import Annotated, Literal

from flask import Response
from flask_babel import gettext as _
from pydantic import BeforeValidator, Field

from webapp.api.operations import operations, tokenizer_by_name
from webapp.api.schemas.requests import Body, whole_number
from webapp.api.schemas.responses import Answer, TokenAnswer
from webapp.core.analysis.reachability import Reason, State
from webapp.core.analysis.round_trip import StageName
from webapp.core.analysis.round_trip import round_trip as trace_round_trip
from webapp.core.analysis.token_origin import MarkKind
from webapp.jobs.surveys import Running, StoredSurvey, survey_of
from webapp.tokenization.answers import reachability_json, round_trip_json, survey_json, token_page_json
from webapp.tools.inputs import at_most
from webapp.tools.picker import TokenizerInput
from webapp.vocabularies.descriptions import description_of
from webapp.vocabularies.token_facts import token_facts
from webapp.web.json_responses import Piece, cached_for, json_response
from webapp.web.problems import refuse

TracedText = Annotated[
    str,
    at_most(100_000, lambda: _("The text")),  # tracing each stage takes longer than tokenizing
    Field(description="The text, at most 100,000 bytes of UTF-8."),
]


class RoundTripBody(TokenizerInput):
    """A text to encode and decode."""

    text: TracedText = Field(examples=["Café déjà vu !"])


class ChangeStep(Answer):
    """A stage that changed the characters."""

    stage: StageName
    component: str = Field(description="The name of the step, such as `NFKC`; of an added token, its content.")
    rule: str = Field(description="Which of the step’s rules, if it has several: `strip_accents`, `cleanup`.")
    after: str = Field(description="The characters after this stage.")


class ChangeAnswer(Answer):
    """A difference between the text and the decoded text."""

    start: int = Field(description="The start of the characters in the text, in code points.")
    end: int = Field(description="Their end (exclusive); equal to the start for an insertion.")
    decoded_start: int = Field(description="The start of what became of them in the decoded text.")
    decoded_end: int = Field(description="Its end (exclusive).")
    before: str = Field(description="The characters of the text.")
    after: str = Field(description="What became of them.")
    stage: StageName = Field(description="The stage that is the cause: the characters do not come back after it.")
    component: str = Field(description="The name of its step.")
    rule: str = Field(description="Which of the step’s rules.")
    steps: list[ChangeStep] = Field(description="Every stage that changed the characters, in order.")


class RoundTripAnswer(Answer):
    """The decoded text, and every change."""

    decoded: str
    equal: bool = Field(description="Whether the decoded text is the text.")
    number_of_changes: int
    changes: list[ChangeAnswer] = Field(
        description="The changes in order, at most 1,000; making them in the text gives the decoded text."
    )


@operations.add(
    "post",
    "/round-trip",
    body=RoundTripBody,
    answer=RoundTripAnswer,
    errors=(404, 409, 413, 503),
    example={"text": "Café déjà vu !", "vocabulary": "wordpiece", "lowercase": True},
)
def round_trip(body: RoundTripBody) -> Response:
    """Encode and decode a text, and say which stage changed what.

    Every difference between the text and the decoded text is listed with the stage of the pipeline that is the cause,
    and with all stages that changed these characters.
    """
    state, tokenizer = body.tokenizer(body.text)
    report = trace_round_trip(tokenizer, body.text, special=state.special, template=state.template)
    return json_response(round_trip_json(report))


class UnreachableQuery(Body):
    """The unreachable tokens to list."""

    reason: Reason | Literal["", "parts"] = Field(
        "", description="Only the tokens of this reason; `parts`: those that merging makes other tokens from."
    )
    page: Annotated[int, BeforeValidator(whole_number)] = Field(
        1, ge=1, le=999_999_999, description="The number of the page, from 1. A page has 1,000 tokens."
    )


class ReachAnswer(Answer):
    """Whether a text gives a token."""

    state: State = Field(
        description="`alone`: decoded and encoded again, it is the same one token. `beside`: it is a token of `text`. "
        "`part`: it is part of a character of `text`. `unreachable`: no tried text gives it. `special`: it stands for "
        "no text. `untried`: its text cannot be encoded."
    )
    reason: Reason | None = Field(description="Why it is unreachable.")
    proved: bool = Field(description="Whether it is proved that no text gives it.")
    text: str = Field(description="The text that gives the token, or the token's own text.")
    ids: list[int] = Field(description="The tokens of that text, at most 64.")
    same_as: int | None = Field(description="The one other token that its text gives.")
    part_of: int | None = Field(description="A token that merging makes from it.")


class CharacterAnswer(Answer):
    """A character with its name in Unicode."""

    code_point: str
    name: str


class MarkAnswer(Answer):
    """A mark in the spelling of a piece."""

    kind: MarkKind
    spelling: str
    byte: int | None = Field(description="The byte that it stands for.")


class FormAnswer(Answer):
    """A token whose text differs by a space or by case."""

    text: str
    id: int


class TokenPageAnswer(TokenAnswer):
    """One token of a vocabulary."""

    vocabulary: str
    spelling: str = Field(description="The piece as files of Hugging Face have it: bytes in GPT-2's byte alphabet.")
    bytes: str = Field(description="The first 256 bytes in hexadecimal.")
    length_bytes: int
    characters: list[CharacterAnswer] = Field(description="The first 64 characters.")
    added: bool = Field(description="Whether it is an added or special token.")
    unknown: bool = Field(description="Whether it stands for unknown text.")
    marks: list[MarkAnswer]
    rank: int | None = Field(description="The rank of the merge that makes it.")
    merged_from: list[int] | None = Field(description="The two tokens that the merge joins.")
    score: float | None
    score_place: int | None = Field(description="Its place by score, from 1.")
    frequency: int | None = Field(description="The frequency of a dictionary's word.")
    tag: str | None = Field(description="The part of speech of a dictionary's word.")
    reach: ReachAnswer
    forms: list[FormAnswer] = Field(description="Tokens whose text differs by a space or by case.")
    contained_in: list[int] = Field(description="The first tokens whose text contains its own.")
    contained_in_total: int
    neighbours: list[int] = Field(description="The tokens before and after it by id.")


class UnreachableToken(ReachAnswer):
    """An unreachable token."""

    id: int
    piece: Piece | None


class UnreachableAnswer(Answer):
    """The unreachable tokens of a vocabulary, or that they are being computed."""

    name: str
    status: Literal["ready", "computing", "failed"] = Field(
        description="While it is `computing`, ask again after the seconds of `Retry-After`."
    )
    done: float | None = Field(description="The share of the tokens that have been tried, from 0 to 1.")
    counted: int | None = Field(description="The number of tokens that were tried.")
    unreachable: int | None = Field(description="The number of unreachable tokens.")
    reasons: dict[str, int] | None = Field(description="The number of unreachable tokens for each reason.")
    parts_of_others: int | None = Field(description="The unreachable tokens that merging makes other tokens from.")
    states: dict[str, int] | None = Field(description="The number of all tokens in each state.")
    page: int | None
    pages: int | None
    tokens: list[UnreachableToken] | None


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
