"""The context of the templates of every walkthrough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.pages.walkthrough.frames import StepFrame
from webapp.tokenization.forms import InputProblem
from webapp.vocabularies import StillFetchingError
from webapp.web.templates import Context


@dataclass(frozen=True, kw_only=True)
class WalkthroughContext(Context):
    """One step, for htmx. The template that draws the step gets its values as `part`."""

    template = "walkthrough/_walkthrough.html"

    frame: StepFrame | None  # None if there is no step to show
    problems: Sequence[InputProblem]
    offers: Sequence[tuple[str, str]] = ()  # links that solve the problems: label, address
    pending: StillFetchingError | None = None  # while the vocabulary is being downloaded
    again: str = ""  # the address to request again until then
