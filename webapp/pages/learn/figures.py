"""The figures of a lesson: the steps of an algorithm on a short text, one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webapp.pages.learn.examples import caption_of
from webapp.pages.learn.lessons import Lesson, LessonExample
from webapp.pages.learn.smoothed import SENTENCES
from webapp.pages.learn.state import LessonState, address
from webapp.pages.steps.forms import StepsRequest
from webapp.pages.steps.walkthroughs import walkthrough_of
from webapp.pages.training.ngrams import NGramTraining, first_steps
from webapp.pages.training.request import TrainingRequest
from webapp.pages.walkthrough.frames import StepFrame
from webapp.pages.walkthrough.ngram_positions import NGramPositionPart
from webapp.pages.walkthrough.ngram_probabilities import NGramRow
from webapp.pages.walkthrough.preparation import PreparedWalkthrough
from webapp.pages.walkthrough.walkthrough import Walkthrough
from webapp.rendering.pictures.figure import Figure
from webapp.tokenization.attempts import tokenize_or_explain

FITTING = 420.0  # pixels; on a screen of 390 this is 85 percent, so that the smallest text has 9 pixels


@dataclass(frozen=True)
class ShownFigure:
    """A figure at one of its steps."""

    state: LessonState
    figure: LessonExample
    frame: StepFrame
    picture: Figure | None
    caption: str
    rows: Sequence[NGramRow] = ()  # of word bigrams: the candidates of the step

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
    wanted = state.steps.get(figure.key)
    if figure.kind == "bigrams":
        return _bigram_figure(state, figure, wanted)
    shown = figure.state(figure.text)
    result, problems = tokenize_or_explain(shown, [])
    assert result is not None, problems  # the texts of figures are the site's own
    steps = walkthrough_of(result, {})
    asked = StepsRequest(shown)
    frame = StepFrame(steps, _step(steps, figure.first, wanted), asked.address)
    return ShownFigure(state, figure, frame, frame.picture, caption_of(figure))


def _bigram_figure(state: LessonState, figure: LessonExample, wanted: int | None) -> ShownFigure:
    """The counts, each position of the text, and the words; how they are counted is left to the page with all steps."""
    training = TrainingRequest("ngram", corpus="\n".join(SENTENCES), text=figure.text)
    steps, left_out = NGramTraining(training), first_steps(training) - 1
    shown = _Later(steps, left_out)
    frame = StepFrame(shown, _step(shown, figure.first, wanted), lambda step: training.address(step + left_out))
    part = steps.part(frame.step + left_out)
    return ShownFigure(
        state,
        figure,
        frame,
        steps.picture(frame.step + left_out) or steps.words_picture(),
        caption_of(figure),
        part.rows if isinstance(part, NGramPositionPart) else (),
    )


@dataclass(frozen=True)
class _Later:
    """A walkthrough without its first steps."""

    steps: Walkthrough
    left_out: int

    @property
    def template(self) -> str:
        return self.steps.template

    @property
    def ids(self) -> Sequence[int]:
        return self.steps.ids

    def __len__(self) -> int:
        return len(self.steps) - self.left_out

    def sentence(self, step: int) -> str:
        return self.steps.sentence(step + self.left_out)

    def part(self, step: int) -> object:
        return self.steps.part(step + self.left_out)

    def record(self, step: int) -> dict[str, Any]:
        return self.steps.record(step + self.left_out)

    def step_of(self, token: int) -> int:
        return self.steps.step_of(token) - self.left_out


def _step(walkthrough: Walkthrough, first: int, wanted: int | None) -> int:
    """The step of the address if there is one, but within the range of steps; or else the figure's first."""
    count = len(walkthrough)
    earliest = int(isinstance(walkthrough, PreparedWalkthrough))
    return max(earliest, min(first % count if wanted is None else wanted, count - 1))
