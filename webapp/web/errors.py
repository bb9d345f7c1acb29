"""Error pages: a clear message, what to do next and the right status, never a traceback."""

import logging
from traceback import clear_frames
from typing import Any

from flask import Flask, Request, Response, abort, current_app, g, make_response, request
from flask_babel import gettext as _
from werkzeug.exceptions import BadHost, HTTPException, InternalServerError, MethodNotAllowed, RequestEntityTooLarge

from webapp.core.text.split_patterns import TextError
from webapp.observing.report import NO_ROUTE
from webapp.storage import UnavailableStorageError
from webapp.web import plain_errors, rates
from webapp.web.htmx import wants_partial
from webapp.web.localization import number
from webapp.web.problems import heading_for, is_api, problem, sentence_for, wants_problems
from webapp.web.security import is_foreign, is_framed
from webapp.web.server_variables import RETRY_AFTER, STOPPED
from webapp.web.templates import ErrorMessage, ErrorPage, FrameMessage, render

log = logging.getLogger(__name__)

# The status of a request that the server stopped or did not start, by reason.
STOPPED_STATUS = {"time": 503, "memory": 503, "crash": 503, "busy": 503, "crowded": 503, "much": 429, "work": 429}


class StoppedRequestError(Exception):
    """The server stopped the first attempt at this request, or did not start it.

    `reason` is one of `webapp.web.server_variables.Reason`, or "work" for the rate of work. `retry_after` is the
    time until the request may be sent again, in seconds; None without one.
    """

    def __init__(self, reason: str, retry_after: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after = retry_after


def forbid_foreign() -> None:
    """End the request with status 403 if it came from a page of another site, because it makes this one change."""
    if is_foreign(request):
        abort(403)


def init_app(app: Flask) -> None:
    """Answer HTTP errors and unhandled exceptions with an error page, or for htmx with the message alone.

    Call this after all WSGI middleware is installed.
    """
    plain = plain_errors.init_app(app)

    @app.errorhandler(Exception)
    def answer(raised: Exception) -> Response:
        """The page of an error; a plain one if that fails itself."""
        error = _understood(raised)
        status, headers = _status_of(error), _headers_of(error)
        if isinstance(error, BadHost):
            return plain.answer(request, status)  # a page needs the host for its URLs
        try:
            if is_api(request):
                g.language_key = "en"
            response = _page(error, status)
        except Exception:
            log.exception("%s: the error page could not be rendered", name_of(request))
            return plain.answer(request, status, headers)
        response.headers.update(headers)
        return response

    @app.before_request
    def refuse_second_attempt() -> None:
        if reason := request.environ.get(STOPPED):
            seconds = request.environ.get(RETRY_AFTER)
            raise StoppedRequestError(reason, int(seconds) if seconds else None)

    @app.after_request
    def add_retry_after(response: Response) -> Response:
        if response.status_code == 503:
            response.headers.setdefault("Retry-After", str(plain_errors.RETRY_AFTER[503]))
        return response


def name_of(request: Request) -> str:
    """The method and the route of a request, for logs: a path can have a visitor's text or the id of a snapshot."""
    method = request.method if request.method.isascii() and request.method.isalpha() else "?"
    return f"{method[:16]} {request.url_rule.rule if request.url_rule else NO_ROUTE}"


def _understood(error: Exception) -> Exception:
    """The error to answer with. What is unforeseen goes to the log, with its traceback, and nowhere else."""
    if rates.is_about_work(error):
        return StoppedRequestError("work", rates.seconds_left())
    if isinstance(error, MemoryError):
        log.warning("%s took more memory than a request may take", name_of(request))
        clear_frames(error.__traceback__)  # what the views had made goes, so that there is memory for the page
        return StoppedRequestError("memory")
    if isinstance(error, UnavailableStorageError):
        log.error("%s is answered 503: %s", name_of(request), error)
    elif not isinstance(error, HTTPException | TextError | StoppedRequestError):
        log.error("%s failed", name_of(request), exc_info=error)
        return InternalServerError()
    return error


def _status_of(error: Exception) -> int:
    if isinstance(error, StoppedRequestError):
        return STOPPED_STATUS[error.reason]
    if isinstance(error, UnavailableStorageError):
        return 503
    if isinstance(error, TextError):
        return 409 if wants_problems(request) else 422
    return (error.code or 500) if isinstance(error, HTTPException) else 500


def _headers_of(error: Exception) -> dict[str, str]:
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        return {"Allow": ", ".join(error.valid_methods)}
    if isinstance(error, StoppedRequestError) and error.retry_after:
        return {"Retry-After": str(error.retry_after)}
    return {"Retry-After": str(rates.seconds_left())} if _status_of(error) == 429 else {}


def _page(error: Exception, status: int) -> Response:
    if isinstance(error, StoppedRequestError):
        return _stopped(error, status)
    if isinstance(error, UnavailableStorageError):
        return _answer(status, _message_for_storage(error), **_repeated())
    if isinstance(error, HTTPException):
        return _answer(status, _api_message_for(status) if is_api(request) else _message_for(error, status))
    return _answer(
        status, _("The chosen vocabulary cannot encode this text. Change the text, or choose another vocabulary.")
    )


def _message_for_storage(error: UnavailableStorageError) -> str:
    if error.reason == "full":
        return _(
            "The disk of the site’s storage is full, so nothing was stored or changed. Your input is not lost: try "
            "again later, when the operator has made room. Features that store nothing still work."
        )
    return _(
        "The site’s storage cannot be reached at the moment, so nothing was stored or changed. Your input is not "
        "lost: try again in a minute. Features that need no storage still work."
    )


def _stopped(error: StoppedRequestError, status: int) -> Response:
    """The page for a request that timed out, was interrupted or has to wait; it contains the input."""
    retry = error.retry_after
    message = _message_for_stopped(error)
    if not retry:
        return _answer(status, message, fields=_sent_fields(), method=request.method)
    if wants_problems(request):
        return problem(status, " ".join([message, _("Try again in %(seconds)s s.", seconds=retry)]))
    response = _answer(status, message, retry=retry, **_repeated())
    if wants_partial():
        # Above what the page shows, whose fields are part of the request that is sent again.
        response.headers["HX-Reswap"] = "afterbegin"
        response.headers["HX-Reselect"] = "[data-retry]"
    elif request.method in ("GET", "HEAD"):
        # Not `<meta http-equiv="refresh">`: browsers treat them alike, and a header also works in frames.
        response.headers["Refresh"] = str(retry)
    return response


def _message_for_stopped(error: StoppedRequestError) -> str:
    if error.reason == "crash" and rates.is_storing():
        return _(
            "The server was interrupted while it worked on this request. It may have stored what you sent, or not. "
            "Your input is not lost: try again."
        )
    sentences = {
        "crash": _(
            "The server was interrupted while it worked on this request. Your input is not lost: try again. If this "
            "happens again, shorten the text or choose another vocabulary."
        ),
        "memory": _(
            "This needs more memory than the site has for it now, so the server stopped it. Shorten the text, or "
            "choose fewer tokenizers or another vocabulary, then try again."
        ),
        "crowded": _("The site has more visitors at this moment than it can answer. Nothing is lost."),
        "busy": _("The site is working on other long requests, and this one has to wait. Nothing is lost."),
        "much": _(
            "Your network address has many long requests here already, and this one has to wait for them. Nothing is "
            "lost."
        ),
        "work": _(
            "The site has done as much work for your network address as one address may ask for, and this request has "
            "to wait. Nothing is lost. Short texts and single tokenizers still get an answer at once."
        ),
    }
    if error.reason in sentences:
        return sentences[error.reason]
    return _(
        "This took longer than the %(seconds)s seconds that a request may take, so the server stopped it. Shorten the "
        "text or choose another vocabulary, then try again.",
        seconds=number(current_app.config["MAX_REQUEST_SECONDS"]),
    )


def _repeated() -> dict[str, Any]:
    """What an error page offers to send again: an address, or the fields of a form."""
    if request.method in ("GET", "HEAD"):
        return {"again": request.script_root + request.full_path.rstrip("?")}
    return {"fields": _sent_fields()}


def _sent_fields() -> list[tuple[str, str]]:
    """The fields of the form or of the query string, in order; none of a form that the page does not read."""
    try:
        sent = request.args if request.method in ("GET", "HEAD") else request.form
    except HTTPException:  # longer than a page's form: a file, or cut off by the client
        return []
    return list(sent.items(multi=True))


def _answer(status: int, message: str, *, retry: int | None = None, **repeated: Any) -> Response:
    """A page with `message`, without navigation in a frame; for htmx, the message alone; for programs, a problem.

    `retry` is the time after which the page sends the same request again by itself, in seconds. `repeated` is what it
    sends: an address, or the fields of a form.
    """
    if wants_problems(request):
        return problem(status, message)
    heading = _("Please wait") if retry else heading_for(status)
    if is_framed(request):
        return make_response(render(FrameMessage(title=heading, sentence=message)), status)
    if wants_partial():
        return make_response(render(ErrorMessage(message=message, retry=retry)), status)
    # The previous page in the browser's history still has everything that the visitor typed into the form.
    is_form = request.method == "POST"
    page = ErrorPage(message=message, heading=heading, status=status, is_form=is_form, retry=retry, **repeated)
    return make_response(render(page), status)


def _message_for(error: HTTPException, status: int) -> str:
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
    if status == 429:
        return _(
            "You sent too many requests. Try again in %(seconds)s seconds. Your text is still in the form.",
            seconds=number(rates.seconds_left()),
        )
    return sentence_for(status)


def _api_message_for(status: int) -> str:
    """What went wrong and what to do next, for programs."""
    largest, text = current_app.config["MAX_UPLOAD_BYTES"], current_app.config["MAX_TEXT_BYTES"]
    too_large = f"The request is too large: all texts together may have {text:,} bytes of UTF-8."
    if request.mimetype == "multipart/form-data":
        too_large = f"The file is too large: a vocabulary file may have {largest:,} bytes."
    sentences = {
        400: "The site could not read the request.",
        404: "There is nothing at this address. /api documents all addresses.",
        405: f"This address does not accept {request.method}; the Allow header lists the methods that it accepts.",
        413: too_large,
        429: f"You sent too many requests. Try again in {rates.seconds_left()} seconds.",
        500: "Something went wrong on our side. Try again.",
    }
    return sentences.get(status) or (sentences[500] if status >= 500 else "The site could not answer the request.")
