"""The figures of a lesson: the steps of an algorithm on a short text, one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.pages.learn.examples import caption_of
from webapp.pages.learn.lessons import Lesson, LessonExample
from webapp.pages.learn.smoothed import SENTENCES
from webapp.pages.learn.state import LessonState, address
from webapp.pages.steps.forms import StepsRequest
from webapp.pages.steps.walkthroughs import walkthrough_of
from webapp.pages.training.ngrams import NGramTraining, first_steps
from webapp.pages.training.request import TrainingRequest
from webapp.pages.walkthrough.engine import ShownStep, Walkthrough
from webapp.pages.walkthrough.ngram_probabilities import NGramRow
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
    frame = ShownStep(steps, _step(steps, figure.first, wanted), asked.address)
    return ShownFigure(state, figure, frame, frame.picture, caption_of(figure))


def _bigram_figure(state: LessonState, figure: LessonExample, wanted: int | None) -> ShownFigure:
    """The counts, each position of the text, and the words; how they are counted is left to the page with all steps."""
    training = TrainingRequest("ngram", corpus="\n".join(SENTENCES), text=figure.text)
    steps, left_out = NGramTraining(training), first_steps(training) - 1
    shown = Walkthrough(steps.walkthrough().frames[left_out:])
    frame = ShownStep(shown, _step(shown, figure.first, wanted), lambda step: training.address(step + left_out))
    rows = frame.part["rows"] if frame.part.get("view") == "position" else ()
    picture = frame.picture if frame.step else steps.words_picture()
    return ShownFigure(state, figure, frame, picture, caption_of(figure), rows)


def _step(walkthrough: Walkthrough, first: int, wanted: int | None) -> int:
    """The step of the address if there is one, but within the range of steps; or else the figure's first."""
    count = len(walkthrough)
    return max(walkthrough.first, min(first % count if wanted is None else wanted, count - 1))
