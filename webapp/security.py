"""The headers that keep hostile text from becoming anything but text."""

from __future__ import annotations

from flask import Flask, Response, request

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


def allow_framing(response: Response) -> Response:
    """Let other pages show an answer in a frame: no word about ancestors, since `*` leaves out files on a disk."""
    response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY.replace("; frame-ancestors 'none'", "")
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def init_app(app: Flask) -> None:
    """Send `HEADERS` with every answer, and `Strict-Transport-Security` where TLS is spoken."""

    @app.after_request
    def protect(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if "frame-ancestors" not in response.headers["Content-Security-Policy"]:
            del response.headers["X-Frame-Options"]
        if request.is_secure:
            response.headers.setdefault("Strict-Transport-Security", "max-age=31536000")
        return response
