"""What a lesson's text says about itself: its sections, and how long it takes to read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from markupsafe import Markup

from webapp.pages.learn.contexts import ProseContext
from webapp.pages.learn.lesson import Lesson
from webapp.pages.learn.lessons import LESSON_BY_SLUG
from webapp.pages.learn.links import LessonLinks
from webapp.pages.learn.questions import QUESTIONS
from webapp.web.localization import current_key
from webapp.web.templates import render

WORDS_A_MINUTE = 200  # of prose with figures; 238 is the mean for plain English (Brysbaert 2019)
CHARACTERS_A_MINUTE = 300  # Chinese characters
MINUTES_TO_TRY = 0.5  # for each example, figure and question


@dataclass(frozen=True)
class Outline:
    """The ids and titles of the sections, and the minutes that the lesson takes."""

    sections: Sequence[tuple[str, str]]
    minutes: int


def outline(lesson: Lesson) -> Outline:
    """The outline of a lesson in the reader's language; cached."""
    return _outline(lesson.slug, current_key())


@cache
def _outline(slug: str, language: str) -> Outline:
    lesson = LESSON_BY_SLUG[slug]
    nothing = Markup()
    prose = render(
        ProseContext(
            lesson=lesson,
            prose=f"learn/{language}/{slug}.html",
            example=lambda _key: nothing,
            figure=lambda _key: nothing,
            diagram=lambda _key: nothing,
            ask=lambda _key: nothing,
            links=LessonLinks(lesson),
        )
    )
    sections = [
        (found[1], Markup(found[2]).striptags()) for found in re.finditer(r'<h2 id="([^"]+)">(.*?)</h2>', prose)
    ]
    questions = QUESTIONS[language][slug].values()
    texts = [Markup(prose).striptags(), *(" ".join((one.prompt, *one.choices, one.why)) for one in questions)]
    tried = len(lesson.examples) + len(lesson.figures) + len(lesson.diagrams) + len(questions)
    return Outline(sections, max(1, round(minutes_of(" ".join(texts)) + tried * MINUTES_TO_TRY)))


def minutes_of(text: str) -> float:
    """How long it takes to read a text, in minutes.

    >>> minutes_of("word " * 100), minutes_of("字" * 150)
    (0.5, 0.5)
    """
    chinese = len(re.findall(r"[\u3400-\u9fff]", text))
    words = len(re.findall(r"[^\W\d_\u3400-\u9fff]+", text))
    return words / WORDS_A_MINUTE + chinese / CHARACTERS_A_MINUTE
