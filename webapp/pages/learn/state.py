"""What a reader has changed in a lesson, as part of its address: texts of examples, and the steps of figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from flask import url_for

from webapp.pages.learn.lesson import Lesson
from webapp.tokenization.forms import as_typed
from webapp.tokenization.links import LONGEST_ADDRESS
from webapp.web.localization import current_key

MOST_STEPS = 10_000  # no lesson has more; a longer number is not read


@dataclass(frozen=True)
class LessonState:
    """The text of each example and the step of each figure, by their keys; `steps` has only those in the address."""

    lesson: Lesson
    texts: Mapping[str, str]
    steps: Mapping[str, int]

    def with_step(self, key: str, step: int) -> LessonState:
        """The state with another step of a figure."""
        return replace(self, steps={**self.steps, key: step})

    @property
    def changed(self) -> list[tuple[str, str]]:
        """The names and values in the address: edited texts, and steps."""
        own = initial_texts(self.lesson)
        edited = [(key, text) for key, text in self.texts.items() if text != own[key]]
        return [*edited, *((key, str(step)) for key, step in self.steps.items())]

    @property
    def address(self) -> str | None:
        """The address of the lesson in this state, or None if it would be too long."""
        changed = self.changed
        if sum(len(value) for _key, value in changed) > LONGEST_ADDRESS:
            return None  # without writing it
        query = urlencode(changed)
        here = address(self.lesson) + (f"?{query}" if query else "")
        return here if len(here) <= LONGEST_ADDRESS else None


def state_of(lesson: Lesson, given: Mapping[str, str]) -> LessonState:
    """The state that an address or a form describes."""
    texts = {key: as_typed(given.get(key, text)) for key, text in initial_texts(lesson).items()}
    steps = {figure.key: given[figure.key] for figure in lesson.figures if figure.key in given}
    return LessonState(lesson, texts, {key: int(value) for key, value in steps.items() if _is_step(value)})


def initial_texts(lesson: Lesson) -> dict[str, str]:
    """The initial text of each example in the reader's language, by its key."""
    return {example.key: example.texts[current_key()] for example in lesson.examples}


def address(lesson: Lesson) -> str:
    """The address of a lesson."""
    return url_for("learn.lesson", slug=lesson.slug)


def _is_step(value: str) -> bool:
    return value.isascii() and value.isdecimal() and len(value) <= 5 and int(value) <= MOST_STEPS
