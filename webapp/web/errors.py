"""Error pages: a clear message, what to do next and the right status, never a traceback."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import Flask, Response, current_app, g, make_response, request
from flask.typing import ResponseReturnValue
from flask_babel import gettext as _
from werkzeug.exceptions import (
    BadHost,
    HTTPException,
    InternalServerError,
    MethodNotAllowed,
    RequestEntityTooLarge,
    TooManyRequests,
)

from webapp.core.text.split_patterns import TextError
from webapp.storage import UnavailableStorageError
from webapp.web import plain_errors, rates
from webapp.web.error_messages import heading_for, sentence_for
from webapp.web.htmx import wants_partial
from webapp.web.localization import number
from webapp.web.plain_errors import PlainErrors
from webapp.web.problems import as_problem, is_api, problem, wants_problems
from webapp.web.security import is_framed
from webapp.web.stopped import STOPPED
from webapp.web.templates import ErrorMessage, ErrorPage, FrameMessage, render

log = logging.getLogger(__name__)

Handler = Callable[[Any], ResponseReturnValue]


class StoppedRequestError(Exception):
    """The server stopped the first attempt at this request; `reason` is "time" or "crash"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def init_app(app: Flask) -> None:
    """Answer HTTP errors and unhandled exceptions with an error page, or for htmx with the message alone.

    Call this after all WSGI middleware is installed.
    """
    plain = plain_errors.init_app(app)
    handlers: tuple[tuple[type[Exception], Handler], ...] = (
        (BadHost, lambda error: plain.answer(request, 400)),  # a page needs the host for its URLs
        (HTTPException, http_error),
        (UnavailableStorageError, storage_error_page),
        (TextError, encoding_error_page),
        (StoppedRequestError, stopped),
        (Exception, unforeseen),
    )
    for kind, handler in handlers:
        app.register_error_handler(kind, _unfailing(handler, plain))

    @app.before_request
    def refuse_second_attempt() -> None:
        if reason := request.environ.get(STOPPED):
            raise StoppedRequestError(reason)

    @app.after_request
    def add_retry_after(response: Response) -> Response:
        if response.status_code == 503:
            response.headers.setdefault("Retry-After", str(plain_errors.RETRY_AFTER[503]))
        return response


def _unfailing(handler: Handler, plain: PlainErrors) -> Handler:
    """`handler`, with a plain error response if it fails itself."""

    @wraps(handler)
    def answer(error: Any) -> ResponseReturnValue:
        try:
            return handler(error)
        except Exception:
            log.exception("%s %r: the error page could not be rendered", request.method, request.path)
            return plain.answer(request, _status_of(error), _headers_of(error))

    return answer


def _status_of(error: Exception) -> int:
    if isinstance(error, UnavailableStorageError):
        return 503
    if isinstance(error, StoppedRequestError):
        return 503 if error.reason == "time" else 500
    if isinstance(error, TextError):
        return 409 if wants_problems(request) else 422
    return (error.code or 500) if isinstance(error, HTTPException) else 500


def _headers_of(error: Exception) -> dict[str, str]:
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        return {"Allow": ", ".join(error.valid_methods)}
    return {"Retry-After": str(rates.seconds_left())} if isinstance(error, TooManyRequests) else {}


def http_error(error: HTTPException) -> Response:
    """The page for `error`, or problem details for programs."""
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


def storage_error_page(error: UnavailableStorageError) -> Response:
    """The page for a request that needs the unreachable database; it offers to send the same input again."""
    log.error("%s %r is answered 503: %s", request.method, request.path, error)
    if is_api(request):
        g.language_key = "en"
    if error.reason == "full":
        message = _(
            "The disk of the site’s storage is full, so nothing was stored or changed. Your input is not lost: try "
            "again later, when the operator has made room. Features that store nothing still work."
        )
    else:
        message = _(
            "The site’s storage cannot be reached at the moment, so nothing was stored or changed. Your input is not "
            "lost: try again in a minute. Features that need no storage still work."
        )
    if wants_problems(request):
        return problem(503, message)
    if request.method in ("GET", "HEAD"):
        return _page(503, message, again=request.script_root + request.full_path.rstrip("?"))
    return _page(503, message, fields=list(request.form.items(multi=True)))


