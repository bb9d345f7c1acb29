"""Responses to htmx, and the cache headers of responses for a single visitor."""

from typing import TypeVar

from flask import Response, request
from werkzeug.wrappers import Response as BaseResponse

AnyResponse = TypeVar("AnyResponse", bound=BaseResponse)

REQUEST_TYPE = "HX-Request-Type"


def wants_partial() -> bool:
    """Whether htmx requests a part of the page to swap, not the whole page."""
    return request.headers.get(REQUEST_TYPE) == "partial"


def private(response: AnyResponse) -> AnyResponse:
    """Allow only the visitor's browser to cache the response, and require revalidation for each use."""
    response.headers["Cache-Control"] = "private, no-cache"
    return response


def unstored(response: AnyResponse) -> AnyResponse:
    """Keep the response out of every cache."""
    response.headers["Cache-Control"] = "no-store"
    return response


def attachment(response: AnyResponse, name: str) -> AnyResponse:
    """A private response that a browser saves as a file. Its name is fixed: no input of the visitor is in a header."""
    response.headers["Content-Disposition"] = f"attachment; filename={name}"
    return private(response)


def swappable(response: Response, address: str | None = None, *, vary: str = "") -> Response:
    """A private response that differs for htmx, which shows `address` as its URL; `vary` names a further header."""
    response.vary.update([REQUEST_TYPE, vary] if vary else [REQUEST_TYPE])
    if address and wants_partial():
        response.headers["HX-Replace-Url"] = address
    return private(response)
