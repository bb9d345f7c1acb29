"""Run what a form requests, and turn errors into problems for the visitor."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Response, current_app
from flask_babel import gettext as _
from werkzeug.datastructures import FileStorage

from webapp.core.formats.dictionary import DictionaryError
from webapp.core.formats.reading import FormatError
from webapp.core.models.dictionary_edits import EditError
from webapp.core.text.split_patterns import TextError
from webapp.storage import UnavailableStorageError
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import dictionary_problem, edit_problem, text_problem, unavailable_problem, wrong_file
from webapp.tokenization.result import Result, tokenize
from webapp.tokenization.state import State
from webapp.vocabularies import CatalogueEntry, StorageFullError, UnavailableVocabularyError, library
from webapp.web.problems import problem

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


def refused(problems: Sequence[InputProblem]) -> Response:
    """Problem details of one or more problems: the highest of their statuses, each message with its field (or "")."""
    return problem(
        max(one.status for one in problems),
        " ".join(one.message for one in problems),
        errors=[(one.field, one.message) for one in problems],
    )


FIELD = "vocabulary_file"


def upload_limit() -> int:
    """The maximum size in bytes of a form with vocabulary files, all other fields included."""
    limit: int = current_app.config["MAX_CONTENT_LENGTH"] + 2 * current_app.config["MAX_UPLOAD_BYTES"]
    return limit


def store_upload(files: Sequence[FileStorage]) -> CatalogueEntry:
    """Store the uploaded vocabulary, and return its catalogue entry; raises InputProblem.

    `files` is one file, or a vocab.json and its merges.txt in any order.
    """
    files = [file for file in files if file.filename]
    if not files:
        raise InputProblem(_("Choose a vocabulary file first, then upload it."), 422, FIELD)
    if len(files) > 2:
        message = _("Upload one vocabulary at a time: one file, or a vocab.json together with its merges.txt.")
        raise InputProblem(message, 422, FIELD)
    contents = [file.stream.read() for file in files]
    limit = current_app.config["MAX_UPLOAD_BYTES"]
    for file, content in zip(files, contents, strict=True):
        file.close()
        if len(content) > limit:
            message = _(
                "“%(name)s” has %(size)s bytes; the limit is %(limit)s bytes.",
                name=_short(file.filename),
                size=f"{len(content):,}",
                limit=f"{limit:,}",
            )
            raise InputProblem(message, 413, FIELD)
    name = _short(files[0].filename)
    try:
        return library().store(*contents)
    except FormatError as error:
        message = _("“%(name)s” was not accepted: %(why)s", name=name, why=wrong_file(error))
        raise InputProblem(message, 422, FIELD) from error
    except StorageFullError:
        message = _(
            "This site has no storage left for uploaded vocabularies, so “%(name)s” was not stored. Your text is still "
            "here: use another vocabulary, or ask the site’s operator to make room.",
            name=name,
        )
        raise InputProblem(message, 507, FIELD) from None
    except UnavailableStorageError:
        message = _(
            "“%(name)s” could not be stored: the site’s storage cannot be reached at the moment. Upload the file "
            "again in a minute; your text is still here.",
            name=name,
        )
        raise InputProblem(message, 503, FIELD) from None


def _short(name: str | None) -> str:
    name = name or ""
    return name if len(name) <= 60 else f"{name[:57]}…"
