"""Stores vocabulary files that programs upload through the API."""

from __future__ import annotations

from flask import Request, current_app

from webapp.api.validation import whole_body
from webapp.core.formats.fields import FormatError
from webapp.tokenization.messages import wrong_file
from webapp.vocabularies import CatalogueEntry, StorageFullError, library
from webapp.web.problems import refuse
from webapp.web.same_origin import is_foreign


def store_upload(request: Request) -> CatalogueEntry:
    """Store the vocabulary file of a multipart request; its catalogue entry, or a problem."""
    if is_foreign(request):
        refuse(403, "The request came from a page of another site, so nothing was stored. Send it from a program.")
    if request.mimetype != "multipart/form-data" or "boundary" not in request.mimetype_params:
        refuse(415, "Send the file as multipart/form-data, in the field `file`.")
    limit = current_app.config["MAX_UPLOAD_BYTES"]
    request.max_content_length = 2 * limit + 100_000
    whole_body(request, keep=True)
    if "file" in request.form:
        refuse(422, "The field `file` has no file name. Send it as a file.", errors=[("#/file", "It has no file name")])
    unknown = sorted({*request.form, *request.files} - {"file"})
    if unknown:
        refuse(422, "Send only the field `file`.", errors=[(f"#/{unknown[0][:40]}", "There is no such field")])
    contents = [file.stream.read() for file in request.files.getlist("file")]
    if not 1 <= len(contents) <= 2:
        refuse(422, f"Send one file, or two; the request has {len(contents)}.", errors=[("#/file", "One or two")])
    for content in contents:
        if len(content) > limit:
            sentence = f"It has {len(content):,} bytes; a vocabulary file may have {limit:,}."
            refuse(413, f"The file is too large. {sentence}", errors=[("#/file", sentence)])
    try:
        return library().store(*contents)
    except FormatError as error:
        refuse(409, f"The file is not a usable vocabulary: {wrong_file(error)}", errors=[("#/file", str(error))])
    except StorageFullError:
        refuse(507, "The site's storage for uploaded vocabularies is full. Everything else works.")
