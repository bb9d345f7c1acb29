"""Evaluations for programs: the body of the API and its answer, and the report as JSON, CSV and text."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any

from flask_babel import gettext as _
from pydantic import AfterValidator, Field

from webapp.core.evaluation.report import MOST_ERRORS, MethodReport, ScoreReport
from webapp.core.evaluation.score import Kind
from webapp.tokenization.comparison.state import TokenizerChoice
from webapp.tokenization.forms import InputProblem
from webapp.tools.evaluate.inputs import MOST_METHODS, EvaluationInput, UploadedOutput
from webapp.tools.evaluate.scoring import evaluate as score
from webapp.tools.inputs import WHOLE, AnswerModel, Input, at_most
from webapp.tools.picker import LONGEST_NAME, AlgorithmId
from webapp.vocabularies import default_for
from webapp.web.json_responses import well_formed


class EvaluatedMethod(Input):
    """A method to evaluate."""

    algorithm: AlgorithmId
    vocabulary: str | None = Field(
        None,
        max_length=LONGEST_NAME,
        description="Default: the first vocabulary for the algorithm. `own-dictionary` consists of `training_words`.",
    )


class EvaluatedOutput(Input):
    """A segmentation that you made elsewhere."""

    name: str = Field("", max_length=LONGEST_NAME)
    text: Annotated[str, at_most("MAX_GOLD_BYTES", lambda: _("The segmentation"), 2)] = Field(
        description="The same text as `gold`, with spaces between the words; or CoNLL-U."
    )


def _has_words(gold: str) -> str:
    if not gold.strip():
        raise InputProblem("The gold text is empty.", 409)
    return gold


class EvaluateBody(Input):
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


class EvaluationFigures(AnswerModel):
    """The figures as fractions; null where there are no such words."""

    precision: float | None
    recall: float | None
    f1: float | None
    oov_rate: float | None
    oov_recall: float | None
    iv_recall: float | None


class EvaluationCounts(AnswerModel):
    """The words of both segmentations."""

    gold_words: int
    output_words: int


FIGURES, COUNTS = tuple(EvaluationFigures.model_fields), tuple(EvaluationCounts.model_fields)


class EvaluationConfusion(AnswerModel):
    """Gold words, and the words in their place."""

    gold: list[str]
    output: list[str]
    kind: Kind
    count: int


class EvaluationError(AnswerModel):
    """An error in a line of the gold text."""

    line: int = Field(description="The number of the line in `gold`, from 1.")
    gold: list[str]
    output: list[str]
    kind: Kind


class MethodEvaluation(AnswerModel):
    """A scored method, or the `problem` that prevented it."""

    name: str
    algorithm: str | None
    vocabulary: str | None
    problem: str | None
    figures: Annotated[EvaluationFigures, Field(None, validate_default=False)]
    counts: Annotated[EvaluationCounts, Field(None, validate_default=False)]
    known_from: str | None = Field(
        None, description="What decides which words are unknown: `training_words`, or the vocabulary of this name."
    )
    kinds: dict[Kind, int] = Field({}, description="The number of errors of each kind.")
    confusions: list[EvaluationConfusion] = Field([], description="The most frequent first, at most 1,000.")
    errors: list[EvaluationError] = Field([], description="The first errors, in the order of the text.")
    error_count: int = Field(0, description="All errors, listed or not.")


class EvaluateAnswer(AnswerModel):
    """The methods in the order of the request, then the outputs."""

    lines: int = Field(description="Lines of the gold text that have words.")
    words: int
    characters: int
    training_words: int | None
    methods: list[MethodEvaluation]


EXAMPLE = {"gold": "研究 生命 的 起源", "methods": [{"algorithm": "fmm"}, {"algorithm": "bmm"}]}


def evaluate(body: EvaluateBody) -> dict[str, Any]:
    """Score segmentations against a gold text.

    A word is right if it begins and ends where a gold word does. Each error belongs to the first kind that
    applies: `number`, `name`, `unknown`, `overlap`, `merged`, `split`. Nothing is stored.
    """
    count = len(body.methods) + len(body.outputs)
    if not 1 <= count <= MOST_METHODS:
        sentence = f"Send from 1 to {MOST_METHODS} methods and outputs together; these are {count}."
        raise InputProblem(sentence, 409, "methods")
    chosen = (TokenizerChoice(each.algorithm, each.vocabulary or default_for(each.algorithm)) for each in body.methods)
    outputs = enumerate(body.outputs, 1)
    evaluation = EvaluationInput.model_construct(
        chosen=tuple(map(str, chosen)),
        gold=body.gold,
        training=body.training_words,
        files=tuple(UploadedOutput(output.name or f"output {number}", output.text) for number, output in outputs),
        runs=body.runs,
    )
    try:
        return evaluation_json(score(evaluation)[0], body.max_errors)
    except InputProblem as wrong:
        # The body has the right form: 422 is only for those that have not.
        raise replace(wrong, status=409 if wrong.status == 422 else wrong.status) from None


def evaluation_json(report: ScoreReport, most_errors: int | None = None) -> dict[str, Any]:
    """The report: figures as fractions, counts, kinds of errors, confusions, and the errors with their lines."""
    return {
        "lines": report.line_count,
        "words": report.words,
        "characters": report.characters,
        "training_words": report.training_words,
        "methods": [_method(report, method, most_errors) for method in report.methods],
    }


def _method(report: ScoreReport, method: MethodReport, most_errors: int | None) -> dict[str, Any]:
    algorithm, _colon, vocabulary = method.choice.partition(":")
    head: dict[str, Any] = {
        "name": well_formed(method.name),
        "algorithm": algorithm or None,
        "vocabulary": vocabulary or None,
        "problem": method.problem or None,
    }
    if method.problem:
        return head
    score = method.score
    return head | {
        "figures": {name: getattr(score, name) for name in FIGURES},
        "counts": {name: getattr(score, name) for name in COUNTS},
        "known_from": method.known_from or ("training_words" if report.training_words is not None else None),
        "kinds": method.kinds,
        "confusions": [
            {"gold": _words(gold), "output": _words(output), "kind": kind, "count": count}
            for gold, output, kind, count in method.confusions
        ],
        "errors": [
            {
                "line": report.numbers[error.line],
                "gold": list(map(well_formed, report.lines[error.line][error.start : error.end])),
                "output": _words(error.output),
                "kind": error.kind,
            }
            for error in method.errors[:most_errors]
        ],
        "error_count": method.error_count,
    }


def _words(joined: str) -> list[str]:
    return well_formed(joined).split(" ")


def figure_rows(report: ScoreReport) -> Iterator[tuple[object, ...]]:
    """A row for each method with its figures and counts, the header first."""
    yield ("method", *FIGURES, *COUNTS)
    for method in report.methods:
        if not method.problem:
            figures = (getattr(method.score, name) for name in FIGURES)
            yield (
                method.name,
                *("" if value is None else f"{value:.6f}" for value in figures),
                *(getattr(method.score, name) for name in COUNTS),
            )


def error_rows(report: ScoreReport) -> Iterator[tuple[object, ...]]:
    """A row for each listed error, the header first."""
    yield ("method", "line", "kind", "gold", "output")
    for method in report.methods:
        for error in method.errors:
            gold = " ".join(report.lines[error.line][error.start : error.end])
            yield method.name, report.numbers[error.line], error.kind, gold, error.output


def confusion_rows(report: ScoreReport) -> Iterator[tuple[object, ...]]:
    """A row for each confusion, the header first."""
    yield ("method", "gold", "output", "kind", "count")
    for method in report.methods:
        for confusion in method.confusions:
            yield method.name, *confusion


def official_summary(report: ScoreReport) -> str:
    """The summary of each method as the official script prints it."""
    return "\n".join(
        f"{method.name}\n{method.score.summary(method.name)}" for method in report.methods if not method.problem
    )
