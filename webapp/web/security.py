"""Security headers: they prevent a visitor's text from running as a script and other sites from embedding pages.

Other sites may embed the views marked with `framed`.
"""

from collections.abc import Callable
from typing import ParamSpec, TypeVar
from urllib.parse import urlsplit

from flask import Flask, Request, Response, current_app, g, request

P = ParamSpec("P")
R = TypeVar("R")

_FRAMED = "_may_be_framed"

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # The URL of a page may contain the visitor's text, so other sites must not receive it.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


FRAMED_HEADERS = {name: value for name, value in HEADERS.items() if name != "X-Frame-Options"} | {
    # No `frame-ancestors`: its `*` does not match pages opened from a local file.
    "Content-Security-Policy": CONTENT_SECURITY_POLICY.replace("; frame-ancestors 'none'", ""),
    "Cross-Origin-Resource-Policy": "cross-origin",
}


def framed(view: Callable[P, R]) -> Callable[P, R]:
    """Mark a view whose responses, including errors, other sites may show in a frame."""
    setattr(view, _FRAMED, True)
    return view


def is_framed(request: Request) -> bool:
    """Whether the view of a request is marked with `framed`."""
    return getattr(current_app.view_functions.get(request.endpoint or ""), _FRAMED, False)


def init_app(app: Flask) -> None:
    """Send `HEADERS` with every response, and `Strict-Transport-Security` over TLS."""
    app.after_request(protect)


def protect(response: Response) -> Response:
    """Add the security headers that the response does not set itself, with the hashes of styles in the page."""
    for name, value in (FRAMED_HEADERS if is_framed(request) else HEADERS).items():
        response.headers.setdefault(name, value)
    for digest in g.get("inlined_styles", ()):
        policy = response.headers["Content-Security-Policy"]
        response.headers["Content-Security-Policy"] = policy.replace("style-src", f"style-src 'sha256-{digest}'")
    if request.is_secure:
        response.headers.setdefault("Strict-Transport-Security", "max-age=31536000")
    return response


def is_foreign(request: Request) -> bool:
    """Whether a browser sent the request from a page of another site, which must not make this one store something.

    Programs send neither header, and carry no visitor's cookies.

    Checks `Sec-Fetch-Site`, or `Origin` for older browsers that do not send it.
    """
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = request.headers.get("Origin")
    if origin is None:
        return False
    try:
        return urlsplit(origin).netloc != request.host
    except ValueError:  # not a URL, for example "http://["
        return True
