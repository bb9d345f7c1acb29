"""The variables of the templates of the course: what a lesson's page consists of."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from flask_babel.speaklater import LazyString
from markupsafe import Markup

from webapp.pages.learn.examples import ShownExample
from webapp.pages.learn.figures import ShownFigure, shown_figure
from webapp.pages.learn.lessons import DIAGRAMS, LESSON_BY_SLUG, LESSONS, PARTS, Lesson, Question
from webapp.pages.learn.state import LessonLinks, LessonState
from webapp.rendering.pictures.figure import Figure
from webapp.rendering.source_listing import SourceListing, source_listing
from webapp.web.localization import LANGUAGES, current_key
from webapp.web.templates import Context, Page, render

WORDS_A_MINUTE = 200  # of prose with figures; 238 is the mean for plain English (Brysbaert 2019)
CHARACTERS_A_MINUTE = 300  # Chinese characters
MINUTES_TO_TRY = 0.5  # for each example, figure and question
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


@dataclass(frozen=True)
class Outline:
    """The ids and titles of the sections of a lesson's text, and the minutes that the lesson takes."""

    sections: Sequence[tuple[str, str]]
    minutes: int


def course_page() -> CoursePage:
    """The list of lessons."""
    return CoursePage(lessons=[(lesson, outline(lesson).minutes) for lesson in LESSONS], parts=PARTS)


def lesson_page(state: LessonState, examples: Mapping[str, ShownExample]) -> LessonPage:
    """The page of a lesson."""
    lesson, about = state.lesson, outline(state.lesson)
    place = LESSONS.index(lesson)
    return LessonPage(
        lesson=lesson,
        prose=_prose(
            lesson,
            example=lambda key: _html(ExampleContext(shown=examples[key])),
            figure=lambda key: _figure(shown_figure(state, lesson.figures[key])),
            diagram=lambda key: _diagram(lesson, key),
            ask=lambda key: _question(lesson, key),
        ),
        lessons=LESSONS,
        number_of=place + 1,
        previous=LESSONS[place - 1] if place else None,
        following=LESSONS[place + 1] if place + 1 < len(LESSONS) else None,
        sections=about.sections,
        minutes=about.minutes,
        listing=source_listing(*lesson.reference) if lesson.reference else None,
    )


def _prose(lesson: Lesson, **parts: Callable[[str], Markup]) -> Markup:
    """The text of a lesson with its parts: `example`, `figure`, `diagram` and `ask` give the HTML of one by its key."""
    name = f"learn/{current_key()}/{lesson.slug}.html"
    return _html(ProseContext(lesson=lesson, prose=name, links=LessonLinks(lesson), **parts))


def _html(context: Context) -> Markup:
    return Markup(render(context))


def _figure(shown: ShownFigure) -> Markup:
    return Markup('<figure class="walk" id="{}">{}</figure>').format(shown.key, _html(FigureContext(shown=shown)))


def _diagram(lesson: Lesson, key: str) -> Markup:
    return _html(DiagramContext(key=key, picture=DIAGRAMS[key](), caption=lesson.captions[key][current_key()]))


def _question(lesson: Lesson, key: str) -> Markup:
    questions = lesson.questions[current_key()]
    return _html(QuestionContext(key=key, question=questions[key], number=list(questions).index(key) + 1))


def outline(lesson: Lesson) -> Outline:
    """The outline of a lesson in the reader's language; cached."""
    return _outline(lesson.slug, current_key())


@cache
def _outline(slug: str, language: str) -> Outline:
    lesson = LESSON_BY_SLUG[slug]
    prose = _prose(lesson, **dict.fromkeys(("example", "figure", "diagram", "ask"), lambda _key: Markup()))
    sections = [
        (found[1], Markup(found[2]).striptags()) for found in re.finditer(r'<h2 id="([^"]+)">(.*?)</h2>', prose)
    ]
    questions = lesson.questions[language].values()
    texts = [prose.striptags(), *(" ".join((one.prompt, *one.choices, one.why)) for one in questions)]
    tried = len(lesson.by_key) + len(lesson.figures) + len(lesson.captions) + len(questions)
    return Outline(sections, max(1, round(minutes_of(" ".join(texts)) + tried * MINUTES_TO_TRY)))


def minutes_of(text: str) -> float:
    """How long it takes to read a text, in minutes.

    >>> minutes_of("word " * 100), minutes_of("字" * 150)
    (0.5, 0.5)
    """
    chinese = len(re.findall(r"[\u3400-\u9fff]", text))
    words = len(re.findall(r"[^\W\d_\u3400-\u9fff]+", text))
    return words / WORDS_A_MINUTE + chinese / CHARACTERS_A_MINUTE
