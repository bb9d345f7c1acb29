"""What went wrong, for programs: problem details as RFC 9457 has them, `application/problem+json`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import NoReturn

from flask import Request, Response, abort, json
from werkzeug.exceptions import HTTPException

API = "/api/v1"
MEDIA_TYPE = "application/problem+json"


def wants_problems(request: Request) -> bool:
    """Whether the answers at an address are for programs: the API, oEmbed, and the JSON twins of pages.

    The API speaks English, whoever asks.
    """
    path = request.path
    if is_api(request) or path.endswith(".json") or path == "/oembed":
        return True
    return request.args.get("format") == "json"


def is_api(request: Request) -> bool:
    """Whether an address is one of the API's."""
    return request.path == API or request.path.startswith(f"{API}/")


def problem(
    status: int,
    detail: str,
    *,
    errors: Iterable[tuple[str, str]] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """An answer that tells what went wrong. `errors` are places in the request, `#/texts/0`, each with a sentence."""
    told: dict[str, object] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    found = [{"pointer": pointer, "detail": sentence} for pointer, sentence in errors]
    if found:
        told["errors"] = found
    response = Response(json.dumps(told, ensure_ascii=True), status, mimetype=MEDIA_TYPE)
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
    """End the request with `problem`."""
    abort(problem(status, detail, errors=errors, headers=headers))


def as_problem(error: HTTPException, detail: str) -> Response:
    """Any HTTP error as problem details, with the headers that belong to it: `Allow`, `Retry-After`."""
    headers = {name: value for name, value in error.get_headers() if name.lower() != "content-type"}
    return problem(error.code or 500, detail, headers=headers)
