"""Pages for what went wrong outside any form: a clear sentence, a way on, the right status, no traceback."""

from __future__ import annotations

import logging
from typing import Any

from flask import Flask, Response, current_app, g, make_response, render_template, request
from flask_babel import gettext as _
from werkzeug.exceptions import HTTPException, InternalServerError, RequestEntityTooLarge

from webapp.core.text.split_patterns import TextError
from webapp.storage import UnavailableStorageError
from webapp.web import rates
from webapp.web.htmx import wants_partial
from webapp.web.localization import number
from webapp.web.problems import as_problem, is_api, problem, wants_problems
from webapp.web.security import is_framed

log = logging.getLogger(__name__)


# After so many seconds it is worth trying again what is not to be had now.
RETRY_AFTER = 10


def init_app(app: Flask) -> None:
    """Answer HTTP errors, and errors nobody foresaw, with a page (or, for htmx, with its message alone)."""
    app.register_error_handler(HTTPException, http_error)
    app.register_error_handler(UnavailableStorageError, without_storage)
    app.register_error_handler(TextError, without_tokens)
    app.register_error_handler(Exception, unforeseen)

    @app.after_request
    def tell_when(response: Response) -> Response:
        if response.status_code == 503:
            response.headers.setdefault("Retry-After", str(RETRY_AFTER))
        return response


def http_error(error: HTTPException) -> Response:
    """The page for `error`, or its problem details for programs."""
    if is_api(request):
        g.language_key = "en"
    status = error.code or 500
    if wants_problems(request):
        response = as_problem(error, api_message_for(error) if is_api(request) else message_for(error))
    else:
        response = _page(status, message_for(error))
        if "Allow" in (headers := dict(error.get_headers())):
            response.headers["Allow"] = headers["Allow"]
    if status == 429:
        response.headers["Retry-After"] = str(rates.seconds_left())
    return response


def without_storage(error: UnavailableStorageError) -> Response:
    """The page for a request that needs the database while it cannot be used, with what was typed and a second try."""
    log.error("%s %s is answered 503: %s", request.method, request.path, error)
    if is_api(request):
        g.language_key = "en"
    message = _(
        "The site’s storage cannot be reached at the moment, so nothing was stored or changed. Nothing is lost either: "
        "try again in a minute. Everything that needs no storage works meanwhile."
    )
    if wants_problems(request):
        return problem(503, message)
    if request.method in ("GET", "HEAD"):
        return _page(503, message, again=request.script_root + request.full_path.rstrip("?"))
    return _page(503, message, fields=list(request.form.items(multi=True)))


def without_tokens(error: TextError) -> Response:
    """The page for a text that the chosen vocabulary cannot cope with, wherever that comes to light."""
    if is_api(request):
        g.language_key = "en"
    message = _("The chosen vocabulary cannot cope with this text. Change the text, or choose another vocabulary.")
    return problem(409, message) if wants_problems(request) else _page(422, message)


def unforeseen(error: Exception) -> Response:
    """The page for an exception that is our fault; the log has the traceback, the visitor has not."""
    log.error("%s %s failed", request.method, request.path, exc_info=error)
    return http_error(InternalServerError())


def _page(status: int, message: str, **retry: Any) -> Response:
    """A page with `message`, bare in a frame, or for htmx the message alone; `retry` is an address or a form's fields
    to try again.
    """
    heading = heading_for(status)
    if is_framed(request):
        return make_response(render_template("share/embed_gone.html", title=heading, sentence=message), status)
    partial = wants_partial()
    template = "_error.html" if partial else "error.html"
    # What a form was sent from is still there, with all that was typed: the page before this one.
    is_form = request.method == "POST"
    body = render_template(template, status=status, heading=heading, message=message, is_form=is_form, **retry)
    return make_response(body, status)


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
        case 429:
            return _("That was too often")
    return _("That did not work")


def message_for(error: HTTPException) -> str:
    """What went wrong and what to do, in the reader's language."""
    if isinstance(error, RequestEntityTooLarge):
        if request.endpoint == "playground.upload":
            return _(
                "What was sent is too large: a vocabulary file may have up to %(limit)s bytes.",
                limit=number(current_app.config["MAX_UPLOAD_BYTES"]),
            )
        return _(
            "What was sent is too large: the text may have up to %(limit)s bytes. Your text is still where you typed "
            "it; shorten it there.",
            limit=number(current_app.config["MAX_TEXT_BYTES"]),
        )
    match error.code:
        case 404:
            return _("There is no page at this address. The tool itself is on the first page.")
        case 403:
            return _("A page of another site sent this, so nothing was stored. Do it on this site itself.")
        case 405:
            return _("This address does not answer that kind of request.")
        case 429:
            return _(
                "That was more at once than this site answers one address. Try again in %(seconds)s seconds. Your text "
                "is still where you typed it.",
                seconds=number(rates.seconds_left()),
            )
        case 400:
            return _("The request could not be read. Go back and try again.")
    if (error.code or 500) >= 500:
        return _("Something went wrong on our side. Your text is still where you typed it; please try again.")
    return _("The request could not be answered.")


def api_message_for(error: HTTPException) -> str:
    """The same for programs."""
    match error.code:
        case 404:
            return "There is nothing at this address. /api lists what there is."
        case 405:
            return f"This address does not answer {request.method}; the header Allow lists what it answers."
        case 413 if request.mimetype == "multipart/form-data":
            return f"That is too much: a vocabulary file may have {current_app.config['MAX_UPLOAD_BYTES']:,} bytes."
        case 413:
            return f"That is too much for one request: all texts together may have {_limit()} bytes of UTF-8."
        case 429:
            wait = rates.seconds_left()
            return f"That was more at once than this site answers one address. Try again in {wait} seconds."
        case 400:
            return "The request could not be read."
    if (error.code or 500) >= 500:
        return "Something went wrong on our side. Please try again."
    return "The request could not be answered."


def _limit() -> str:
    return f"{current_app.config['MAX_TEXT_BYTES']:,}"