def stopped(error: StoppedRequestError) -> Response:
    """The page for a request whose first attempt timed out or crashed; after a timeout it shows the visitor's input."""
    if error.reason != "time":
        return http_error(InternalServerError())
    if is_api(request):
        g.language_key = "en"
    message = _(
        "This took longer than the %(seconds)s seconds that a request may take, so the server stopped it. Shorten the "
        "text or choose another vocabulary, then try again.",
        seconds=number(current_app.config["MAX_REQUEST_SECONDS"]),
    )
    if wants_problems(request):
        return problem(503, message)
    sent = request.args if request.method in ("GET", "HEAD") else request.form
    return _page(503, message, fields=list(sent.items(multi=True)), method=request.method)


def encoding_error_page(error: TextError) -> Response:
    """The page for a text that the chosen vocabulary cannot encode."""
    if is_api(request):
        g.language_key = "en"
    message = _("The chosen vocabulary cannot encode this text. Change the text, or choose another vocabulary.")
    return problem(409, message) if wants_problems(request) else _page(422, message)


def unforeseen(error: Exception) -> Response:
    """The page for an unhandled exception. The traceback goes to the log only."""
    log.error("%s %r failed", request.method, request.path, exc_info=error)
    return http_error(InternalServerError())


def _page(status: int, message: str, **retry: Any) -> Response:
    """A page with `message`, without navigation in a frame; for htmx, the message alone.

    `retry` is what the page sends when the visitor tries again: an address, or the fields of a form.
    """
    heading = heading_for(status)
    if is_framed(request):
        return make_response(render(FrameMessage(title=heading, sentence=message)), status)
    if wants_partial():
        return make_response(render(ErrorMessage(message=message)), status)
    # The previous page in the browser's history still has everything that the visitor typed into the form.
    is_form = request.method == "POST"
    page = ErrorPage(message=message, heading=heading, status=status, is_form=is_form, **retry)
    return make_response(render(page), status)


def message_for(error: HTTPException) -> str:
    """What went wrong and what to do next, in the visitor's language."""
    if isinstance(error, RequestEntityTooLarge):
        if request.endpoint == "playground.upload":
            return _(
                "The file is too large: a vocabulary file may have up to %(limit)s bytes.",
                limit=number(current_app.config["MAX_UPLOAD_BYTES"]),
            )
        return _(
            "The request is too large: the text may have up to %(limit)s bytes. Your text is still in the form; "
            "shorten it there.",
            limit=number(current_app.config["MAX_TEXT_BYTES"]),
        )
    if error.code == 429:
        return _(
            "You sent too many requests. Try again in %(seconds)s seconds. Your text is still in the form.",
            seconds=number(rates.seconds_left()),
        )
    return sentence_for(error.code or 500)


def api_message_for(error: HTTPException) -> str:
    """What went wrong and what to do next, for programs."""
    match error.code:
        case 404:
            return "There is nothing at this address. /api documents all addresses."
        case 405:
            return f"This address does not accept {request.method}; the Allow header lists the methods that it accepts."
        case 413 if request.mimetype == "multipart/form-data":
            return (
                f"The file is too large: a vocabulary file may have {current_app.config['MAX_UPLOAD_BYTES']:,} bytes."
            )
        case 413:
            return f"The request is too large: all texts together may have {_limit()} bytes of UTF-8."
        case 429:
            wait = rates.seconds_left()
            return f"You sent too many requests. Try again in {wait} seconds."
        case 400:
            return "The site could not read the request."
    if (error.code or 500) >= 500:
        return "Something went wrong on our side. Try again."
    return "The site could not answer the request."


def _limit() -> str:
    return f"{current_app.config['MAX_TEXT_BYTES']:,}"
