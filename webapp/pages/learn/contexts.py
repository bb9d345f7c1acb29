"""The variables of the templates of the course."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from flask_babel.speaklater import LazyString
from markupsafe import Markup

from webapp.pages.learn.examples import ShownExample
from webapp.pages.learn.figures import ShownFigure
from webapp.pages.learn.lesson import Lesson
from webapp.pages.learn.lessons import LESSONS
from webapp.pages.learn.links import LessonLinks
from webapp.pages.learn.questions import Question
from webapp.rendering.pictures.figure import Figure
from webapp.rendering.source_listing import SourceListing
from webapp.web.localization import LANGUAGES
from webapp.web.templates import Context, Page

PROSE = tuple(f"learn/{key}/{lesson.slug}.html" for key in LANGUAGES for lesson in LESSONS)


@dataclass(frozen=True, kw_only=True)
class CoursePage(Page):
    """The list of lessons in their parts, each with the minutes it takes."""

    template = "learn/index.html"

    lessons: Sequence[tuple[Lesson, int]]
    parts: Mapping[str, LazyString]  # the title of each part of the course, by its first lesson


@dataclass(frozen=True, kw_only=True)
class ProseContext(Context):
    """The text of a lesson. It is a separate template in each language."""

    template = "learn/_prose.html"
    chosen_templates = PROSE

    lesson: Lesson
    prose: str  # the name of the template with the lesson's text
    example: Callable[[str], Markup]  # the HTML of an example by its key
    figure: Callable[[str], Markup]  # the HTML of a figure by its key
    diagram: Callable[[str], Markup]  # the HTML of a diagram by its key
    ask: Callable[[str], Markup]  # the HTML of a question by its key
    links: LessonLinks


@dataclass(frozen=True, kw_only=True)
class LessonPage(Page):
    """A lesson."""

    template = "learn/page.html"

    lesson: Lesson
    prose: Markup
    lessons: Sequence[Lesson]
    number_of: int  # counted from 1
    previous: Lesson | None
    following: Lesson | None
    sections: Sequence[tuple[str, str]]  # ids and titles
    minutes: int
    listing: SourceListing | None  # the reference algorithm


@dataclass(frozen=True, kw_only=True)
class ExampleContext(Context):
    """An example that the reader can edit."""

    template = "learn/_example.html"

    shown: ShownExample


@dataclass(frozen=True, kw_only=True)
class ExampleAnswerContext(ExampleContext):
    """What changes in an example with its text, for htmx."""

    template = "learn/_answer.html"


@dataclass(frozen=True, kw_only=True)
class QuestionContext(Context):
    """A question; `number` is its place on the page, counted from 1."""

    template = "learn/_question.html"

    key: str
    question: Question
    number: int


@dataclass(frozen=True, kw_only=True)
class FigureContext(Context):
    """A figure with one of its steps, for htmx too."""

    template = "learn/_figure.html"

    shown: ShownFigure


@dataclass(frozen=True, kw_only=True)
class DiagramContext(Context):
    """A picture that does not change."""

    template = "learn/_diagram.html"

    key: str
    picture: Figure
    caption: str
