"""What the templates of a walkthrough are given, whatever it walks through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.pages.walkthrough.frames import StepFrame
from webapp.tokenization.forms import InputProblem
from webapp.vocabularies import StillFetchingError
from webapp.web.templates import Context


@dataclass(frozen=True, kw_only=True)
class WalkthroughContext(Context):
    """One step, for htmx. The template of the drawing gets the values of the step as `part`."""

    template = "walkthrough/_walkthrough.html"

    frame: StepFrame | None  # None where there is nothing to show
    problems: Sequence[InputProblem]
    offers: Sequence[tuple[str, str]] = ()  # ways out of them: words, address
    pending: StillFetchingError | None = None  # while the vocabulary is being fetched
    again: str = ""  # the address to ask for then
