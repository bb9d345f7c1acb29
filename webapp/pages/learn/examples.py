"""The live examples of a lesson: their texts, from the address, and their tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from flask import url_for
from flask_babel import gettext as _

from webapp.pages.learn.lessons import Lesson, LessonExample
from webapp.rendering.markup import Painter
from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.attempts import tokenize_or_explain
from webapp.tokenization.forms import InputProblem, as_typed
from webapp.tokenization.result import Result
from webapp.tokenization.step_links import LONGEST_ADDRESS, steps_address
from webapp.vocabularies import StillFetchingError, find, title_of
from webapp.web.localization import current_key, number

MOST_CHARACTERS = 1_000  # of an example; the playground takes more


@dataclass(frozen=True)
class ShownExample:
    """An example with its current text; `result` is None if there are problems."""

    lesson: Lesson
    example: LessonExample
    text: str
    result: Result | None
    problems: list[InputProblem]
    others: list[tuple[str, str]]  # keys and texts of the other edited examples of the page

    @property
    def status(self) -> int:
        """200, or the highest status of the problems."""
        return max((problem.status for problem in self.problems), default=200)

    @property
    def playground(self) -> str | None:
        """The address of this example in the playground, or None if it would be too long."""
        query = self.example.state(self.text).link(LONGEST_ADDRESS)
        return f"{url_for('playground.page')}?{query}" if query else None

    @property
    def place(self) -> int:
        """The number of the example on its page, counted from 1."""
        return self.lesson.examples.index(self.example) + 1

    @property
    def steps(self) -> str | None:
        """The address of its steps, or None if the text is too long for them."""
        return steps_address(self.result) if self.result else None

    @property
    def caption(self) -> str:
        """The algorithm and the vocabulary by name."""
        entry = find(self.example.vocabulary)
        assert entry is not None
        return f"{algorithm_names()[self.example.algorithm]} · {title_of(entry)}"

    @property
    def painter(self) -> Painter:
        """The painter that renders the tokens as HTML."""
        assert self.result is not None
        return Painter(self.result.encoding)

    @property
    def words(self) -> list[str]:
        """The words of the example's own dictionary."""
        return self.example.dictionary.split()


def texts_of(lesson: Lesson, given: Mapping[str, str]) -> dict[str, str]:
    """The text of each example by its key: the given one, or its initial text."""
    own = {example.key: example.texts[current_key()] for example in lesson.examples}
    return {key: as_typed(given.get(key, text)) for key, text in own.items()}


def shown_example(lesson: Lesson, example: LessonExample, texts: Mapping[str, str]) -> ShownExample:
    """An example with its tokens, or with the problems that prevent them.

    Examples are a text that is too long and a vocabulary that is still being fetched.
    """
    text = texts[example.key]
    result, problems = None, []
    if len(text) > MOST_CHARACTERS:
        message = _(
            "This text has %(size)s characters; an example takes %(most)s. The playground takes longer ones.",
            size=number(len(text)),
            most=number(MOST_CHARACTERS),
        )
        problems = [InputProblem(message, 413)]
    else:
        try:
            result, problems = tokenize_or_explain(example.state(text), [])
        except StillFetchingError:
            problems = [InputProblem(_("The vocabulary is still being fetched. Try again in a moment."), 503)]
    others = [(key, text) for key, text in edited(lesson, texts) if key != example.key]
    return ShownExample(lesson, example, text, result, problems, others)


def edited(lesson: Lesson, texts: Mapping[str, str]) -> list[tuple[str, str]]:
    """The keys and texts of the examples that were edited."""
    own = texts_of(lesson, {})
    return [(key, text) for key, text in texts.items() if text != own[key]]


def address(lesson: Lesson) -> str:
    """The address of a lesson."""
    return url_for("learn.lesson", slug=lesson.slug)


def link(lesson: Lesson, texts: Mapping[str, str]) -> str | None:
    """The address of a lesson with its edited examples, or None if it would be too long."""
    found = edited(lesson, texts)
    if sum(len(text) for _key, text in found) > LONGEST_ADDRESS:
        return None  # without writing it
    query = urlencode(found)
    here = address(lesson) + (f"?{query}" if query else "")
    return here if len(here) <= LONGEST_ADDRESS else None
