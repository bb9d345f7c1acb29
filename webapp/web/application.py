"""The Flask application and request classes, hardened against malformed requests and failing hooks."""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import quote_from_bytes
from wsgiref.types import WSGIEnvironment

from flask import Flask, Request, Response, request
from flask.templating import Environment
from jinja2 import StrictUndefined

from webapp.observing import report
from webapp.web.form_fields import FormParser

log = logging.getLogger(__name__)

_ASCII = bytes(range(0x21, 0x7F))


class SiteRequest(Request):
    """A request that percent-encodes non-ASCII bytes of its query string, as browsers do.

    Werkzeug would decode them as UTF-8 and raise UnicodeDecodeError if they are not valid.
    """

    form_data_parser_class = FormParser

    def __init__(self, environ: WSGIEnvironment, *arguments: Any, **options: Any) -> None:
        super().__init__(environ, *arguments, **options)
        if not self.query_string.isascii():
            self.query_string = quote_from_bytes(self.query_string, safe=_ASCII).encode()

    def _load_form_data(self) -> None:
        """Parse the form, once for each request: the phase "read" of the request."""
        with report.current().phase("read"):
            super()._load_form_data()


class Site(Flask):
    """An application that still sends an error response if one of its `after_request` hooks fails.

    A template that uses a variable which its context lacks is an error.
    """

    request_class = SiteRequest

    def create_jinja_environment(self) -> Environment:
        """Return Flask's environment, in which undefined variables are errors."""
        environment = super().create_jinja_environment()
        environment.undefined = StrictUndefined
        return environment

    def full_dispatch_request(self) -> Response:
        """Handle the request as Flask does, and report its route and the time."""
        current = report.current()
        if request.url_rule is not None:
            current.set_route(request.url_rule.rule)
        with current.phase("handle"):
            return super().full_dispatch_request()

    def process_response(self, response: Response) -> Response:
        """Call the `after_request` hooks. For an error response, log and skip a hook that raises an exception.

        For a successful response, the exception leads to status 500, as in Flask.
        """
        with report.current().phase("finish"):
            return self._processed(response)

    def _processed(self, response: Response) -> Response:
        if response.status_code < 400:
            return super().process_response(response)
        for name in (*request.blueprints, None):
            for hook in reversed(self.after_request_funcs.get(name, ())):
                try:
                    response = self.ensure_sync(hook)(response)
                except Exception:
                    log.exception("A hook failed for a response with status %s", response.status_code)
        return response
