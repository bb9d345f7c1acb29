"""Tokenize what a form requests, and turn errors into problems for the visitor."""

from __future__ import annotations

from flask import current_app

from webapp.core.formats.dictionary import DictionaryError
from webapp.core.models.dictionary_edits import EditError
from webapp.core.text.split_patterns import TextError
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import dictionary_problem, edit_problem, text_problem, unavailable_problem
from webapp.tokenization.result import Result, tokenize
from webapp.tokenization.state import State
from webapp.vocabularies import UnavailableVocabularyError

EXPLAINED_ERRORS = (TextError, DictionaryError, EditError, UnavailableVocabularyError)
"""The errors of a request that a visitor can correct, and of a vocabulary that cannot be loaded."""


def tokenize_or_explain(state: State, problems: list[InputProblem]) -> tuple[Result | None, list[InputProblem]]:
    """Return the result for `state`, or None and the problems that prevent it; with `problems`, nothing is tried.

    Raises StillFetchingError for a vocabulary that is being downloaded.
    """
    if problems:
        return None, problems
    try:
        result = tokenize(state, corpus_limit=current_app.config["MAX_CORPUS_BYTES"])
        result.check_computable()
        return result, []
    except EXPLAINED_ERRORS as error:
        return None, [problem_of(state, error)]


def problem_of(
    state: State, error: TextError | DictionaryError | EditError | UnavailableVocabularyError
) -> InputProblem:
    """The problem for one of `EXPLAINED_ERRORS`."""
    if isinstance(error, TextError):
        return text_problem(state, error)
    if isinstance(error, EditError):
        return edit_problem(error)
    return dictionary_problem(error) if isinstance(error, DictionaryError) else unavailable_problem(error)
