"""Models of the operations about the stages of a tokenizer: round trips and pre-tokens."""

from __future__ import annotations

from pydantic import Field

from webapp.api.schemas.requests import LONGEST_NAME, Body, Choice
from webapp.api.schemas.responses import Answer
from webapp.core.analysis.stage_edits import StageName
from webapp.core.formats.checked_patterns import LONGEST
from webapp.core.text.split_behaviors import Behavior


class RoundTripBody(Choice):
    """A text to encode and decode."""

    text: str = Field(description="The text, at most 100,000 bytes of UTF-8.", examples=["Café déjà vu !"])


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


class PretokensBody(Body):
    """A text to split into pre-tokens."""

    text: str = Field(description="The text, at most 100,000 bytes of UTF-8.", examples=["I'll pay $1,234"])
    vocabulary: str = Field(
        "bpe-bytes", max_length=LONGEST_NAME, description="The name of a vocabulary, from `GET /vocabularies`."
    )
    pattern: str = Field(
        "",
        max_length=LONGEST,
        description="A split pattern of your own to compare, in the syntax of Python’s package `regex`.",
    )
    special: bool = Field(False, description="Recognize special tokens that are written in the text.")


class AlternativeAnswer(Answer):
    """An alternative of a split pattern."""

    number: int = Field(description="Its number, from 1.")
    source: str
    count: int = Field(description="How many pre-tokens it matched.")


class PretokenAnswer(Answer):
    """A pre-token, or an added token between them."""

    text: str = Field(description="The text as the next stage reads it.")
    start: int = Field(description="Its start in the text, in code points.")
    end: int = Field(description="Its end (exclusive).")
    normalized_start: int = Field(description="Its start in the normalized text.")
    normalized_end: int = Field(description="Its end (exclusive).")
    alternative: int | None = Field(description="The alternative that matched it; null for text between matches.")
    tokens: int | None = Field(description="How many tokens the model makes of it; null before the last stage.")
    added: bool = Field(description="Whether it is an added token.")


class PretokenStageAnswer(Answer):
    """A step of the pre-tokenizer."""

    component: str = Field(description="The name of the step; empty for a vocabulary without a pre-tokenizer.")
    pattern: str | None = Field(description="Its split pattern; null for a step without one.")
    behavior: Behavior | None = Field(description="What matches and the text between them become.")
    alternatives: list[AlternativeAnswer] = Field(description="The alternatives of the pattern, in order.")
    pretokens: list[PretokenAnswer]


class SplitDifferenceAnswer(Answer):
    """A span that the vocabulary and the own pattern split differently."""

    normalized_start: int
    normalized_end: int
    vocabulary: list[str] = Field(description="The pre-tokens of the vocabulary.")
    own: list[str] = Field(description="The pre-tokens of your pattern.")


class PretokensAnswer(Answer):
    """The pre-tokens of a text, stage by stage."""

    normalized: str = Field(description="The text after the normalizer.")
    stages: list[PretokenStageAnswer] = Field(description="The steps of the pre-tokenizer, in order.")
    own: PretokenStageAnswer | None = Field(description="The pre-tokens of `pattern`; null without one.")
    number_of_differences: int | None
    differences: list[SplitDifferenceAnswer] | None = Field(
        description="Where the two split differently, at most 1,000; null without `pattern`."
    )
