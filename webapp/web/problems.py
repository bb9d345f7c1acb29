"""Headings and messages of errors by status, and error responses for programs: problem details as in RFC 9457."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, NoReturn

from flask import Request, Response, abort, json
from flask_babel import gettext as _

API = "/api/v1"
MEDIA_TYPE = "application/problem+json"


def wants_problems(request: Request) -> bool:
    """Whether the response to a request is for programs: the API, oEmbed, or the JSON version of a page."""
    path = request.path
    if is_api(request) or path.endswith(".json") or path == "/oembed":
        return True
    return request.args.get("format") == "json"


def is_api(request: Request) -> bool:
    """Whether a request is for the API, which always answers in English."""
    return request.path == API or request.path.startswith(f"{API}/")


def problem(
    status: int,
    detail: str,
    *,
    errors: Iterable[tuple[str, str]] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A response with problem details. `errors` pairs parts of the request, such as `#/texts/0`, with messages."""
    details: dict[str, object] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    places = [{"pointer": pointer, "detail": sentence} for pointer, sentence in errors]
    if places:
        details["errors"] = places
    response = Response(json.dumps(details, ensure_ascii=True), status, mimetype=MEDIA_TYPE)
    response.headers.update(headers or {})
    response.headers["Cache-Control"] = "no-store"
    return response


def refuse(status: int, detail: str, **more: Any) -> NoReturn:
    """Abort the request with `problem`."""
    abort(problem(status, detail, **more))


def heading_for(status: int) -> str:
    """The heading of the error page for a status.

    >>> heading_for(413)
    'Request too large'
    """
    headings = {
        400: _("Bad request"),
        403: _("Not allowed"),
        404: _("Page not found"),
        405: _("Method not allowed"),
        413: _("Request too large"),
        429: _("Too many requests"),
    }
    return headings.get(status) or _("Something went wrong")


def sentence_for(status: int) -> str:
    """What went wrong and what to do next, from the status alone.

    >>> sentence_for(405)
    'This address does not accept this request method.'
    """
    sentences = {
        400: _("The site could not read the request. Go back and try again."),
        403: _(
            "The request came from a page of another site, so nothing was stored. Send it from a page of this site."
        ),
        404: _("There is no page at this address. The playground is on the home page."),
        405: _("This address does not accept this request method."),
        413: _("The request is too large. Shorten it and send it again."),
        429: _("You sent too many requests. Try again in a minute."),
        503: _("The site cannot answer this request at the moment. Try again in a minute."),
    }
    if status in sentences:
        return sentences[status]
    if status >= 500:
        return _("Something went wrong on our side. Your text is still in the form; try again.")
    return _("The site could not answer the request.")
