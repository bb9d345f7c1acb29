"""Error responses for programs: problem details as in RFC 9457, `application/problem+json`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import NoReturn

from flask import Request, Response, abort, json
from werkzeug.exceptions import HTTPException

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


def refuse(
    status: int,
    detail: str,
    *,
    errors: Iterable[tuple[str, str]] = (),
    headers: Mapping[str, str] | None = None,
) -> NoReturn:
    """Abort the request with `problem`."""
    abort(problem(status, detail, errors=errors, headers=headers))


def as_problem(error: HTTPException, detail: str) -> Response:
    """An HTTP error as problem details, with its headers such as `Allow` and `Retry-After`."""
    headers = {name: value for name, value in error.get_headers() if name.lower() != "content-type"}
    return problem(error.code or 500, detail, headers=headers)
