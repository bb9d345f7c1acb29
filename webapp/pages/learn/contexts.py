"""The variables of the templates of the course: what a lesson's page consists of."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from flask_babel.speaklater import LazyString
from markupsafe import Markup

from webapp.pages.learn.examples import ShownExample
from webapp.pages.learn.figures import ShownFigure, shown_figure
from webapp.pages.learn.lessons import DIAGRAMS, LESSONS, PARTS, Lesson, Question
from webapp.pages.learn.state import LessonLinks, LessonState
from webapp.rendering.pictures.figure import Figure
from webapp.rendering.source_listing import SourceListing, source_listing
from webapp.web.localization import LANGUAGES, current_key
from webapp.web.templates import Context, Page, render

PROSE = tuple(f"learn/{key}/{lesson.slug}.html" for key in LANGUAGES for lesson in LESSONS)


@dataclass(frozen=True, kw_only=True)
class CoursePage(Page):
    """The list of lessons in their parts."""

    template = "learn/index.html"

    lessons: Sequence[Lesson] = LESSONS
    parts: Mapping[str, LazyString]  # the title of each part of the course, by its first lesson


@dataclass(frozen=True, kw_only=True)
class ProseContext(Context):
    """The text of a lesson, a separate template in each language, with its parts by their keys."""

    template = "learn/_prose.html"
    chosen_templates = PROSE

    lesson: Lesson
    text: str  # the name of the template with the lesson's text
    language: str
    examples: Mapping[str, ShownExample]
    shown_figure: Callable[[str], ShownFigure]
    diagrams: Mapping[str, Callable[[], Figure]]
    questions: Mapping[str, Question]
    links: LessonLinks


@dataclass(frozen=True, kw_only=True)
class LessonPage(Page):
    """A lesson."""

    template = "learn/page.html"

    lesson: Lesson
    prose: Markup
    sections: Sequence[tuple[str, str]]  # ids and titles
    lessons: Sequence[Lesson] = LESSONS
    number_of: int  # counted from 1
    listing: SourceListing | None  # the reference algorithm


@dataclass(frozen=True, kw_only=True)
class ExampleAnswerContext(Context):
    """What changes in an example with its text, for htmx."""

    template = "learn/_answer.html"

    shown: ShownExample


@dataclass(frozen=True, kw_only=True)
class FigureContext(Context):
    """A figure with one of its steps, for htmx."""

    template = "learn/_figure.html"

    shown: ShownFigure


def course_page() -> CoursePage:
    """The list of lessons."""
    return CoursePage(parts=PARTS)


def lesson_page(state: LessonState, examples: Mapping[str, ShownExample]) -> LessonPage:
    """The page of a lesson."""
    lesson, language = state.lesson, current_key()
    context = ProseContext(
        lesson=lesson,
        text=f"learn/{language}/{lesson.slug}.html",
        language=language,
        examples=examples,
        shown_figure=lambda key: shown_figure(state, lesson.figures[key]),
        diagrams=DIAGRAMS,
        questions=lesson.questions[language],
        links=LessonLinks(lesson),
    )
    prose = render(context)
    return LessonPage(
        lesson=lesson,
        prose=Markup(prose),
        sections=[
            (id, Markup(title).striptags()) for id, title in re.findall(r'<h2 id="(?!ask-)([^"]+)">(.*?)</h2>', prose)
        ],
        number_of=LESSONS.index(lesson) + 1,
        listing=source_listing(*lesson.reference) if lesson.reference else None,
    )
