"""The variables of the templates of the course."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from webapp.pages.learn.examples import ShownExample
from webapp.pages.learn.lessons import LESSONS, Lesson
from webapp.rendering.source_listing import SourceListing
from webapp.web.localization import LANGUAGES
from webapp.web.templates import Context, Page


@dataclass(frozen=True, kw_only=True)
class CoursePage(Page):
    """The list of lessons."""

    template = "learn/index.html"

    lessons: Sequence[Lesson]


@dataclass(frozen=True, kw_only=True)
class LessonPage(Page):
    """A lesson. Its text is a separate template in each language."""

    template = "learn/page.html"
    chosen_templates = tuple(f"learn/{key}/{lesson.slug}.html" for key in LANGUAGES for lesson in LESSONS)

    lesson: Lesson
    number_of: int  # counted from 1
    total: int  # lessons
    previous: Lesson | None
    following: Lesson | None
    prose: str  # the name of the template with the lesson's text
    example: Callable[[str], Markup]  # the HTML of an example by its key
    listing: SourceListing | None  # the reference algorithm


@dataclass(frozen=True, kw_only=True)
class ExampleContext(Context):
    """An example that the reader can edit."""

    template = "learn/_example.html"

    shown: ShownExample


@dataclass(frozen=True, kw_only=True)
class ExampleTokensContext(ExampleContext):
    """The tokens of an example alone, for htmx."""

    template = "learn/_tokens.html"
