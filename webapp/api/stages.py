"""The operations about the stages of a tokenizer: what decoding changes, and the pre-tokens of a text."""

from __future__ import annotations

from flask import Response

from webapp.api.registry import operations
from webapp.api.schemas.stages import PretokensAnswer, PretokensBody, RoundTripAnswer, RoundTripBody
from webapp.api.tokenizer_choice import choose_tokenizer, tokenizer_by_name
from webapp.core.analysis.pretoken_view import pretoken_view
from webapp.core.analysis.round_trip import round_trip as trace_round_trip
from webapp.core.formats.checked_patterns import checked_pattern
from webapp.core.formats.fields import FormatError
from webapp.core.text.split_patterns import PatternTimeoutError
from webapp.serializers.json import json_response
from webapp.serializers.pretokens import pretokens_json
from webapp.serializers.round_trip import round_trip_json
from webapp.web.problems import refuse

MOST_BYTES = 100_000  # of a text: tracing each stage takes longer than tokenizing


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
    _limit(body.text)
    state, tokenizer = choose_tokenizer(body, body.text)
    report = trace_round_trip(tokenizer, body.text, special=state.special, template=state.template)
    return json_response(round_trip_json(report))


@operations.add(
    "post",
    "/pretokens",
    body=PretokensBody,
    answer=PretokensAnswer,
    errors=(404, 409, 413, 503),
    example={"text": "I'll pay $1,234", "vocabulary": "bpe-bytes", "pattern": "\\p{L}+|\\p{N}{1,3}|\\s+"},
)
def pretokens(body: PretokensBody) -> Response:
    """Split a text into pre-tokens, stage by stage.

    For a step with a split pattern, each pre-token has the alternative of the pattern that matched it. With a pattern
    of your own, the response also has its pre-tokens, and where the two split differently.
    """
    _limit(body.text)
    _entry, tokenizer = tokenizer_by_name(body.vocabulary)
    if body.pattern:
        try:
            checked_pattern(body.pattern)
        except FormatError as error:
            refuse(409, f"The pattern cannot be used: {error}.", errors=[("#/pattern", str(error))])
    view = pretoken_view(tokenizer, body.text, special=body.special)
    if not body.pattern:
        return json_response(pretokens_json(view))
    try:
        own = pretoken_view(tokenizer, body.text, special=body.special, own=body.pattern)
    except PatternTimeoutError as error:
        refuse(409, f"The pattern takes too long: {error}.", errors=[("#/pattern", str(error))])
    return json_response(pretokens_json(view, own))


def _limit(text: str) -> None:
    """Answer 413 for a text that is too long to trace."""
    size = len(text.encode())
    if size > MOST_BYTES:
        sentence = f"It has {size:,} bytes of UTF-8; the limit is {MOST_BYTES:,}."
        refuse(413, f"The text is too long. {sentence}", errors=[("#/text", sentence)])
