"""The addresses of a lesson: what a reader has changed in it, and the links from its text to other pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from flask import url_for

from webapp.pages.learn.lessons import Lesson
from webapp.pages.steps.requests import StepsRequest
from webapp.tokenization.forms import as_typed
from webapp.tokenization.links import LONGEST_ADDRESS
from webapp.tokenization.state import State

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
    steps = {key: given[key] for key in lesson.figures if key in given}
    return LessonState(lesson, texts, {key: int(value) for key, value in steps.items() if _is_step(value)})


def initial_texts(lesson: Lesson) -> dict[str, str]:
    """The initial text of each example in the reader's language, by its key."""
    return {key: example.text for key, example in lesson.by_key.items()}


def address(lesson: Lesson) -> str:
    """The address of a lesson."""
    return url_for("learn.lesson", slug=lesson.slug)


def _is_step(value: str) -> bool:
    return value.isascii() and value.isdecimal() and len(value) <= 5 and int(value) <= MOST_STEPS


@dataclass(frozen=True)
class LessonLinks:
    """Addresses for the text of a lesson; keys are those of its examples."""

    lesson: Lesson

    def steps(self, key: str, step: int = 1) -> str:
        """The steps of an example."""
        return StepsRequest(self._state(key)).address(step)

    def playground(self, key: str) -> str:
        """An example in the playground."""
        return f"{url_for('playground.page')}?{self._state(key).query()}"

    def edited(self, key: str, edits: str) -> str:
        """An example in the playground, with changes to its dictionary: `词 5` sets a frequency."""
        return f"{self.playground(key)}&{urlencode({'edits': edits})}"

    def compare(self, text: str, *tokenizers: str) -> str:
        """The comparison of several tokenizers, written `algorithm:vocabulary`, on a text."""
        return f"{url_for('compare.page')}?{urlencode([*(('with', each) for each in tokenizers), ('text', text)])}"

    def ambiguities(self, text: str) -> str:
        """The ambiguities of a text."""
        return url_for("ambiguity.page", text=text)

    def evaluate(self, gold: str = "", *methods: str) -> str:
        """The scores of some methods, written `algorithm:vocabulary`, on a gold text; by default on the site's own."""
        chosen = [("gold", gold), *(("with", each) for each in methods)] if gold else []
        return url_for("evaluate.page") + (f"?{urlencode(chosen)}" if chosen else "")

    def training(self) -> str:
        """The training of word n-grams, round by round."""
        return url_for("training.page", algorithm="ngram")

    def _state(self, key: str) -> State:
        example = self.lesson.by_key[key]
        return example.state(example.text)
