"""The figures of a lesson: the steps of an algorithm on a short text, one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.pages.learn.examples import caption_of
from webapp.pages.learn.lessons import Lesson, LessonExample
from webapp.pages.learn.state import LessonState, address
from webapp.pages.steps.requests import StepsRequest, walkthrough_of
from webapp.pages.walkthrough.engine import ShownStep
from webapp.pages.walkthrough.ngrams import NGramRow
from webapp.rendering.pictures.figure import Figure
from webapp.tokenization.attempts import tokenize_or_explain

FITTING = 420.0  # pixels; on a screen of 390 this is 85 percent, so that the smallest text has 9 pixels


@dataclass(frozen=True)
class ShownFigure:
    """A figure at one of its steps."""

    state: LessonState
    figure: LessonExample
    frame: ShownStep
    picture: Figure | None
    caption: str
    rows: Sequence[NGramRow] = ()  # of word n-grams: the candidates of the step

    @property
    def lesson(self) -> Lesson:
        """The lesson of the figure."""
        return self.state.lesson

    @property
    def key(self) -> str:
        """The key of the figure: its id on the page and its name in the address."""
        return self.figure.key

    @property
    def fits(self) -> bool:
        """Whether the picture is so narrow that it may shrink to the width of a phone instead of scrolling."""
        return self.picture is not None and self.picture.width <= FITTING

    @property
    def all_steps(self) -> str:
        """The address of this step on the page with all of them."""
        return self.frame.address(self.frame.step)

    def at(self, step: int) -> str:
        """The address of the lesson with another step of this figure."""
        return f"{self.state.with_step(self.key, step).address or address(self.lesson)}#{self.key}"


def shown_figure(state: LessonState, figure: LessonExample) -> ShownFigure:
    """A figure at the step of the address, or at its first one."""
    shown = figure.state(figure.text)
    result, problems = tokenize_or_explain(shown, [])
    assert result is not None, problems  # the texts of figures are the site's own
    steps = walkthrough_of(result)
    wanted = state.steps.get(figure.key, figure.first % len(steps))
    frame = ShownStep(steps, min(max(steps.first, wanted), len(steps) - 1), StepsRequest(shown).address)
    rows = () if frame.part["ended"] else frame.part["rows"] or ()
    return ShownFigure(state, figure, frame, frame.picture, caption_of(figure), rows)
