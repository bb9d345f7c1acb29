"""Models of the operation that evaluates segmentations: its request and its response."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from webapp.api.schemas.requests import Body
from webapp.api.schemas.responses import Answer
from webapp.core.evaluation.errors import Kind
from webapp.core.evaluation.report import MOST_ERRORS
from webapp.tokenization.evaluation.state import MOST_METHODS
from webapp.tools.inputs import WHOLE
from webapp.tools.picker import LONGEST_NAME, AlgorithmId


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
    text: str = Field(description="The same text as `gold`, with spaces between the words; or CoNLL-U.")


class EvaluateBody(Body):
    """A gold text, and what to score against it."""

    gold: str = Field(
        description="The gold text: one sentence a line, with spaces between the words; or CoNLL-U.",
        examples=["研究 生命 的 起源"],
    )
    methods: list[EvaluatedMethod] = Field(
        [], max_length=MOST_METHODS, description="Methods that segment the text. With `outputs` at most 6."
    )
    outputs: list[EvaluatedOutput] = Field(
        [], max_length=MOST_METHODS, description="Segmentations that you made elsewhere."
    )
    training_words: str = Field(
        "",
        description="One word a line: a word of the gold text that is not among them is unknown (OOV). Default: the "
        "dictionary of each method decides, punctuation aside.",
    )
    runs: bool = Field(True, description="Keep a run of Latin letters or digits as one word, where a method can.")
    max_errors: Annotated[int, WHOLE] = Field(
        100, ge=0, le=MOST_ERRORS, description="The most errors of each method to list; all of them are counted."
    )


class EvaluationFigures(Answer):
    """The figures as fractions; null where there are no such words."""

    precision: float | None
    recall: float | None
    f1: float | None
    oov_rate: float | None
    oov_recall: float | None
    iv_recall: float | None


class EvaluationCounts(Answer):
    """The words of both segmentations."""

    gold_words: int
    output_words: int


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
    figures: EvaluationFigures = Field(None, validate_default=False)  # type: ignore[assignment]
    counts: EvaluationCounts = Field(None, validate_default=False)  # type: ignore[assignment]
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
