"""Headings and messages of errors by status, and error responses for programs: problem details as in RFC 9457."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, NoReturn

from flask import Request, Response, abort, json
from flask_babel import lazy_gettext as _l

API = "/api/v1"
MEDIA_TYPE = "application/problem+json"

HEADINGS = {
    400: _l("Bad request"),
    403: _l("Not allowed"),
    404: _l("Page not found"),
    405: _l("Method not allowed"),
    413: _l("Request too large"),
    429: _l("Too many requests"),
}
SENTENCES = {
    400: _l("The site could not read the request. Go back and try again."),
    403: _l("The request came from a page of another site, so nothing was stored. Send it from a page of this site."),
    404: _l("There is no page at this address. The playground is on the home page."),
    405: _l("This address does not accept this request method."),
    413: _l("The request is too large. Shorten it and send it again."),
    429: _l("You sent too many requests. Try again in a minute."),
    503: _l("The site cannot answer this request at the moment. Try again in a minute."),
}
_OURS = _l("Something went wrong on our side. Your text is still in the form; try again.")


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
    return str(HEADINGS.get(status, _l("Something went wrong")))


def sentence_for(status: int) -> str:
    """What went wrong and what to do next, from the status alone.

    >>> sentence_for(405)
    'This address does not accept this request method.'
    """
    if status >= 500:
        return str(SENTENCES.get(status, _OURS))
    return str(SENTENCES.get(status, _l("The site could not answer the request.")))
