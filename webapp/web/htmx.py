"""Answers to htmx, and the headers of answers that belong to one visitor."""

from __future__ import annotations

from typing import TypeVar

from flask import Response, request
from werkzeug.wrappers import Response as BaseResponse

AnyResponse = TypeVar("AnyResponse", bound=BaseResponse)

REQUEST_TYPE = "HX-Request-Type"


def wants_partial() -> bool:
    """Whether htmx asks for the part of the page that it swaps, and not for the whole page."""
    return request.headers.get(REQUEST_TYPE) == "partial"


def private(response: AnyResponse) -> AnyResponse:
    """Let nobody but the visitor's own browser keep an answer, and ask each time whether it is still the same."""
    response.headers["Cache-Control"] = "private, no-cache"
    return response


def swappable(response: Response, address: str | None = None, *, vary: str = "") -> Response:
    """A private answer that is another one for htmx, which shows `address` for it; `vary` names a further header."""
    response.vary.update([REQUEST_TYPE, vary] if vary else [REQUEST_TYPE])
    if address and wants_partial():
        response.headers["HX-Replace-Url"] = address
    return private(response)
