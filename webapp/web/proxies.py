"""Decides which headers of reverse proxies the site trusts.

With `TOKENSCOPE_PROXIES` at 0, the site trusts none: it uses the address and the scheme of the connection. With n, it
trusts the n-th entry of `X-Forwarded-For` from the end, which the outermost of n proxies wrote, and the last entry of
`X-Forwarded-Proto` if it is `http` or `https`: shared links need the scheme behind a proxy that terminates TLS. The
site never trusts `X-Forwarded-Host`, `-Port`, `-Prefix` or `Forwarded`, because few proxies overwrite what a client
sends there. It builds links from `Host`, and refuses requests without one, or with a name that the setting `HOSTS` does
not list.
"""

import logging
import mmap
from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Flask, request
from werkzeug.exceptions import BadHost
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.sansio.utils import host_is_trusted

log = logging.getLogger(__name__)

WARNING = (
    "A request came with X-Forwarded-For, but TOKENSCOPE_PROXIES is 0: if the site is behind a proxy, all visitors "
    "share the limits of one address. Set TOKENSCOPE_PROXIES to the number of proxies."
)

_EXTENSION = "tokenscope-uncounted-proxies"
_FORWARDED = "X-Forwarded-For"
_SCHEMES = frozenset(("http", "https"))
_PROTO = "HTTP_X_FORWARDED_PROTO"


def init_app(app: Flask) -> None:
    """Trust as many proxies as the setting `PROXIES` says, and answer to the names in `HOSTS`."""
    proxies, hosts = app.config["PROXIES"], str(app.config["HOSTS"]).replace(",", " ").split()

    @app.before_request
    def check_host() -> None:
        # Health checks ask by address.
        if request.blueprint != "health" and not host_is_trusted(request.headers.get("Host"), hosts):
            raise BadHost

    if proxies:
        trusting = ProxyFix(app.wsgi_app, x_for=proxies, x_proto=1, x_host=0)
        app.wsgi_app = _KnownSchemes(trusting)  # type: ignore[method-assign]
    else:
        app.extensions[_EXTENSION] = warning = _Warning()
        app.before_request(warning.warn)


def are_uncounted(app: Flask) -> bool:
    """Whether a request came through a proxy that the setting `PROXIES` does not count, as far as headers tell."""
    warning: _Warning | None = app.extensions.get(_EXTENSION)
    return warning is not None and warning.is_given


class _Warning:
    """Warns once in the log of a proxy that the setting `PROXIES` does not count: all its visitors share one limit."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 1)  # all processes that fork from this one share it

    @property
    def is_given(self) -> bool:
        """Whether one of the processes has warned."""
        return self._memory[0] != 0

    def warn(self) -> None:
        if _FORWARDED in request.headers and not self.is_given:
            self._memory[0] = 1
            log.warning(WARNING)


class _KnownSchemes:
    """WSGI middleware that removes `X-Forwarded-Proto` unless its last entry is `http` or `https`."""

    def __init__(self, app: WSGIApplication) -> None:
        self._app = app

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ.get(_PROTO, "").rpartition(",")[2].strip() not in _SCHEMES:
            environ.pop(_PROTO, None)
        return self._app(environ, start_response)
