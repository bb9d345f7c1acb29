"""The headers that keep hostile text from becoming anything but text."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from flask import Flask, Request, Response, current_app, request

P = ParamSpec("P")
R = TypeVar("R")

_FRAMED = "_may_be_framed"

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)

HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # The address of a page holds the visitor's text: no other site is told it.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


FRAMED_HEADERS = {name: value for name, value in HEADERS.items() if name != "X-Frame-Options"} | {
    # No word about ancestors, since `*` leaves out files on a disk.
    "Content-Security-Policy": CONTENT_SECURITY_POLICY.replace("; frame-ancestors 'none'", ""),
    "Cross-Origin-Resource-Policy": "cross-origin",
}


def framed(view: Callable[P, R]) -> Callable[P, R]:
    """Mark a view whose answers, errors among them, other pages may show in a frame."""
    setattr(view, _FRAMED, True)
    return view


def is_framed(request: Request) -> bool:
    """Whether a request is for such a view."""
    return getattr(current_app.view_functions.get(request.endpoint or ""), _FRAMED, False)


def init_app(app: Flask) -> None:
    """Send `HEADERS` with every answer, and `Strict-Transport-Security` where TLS is spoken."""
    app.after_request(protect)


def protect(response: Response) -> Response:
    """Give an answer the headers that it lacks."""
    for name, value in (FRAMED_HEADERS if is_framed(request) else HEADERS).items():
        response.headers.setdefault(name, value)
    if request.is_secure:
        response.headers.setdefault("Strict-Transport-Security", "max-age=31536000")
    return response
