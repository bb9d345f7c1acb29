"""The two questions of each lesson that a reader answers before reading on, in every language of the site.

The tests compute each answer with the core; a question without such a check fails them.
"""

from __future__ import annotations

from collections.abc import Mapping

from webapp.pages.learn.questions.chinese import CHINESE
from webapp.pages.learn.questions.english import ENGLISH
from webapp.pages.learn.questions.question import Question

QUESTIONS: Mapping[str, Mapping[str, Mapping[str, Question]]] = {"en": ENGLISH, "zh": CHINESE}
"""By language, slug of the lesson, and key of the question."""

__all__ = ["QUESTIONS", "Question"]
