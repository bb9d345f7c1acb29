"""The links from a lesson's text to the other pages, filled in with the lesson's examples."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from flask import url_for

from webapp.pages.learn.lesson import Lesson, LessonExample
from webapp.pages.steps.forms import StepsRequest
from webapp.tokenization.state import State
from webapp.web.localization import current_key


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
        assert isinstance(example, LessonExample)
        return example.state(example.texts[current_key()])
