"""Models of the operation about round trips."""

from __future__ import annotations

from typing import Annotated

from flask_babel import gettext as _
from pydantic import Field

from webapp.api.schemas.responses import Answer
from webapp.core.analysis.stage_edits import StageName
from webapp.tools.inputs import at_most
from webapp.tools.picker import TokenizerInput

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
