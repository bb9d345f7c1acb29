"""What the templates of the course are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from webapp.pages.learn.examples import ShownExample
from webapp.pages.learn.lessons import LESSONS, Lesson
from webapp.rendering.source_listing import SourceListing
from webapp.web.localization import LANGUAGES
from webapp.web.templates import Context, Page


@dataclass(frozen=True, kw_only=True)
class CoursePage(Page):
    """The lessons in order."""

    template = "learn/index.html"

    lessons: Sequence[Lesson]
    titles: Mapping[str, tuple[str, str]]  # of each lesson's slug: its title, and what it is about


@dataclass(frozen=True, kw_only=True)
class LessonPage(Page):
    """A lesson; its text is a template of its own in each language."""

    template = "learn/page.html"
    chosen_templates = tuple(f"learn/{key}/{lesson.slug}.html" for key in LANGUAGES for lesson in LESSONS)

    lesson: Lesson
    titles: Mapping[str, tuple[str, str]]
    number_of: int  # counted from 1
    total: int  # lessons
    previous: Lesson | None
    following: Lesson | None
    words: str  # the template with the lesson's text
    example: Callable[[str], Markup]  # the example of a key, drawn
    listing: SourceListing | None  # the reference algorithm of the lesson


@dataclass(frozen=True, kw_only=True)
class ExampleContext(Context):
    """An example that a reader can edit."""

    template = "learn/_example.html"

    shown: ShownExample


@dataclass(frozen=True, kw_only=True)
class ExampleTokensContext(ExampleContext):
    """Its tokens alone, for htmx."""

    template = "learn/_tokens.html"
