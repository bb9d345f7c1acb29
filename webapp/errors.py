"""Pages for what went wrong outside any form: a clear sentence, a way on, the right status, no traceback."""

from __future__ import annotations

import logging

from flask import Flask, current_app, render_template, request
from flask_babel import format_decimal
from flask_babel import gettext as _
from werkzeug.exceptions import HTTPException, InternalServerError, RequestEntityTooLarge

log = logging.getLogger(__name__)


def init_app(app: Flask) -> None:
    """Answer HTTP errors, and errors nobody foresaw, with a page (or, for htmx, with its message alone)."""
    app.register_error_handler(HTTPException, http_error)
    app.register_error_handler(Exception, unforeseen)


def http_error(error: HTTPException) -> tuple[str, int]:
    """The page for `error`."""
    status = error.code or 500
    partial = request.headers.get("HX-Request-Type") == "partial"
    template = "_error.html" if partial else "error.html"
    heading, message = heading_for(status), message_for(error)
    # What a form was sent from is still there, with all that was typed: the page before this one.
    is_form = request.method == "POST"
    return render_template(template, status=status, heading=heading, message=message, is_form=is_form), status


def unforeseen(error: Exception) -> tuple[str, int]:
    """The page for an exception that is our fault; the log has the traceback, the visitor has not."""
    log.error("%s %s failed", request.method, request.path, exc_info=error)
    return http_error(InternalServerError())


def heading_for(status: int) -> str:
    """A status in words.

    >>> heading_for(413)
    'That is too much for one request'
    """
    match status:
        case 400:
            return _("That was not understood")
        case 403:
            return _("That is not allowed")
        case 404:
            return _("There is no such page")
        case 405:
            return _("That does not work here")
        case 413:
            return _("That is too much for one request")
    return _("That did not work")


def message_for(error: HTTPException) -> str:
    """What went wrong and what to do, in the reader's language."""
    if isinstance(error, RequestEntityTooLarge):
        if request.endpoint == "playground.upload":
            return _(
                "What was sent is too large: a vocabulary file may have up to %(limit)s bytes.",
                limit=format_decimal(current_app.config["MAX_UPLOAD_BYTES"]),
            )
        return _(
            "What was sent is too large: the text may have up to %(limit)s bytes. Your text is still where you typed "
            "it; shorten it there.",
            limit=format_decimal(current_app.config["MAX_TEXT_BYTES"]),
        )
    match error.code:
        case 404:
            return _("There is no page at this address. The tool itself is on the first page.")
        case 405:
            return _("This address does not answer that kind of request.")
        case 400:
            return _("The request could not be read. Go back and try again.")
    if (error.code or 500) >= 500:
        return _("Something went wrong on our side. Your text is still where you typed it; please try again.")
    return _("The request could not be answered.")
