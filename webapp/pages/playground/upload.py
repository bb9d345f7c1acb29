"""Uploaded vocabulary files: from the form to the state that uses the vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from flask import current_app
from flask_babel import gettext as _
from werkzeug.datastructures import FileStorage

from webapp.core.formats.fields import FormatError
from webapp.storage import UnavailableStorageError
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import wrong_file
from webapp.tokenization.state import State
from webapp.vocabularies import StorageFullError, library


def upload_limit() -> int:
    """The maximum size in bytes of a form with vocabulary files, all other fields included."""
    limit: int = current_app.config["MAX_CONTENT_LENGTH"] + 2 * current_app.config["MAX_UPLOAD_BYTES"]
    return limit


def with_upload(state: State, files: Sequence[FileStorage]) -> tuple[State, InputProblem | None]:
    """Store the uploaded vocabulary and return the state that uses it, or the same state and the problem.

    `files` is one file, or a vocab.json and its merges.txt in any order.
    """
    files = [file for file in files if file.filename]
    if not files:
        return state, InputProblem(_("Choose a vocabulary file first, then upload it."))
    if len(files) > 2:
        return state, InputProblem(
            _("Upload one vocabulary at a time: one file, or a vocab.json together with its merges.txt.")
        )
    contents = [file.stream.read() for file in files]
    limit = current_app.config["MAX_UPLOAD_BYTES"]
    for file, content in zip(files, contents, strict=True):
        file.close()
        if len(content) > limit:
            return state, InputProblem(
                _(
                    "“%(name)s” has %(size)s bytes; the limit is %(limit)s bytes.",
                    name=_short(file.filename),
                    size=f"{len(content):,}",
                    limit=f"{limit:,}",
                ),
                413,
            )
    try:
        uploaded = library().store(*contents)
    except FormatError as error:
        return state, InputProblem(
            _("“%(name)s” was not accepted: %(why)s", name=_short(files[0].filename), why=wrong_file(error))
        )
    except StorageFullError:
        return state, InputProblem(
            _(
                "This site has no storage left for uploaded vocabularies. Everything else works; please tell the "
                "site's operator."
            ),
            507,
        )
    except UnavailableStorageError:
        return state, InputProblem(
            _(
                "“%(name)s” could not be stored: the site’s storage cannot be reached at the moment. Upload the file "
                "again in a minute; your text is still here.",
                name=_short(files[0].filename),
            ),
            503,
        )
    algorithm = state.algorithm if state.algorithm in uploaded.algorithms else uploaded.algorithms[0]
    return replace(state, algorithm=algorithm, vocabulary=uploaded.name, token=None), None


def _short(name: str | None) -> str:
    name = name or ""
    return name if len(name) <= 60 else f"{name[:57]}…"
