"""What is believed of the proxies before the site, and what is not.

With `TOKENSCOPE_PROXIES` at 0, nothing: the address is the connection's, and the scheme is the socket's. With n, the
n-th entry from the end of `X-Forwarded-For`, which is what the outermost of n proxies wrote, and the last entry of
`X-Forwarded-Proto`, if it is `http` or `https`: links that are given away need it, behind a proxy that speaks TLS.
`X-Forwarded-Host`, `-Port` and `-Prefix` and `Forwarded` are never believed, for few proxies overwrite what a visitor
sends there: links are made from `Host`, which proxies have to check anyway to find the site.
"""

from __future__ import annotations

from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

_SCHEMES = frozenset(("http", "https"))
_PROTO = "HTTP_X_FORWARDED_PROTO"


def init_app(app: Flask) -> None:
    """Believe as many proxies as the setting `PROXIES` says."""
    proxies = app.config["PROXIES"]
    if proxies:
        believing = ProxyFix(app.wsgi_app, x_for=proxies, x_proto=1, x_host=0)
        app.wsgi_app = _KnownSchemes(believing)  # type: ignore[method-assign]


class _KnownSchemes:
    """Lets `X-Forwarded-Proto` through only if its last entry is one: links begin with it."""

    def __init__(self, app: WSGIApplication) -> None:
        self._app = app

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ.get(_PROTO, "").rpartition(",")[2].strip() not in _SCHEMES:
            environ.pop(_PROTO, None)
        return self._app(environ, start_response)
