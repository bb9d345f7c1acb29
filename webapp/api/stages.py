"""The operation that says what decoding changes, and at which stage of a tokenizer."""

from __future__ import annotations

from flask import Response

from webapp.api.registry import operations
from webapp.api.schemas.stages import RoundTripAnswer, RoundTripBody
from webapp.core.analysis.round_trip import round_trip as trace_round_trip
from webapp.serializers.json import json_response
from webapp.serializers.round_trip import round_trip_json


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
