"""Evaluates segmentations for the API, in the same way as the page."""

from __future__ import annotations

from typing import Any

from flask import current_app

from webapp.api.operations import within
from webapp.api.schemas.evaluation import EvaluateBody
from webapp.serializers.evaluation import evaluation_json
from webapp.tokenization.comparison.state import TokenizerChoice
from webapp.tokenization.evaluation.run import evaluate
from webapp.tokenization.evaluation.state import MOST_METHODS, Evaluation, UploadedOutput
from webapp.vocabularies import default_for
from webapp.web.problems import refuse

POINTERS = {"gold": "#/gold", "outputs": "#/outputs"}


def evaluation_of(body: EvaluateBody) -> dict[str, Any]:
    """The response to a request; answers 409 or 413 with the part of the request that is wrong."""
    within([body.gold], "MAX_GOLD_BYTES", "#/gold")
    within([body.training_words], "MAX_GOLD_BYTES", "#/training_words")
    limit = 2 * current_app.config["MAX_GOLD_BYTES"]
    for index, output in enumerate(body.outputs):
        size = len(output.text.encode())
        if size > limit:
            sentence = f"It has {size:,} bytes of UTF-8; the limit is {limit:,}."
            refuse(413, f"The text is too long. {sentence}", errors=[(f"#/outputs/{index}/text", sentence)])
    count = len(body.methods) + len(body.outputs)
    if not 1 <= count <= MOST_METHODS:
        sentence = f"Send from 1 to {MOST_METHODS} methods and outputs together; these are {count}."
        refuse(409, sentence, errors=[("#/methods", sentence)])
    if not body.gold.strip():
        refuse(409, "The gold text is empty.", errors=[("#/gold", "There are no words in it.")])
    evaluation = Evaluation(
        choices=tuple(
            TokenizerChoice(method.algorithm, method.vocabulary or default_for(method.algorithm))
            for method in body.methods
        ),
        gold=body.gold,
        training=body.training_words,
        files=tuple(
            UploadedOutput(output.name or f"output {number}", output.text)
            for number, output in enumerate(body.outputs, 1)
        ),
        runs=body.runs,
    )
    report, _gold, problems = evaluate(evaluation)
    if report is None or problems:
        errors = [(POINTERS.get(one.field, "#"), one.message) for one in problems]
        status = max(one.status for one in problems)
        # The body has the right form: 422 is only for those that have not.
        refuse(409 if status == 422 else status, " ".join(one.message for one in problems), errors=errors)
    return evaluation_json(report, body.max_errors)
