"""Flask's application and request, with what hostile requests ask of them besides."""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import quote_from_bytes
from wsgiref.types import WSGIEnvironment

from flask import Flask, Request, Response, request
from flask.templating import Environment
from jinja2 import StrictUndefined

log = logging.getLogger(__name__)

_ASCII = bytes(range(0x21, 0x7F))


class SiteRequest(Request):
    """A request whose query string is ASCII: other bytes are percent-encoded, as browsers send them.

    Werkzeug decodes the query string as UTF-8 and raises UnicodeDecodeError where it is not.
    """

    def __init__(self, environ: WSGIEnvironment, *arguments: Any, **options: Any) -> None:
        super().__init__(environ, *arguments, **options)
        if not self.query_string.isascii():
            self.query_string = quote_from_bytes(self.query_string, safe=_ASCII).encode()


class Site(Flask):
    """An application whose error answers survive what its `after_request` hooks raise.

    A template that uses a variable that it was not given is an error.
    """

    request_class = SiteRequest

    def create_jinja_environment(self) -> Environment:
        """Flask's, in which undefined variables are errors."""
        environment = super().create_jinja_environment()
        environment.undefined = StrictUndefined
        return environment

    def process_response(self, response: Response) -> Response:
        """Call the `after_request` hooks. After an error, a hook that raises an exception is passed over.

        After a success its exception becomes an error with status 500, as in Flask.
        """
        if response.status_code < 400:
            return super().process_response(response)
        for name in (*request.blueprints, None):
            for hook in reversed(self.after_request_funcs.get(name, ())):
                try:
                    response = self.ensure_sync(hook)(response)
                except Exception:
                    log.exception("A hook failed after an answer with status %s", response.status_code)
        return response
