"""A state's result, or what to tell the visitor instead."""

from __future__ import annotations

from flask import current_app

from webapp.core.formats.dictionary import DictionaryError
from webapp.results.forms import Problem
from webapp.results.result import Result, tokenize
from webapp.results.state import State
from webapp.results.words import dictionary_problem, unavailable_problem
from webapp.vocabularies import UnavailableError


def outcome(state: State, problems: list[Problem]) -> tuple[Result | None, list[Problem]]:
    """The result for a state without problems, else the problems, those that only tokenizing finds among them.

    Raises OnItsWayError while the vocabulary is being fetched.
    """
    if problems:
        return None, problems
    try:
        return tokenize(state, corpus_limit=current_app.config["MAX_CORPUS_BYTES"]), []
    except DictionaryError as error:
        return None, [dictionary_problem(error)]
    except UnavailableError as error:
        return None, [unavailable_problem(error)]
