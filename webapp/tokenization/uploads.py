"""Vocabulary files that visitors upload with a form: stored, or a problem beside the file field."""

from __future__ import annotations

from collections.abc import Sequence

from flask import current_app
from flask_babel import gettext as _
from werkzeug.datastructures import FileStorage

from webapp.core.formats.fields import FormatError
from webapp.storage import UnavailableStorageError
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import wrong_file
from webapp.vocabularies import CatalogueEntry, StorageFullError, library

FIELD = "vocabulary_file"


def upload_limit() -> int:
    """The maximum size in bytes of a form with vocabulary files, all other fields included."""
    limit: int = current_app.config["MAX_CONTENT_LENGTH"] + 2 * current_app.config["MAX_UPLOAD_BYTES"]
    return limit


def store_upload(files: Sequence[FileStorage]) -> CatalogueEntry | InputProblem:
    """Store the uploaded vocabulary: its catalogue entry, or the problem with the files.

    `files` is one file, or a vocab.json and its merges.txt in any order.
    """
    files = [file for file in files if file.filename]
    if not files:
        return InputProblem(_("Choose a vocabulary file first, then upload it."), 422, FIELD)
    if len(files) > 2:
        message = _("Upload one vocabulary at a time: one file, or a vocab.json together with its merges.txt.")
        return InputProblem(message, 422, FIELD)
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
            return InputProblem(message, 413, FIELD)
    name = _short(files[0].filename)
    try:
        return library().store(*contents)
    except FormatError as error:
        return InputProblem(_("“%(name)s” was not accepted: %(why)s", name=name, why=wrong_file(error)), 422, FIELD)
    except StorageFullError:
        message = _(
            "This site has no storage left for uploaded vocabularies, so “%(name)s” was not stored. Your text is still "
            "here: use another vocabulary, or ask the site’s operator to make room.",
            name=name,
        )
        return InputProblem(message, 507, FIELD)
    except UnavailableStorageError:
        message = _(
            "“%(name)s” could not be stored: the site’s storage cannot be reached at the moment. Upload the file "
            "again in a minute; your text is still here.",
            name=name,
        )
        return InputProblem(message, 503, FIELD)


def _short(name: str | None) -> str:
    name = name or ""
    return name if len(name) <= 60 else f"{name[:57]}…"
