"""The operation that measures tokenizers on a text, in the same way as the page."""

from __future__ import annotations

from flask import Response

from webapp.api.operations import operations, within
from webapp.api.schemas.measures import MeasuresAnswer, MeasuresBody
from webapp.core.evaluation.gold import GoldError, read_gold
from webapp.serializers.json import json_response
from webapp.serializers.measures import measures_json
from webapp.tokenization.comparison.rows import rows_of
from webapp.tokenization.comparison.state import Comparison, TokenizerChoice
from webapp.tokenization.measures.measured import measure_one_by_one
from webapp.tokenization.state import State
from webapp.vocabularies import find
from webapp.web.problems import refuse


@operations.add(
    "post",
    "/measures",
    body=MeasuresBody,
    answer=MeasuresAnswer,
    errors=(409, 413),
    example={
        "text": "Unbelievably, 研究生命",
        "tokenizers": [{"vocabulary": "bpe-bytes"}, {"vocabulary": "wordpiece"}],
        "gold": "un believ ably",
    },
)
def measures(body: MeasuresBody) -> Response:
    """Measure up to six tokenizers on a text.

    The page `/measures` defines each measure, with its source and what it does not tell. `languages` is measured on an
    article in 39 languages, not on the text; tokenizers of dictionaries do not have it.
    """
    within([body.text], "MAX_TEXT_BYTES", "#/text")
    within([body.gold], "MAX_TEXT_BYTES", "#/gold")
    try:
        gold = read_gold(body.gold) if body.gold.strip() else None
    except GoldError as error:
        refuse(409, str(error), errors=[("#/gold", str(error))])
    choices = []
    for choice in body.tokenizers:
        entry = find(choice.vocabulary)
        first = entry.algorithms[0] if entry else ""
        choices.append(TokenizerChoice(choice.algorithm or first, choice.vocabulary))
    rows = rows_of(Comparison(tuple(choices), State(text=body.text)))
    return json_response(measures_json(measure_one_by_one(rows, body.text, gold), body.text))
