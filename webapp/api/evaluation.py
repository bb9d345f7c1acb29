"""The operation that scores segmentations, in the same way as the page: its request, its response, its answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from flask import Response
from flask_babel import gettext as _
from pydantic import AfterValidator, Field, create_model

from webapp.api.operations import operations
from webapp.api.schemas.requests import Body
from webapp.api.schemas.responses import Answer
from webapp.core.evaluation.errors import Kind
from webapp.core.evaluation.report import MOST_ERRORS
from webapp.tokenization.comparison.state import TokenizerChoice
from webapp.tokenization.forms import InputProblem
from webapp.tools.evaluate import MOST_METHODS, Evaluation, UploadedOutput
from webapp.tools.evaluate import evaluate as score
from webapp.tools.evaluate.answers import COUNTS, FIGURES, evaluation_json
from webapp.tools.inputs import WHOLE, at_most
from webapp.tools.picker import LONGEST_NAME, AlgorithmId
from webapp.vocabularies import default_for
from webapp.web.json_responses import json_response
from webapp.web.problems import refuse


class EvaluatedMethod(Body):
    """A method to evaluate."""

    algorithm: AlgorithmId
    vocabulary: str | None = Field(
        None,
        max_length=LONGEST_NAME,
        description="Default: the first vocabulary for the algorithm. `own-dictionary` consists of `training_words`.",
    )


class EvaluatedOutput(Body):
    """A segmentation that you made elsewhere."""

    name: str = Field("", max_length=LONGEST_NAME)
    text: Annotated[str, at_most("MAX_GOLD_BYTES", lambda: _("The segmentation"), 2)] = Field(
        description="The same text as `gold`, with spaces between the words; or CoNLL-U."
    )


def _has_words(gold: str) -> str:
    if not gold.strip():
        raise InputProblem("The gold text is empty.", 409)
    return gold


class EvaluateBody(Body):
    """A gold text, and what to score against it."""

    gold: Annotated[str, at_most("MAX_GOLD_BYTES", lambda: _("The gold text")), AfterValidator(_has_words)] = Field(
        description="The gold text: one sentence a line, with spaces between the words; or CoNLL-U.",
        examples=["研究 生命 的 起源"],
    )
    methods: list[EvaluatedMethod] = Field(
        [], max_length=MOST_METHODS, description="Methods that segment the text. With `outputs` at most 6."
    )
    outputs: list[EvaluatedOutput] = Field(
        [], max_length=MOST_METHODS, description="Segmentations that you made elsewhere."
    )
    training_words: Annotated[str, at_most("MAX_GOLD_BYTES", lambda: _("The list of training words"))] = Field(
        "",
        description="One word a line: a word of the gold text that is not among them is unknown (OOV). Default: the "
        "dictionary of each method decides, punctuation aside.",
    )
    runs: bool = Field(True, description="Keep a run of Latin letters or digits as one word, where a method can.")
    max_errors: Annotated[int, WHOLE] = Field(
        100, ge=0, le=MOST_ERRORS, description="The most errors of each method to list; all of them are counted."
    )


_FIGURES: dict[str, Any] = dict.fromkeys(FIGURES, (float | None, ...))
_COUNTS: dict[str, Any] = dict.fromkeys(COUNTS, (int, ...))
EvaluationFigures: Any = create_model(
    "EvaluationFigures",
    __base__=Answer,
    __doc__="The figures as fractions; null where there are no such words.",
    **_FIGURES,
)
EvaluationCounts: Any = create_model(
    "EvaluationCounts", __base__=Answer, __doc__="The words of both segmentations.", **_COUNTS
)


class EvaluationConfusion(Answer):
    """Gold words, and the words in their place."""

    gold: list[str]
    output: list[str]
    kind: Kind
    count: int


class EvaluationError(Answer):
    """An error in a line of the gold text."""

    line: int = Field(description="The number of the line in `gold`, from 1.")
    gold: list[str]
    output: list[str]
    kind: Kind


class MethodEvaluation(Answer):
    """A scored method, or the `problem` that prevented it."""

    name: str
    algorithm: str | None
    vocabulary: str | None
    problem: str | None
    figures: EvaluationFigures = Field(None, validate_default=False)
    counts: EvaluationCounts = Field(None, validate_default=False)
    known_from: str | None = Field(
        None, description="What decides which words are unknown: `training_words`, or the vocabulary of this name."
    )
    kinds: dict[Kind, int] = Field({}, description="The number of errors of each kind.")
    confusions: list[EvaluationConfusion] = Field([], description="The most frequent first, at most 1,000.")
    errors: list[EvaluationError] = Field([], description="The first errors, in the order of the text.")
    error_count: int = Field(0, description="All errors, listed or not.")


class EvaluateAnswer(Answer):
    """The methods in the order of the request, then the outputs."""

    lines: int = Field(description="Lines of the gold text that have words.")
    words: int
    characters: int
    training_words: int | None
    methods: list[MethodEvaluation]


@operations.add(
    "post",
    "/evaluate",
    body=EvaluateBody,
    answer=EvaluateAnswer,
    errors=(409, 413, 503),
    example={"gold": "研究 生命 的 起源", "methods": [{"algorithm": "fmm"}, {"algorithm": "bmm"}]},
)
def evaluate(body: EvaluateBody) -> Response:
    """Score segmentations against a gold text.

    A word is right if it begins and ends where a gold word does. Each error belongs to the first kind that
    applies: `number`, `name`, `unknown`, `overlap`, `merged`, `split`. Nothing is stored.
    """
    count = len(body.methods) + len(body.outputs)
    if not 1 <= count <= MOST_METHODS:
        sentence = f"Send from 1 to {MOST_METHODS} methods and outputs together; these are {count}."
        refuse(409, sentence, errors=[("#/methods", sentence)])
    chosen = (TokenizerChoice(each.algorithm, each.vocabulary or default_for(each.algorithm)) for each in body.methods)
    evaluation = Evaluation.model_construct(
        chosen=tuple(map(str, chosen)),
        gold=body.gold,
        training=body.training_words,
        files=tuple(
            UploadedOutput(output.name or f"output {number}", output.text)
            for number, output in enumerate(body.outputs, 1)
        ),
        runs=body.runs,
    )
    try:
        report, _gold_text = score(evaluation)
    except InputProblem as wrong:
        # The body has the right form: 422 is only for those that have not.
        raise replace(wrong, status=409 if wrong.status == 422 else wrong.status) from None
    return json_response(evaluation_json(report, body.max_errors))
