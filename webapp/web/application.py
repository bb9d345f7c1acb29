"""The Flask application and request classes, hardened against malformed requests and failing hooks.

Forms are parsed as Werkzeug does, with bounded extra memory for long texts: Python's `unquote` makes two objects for
every escaped byte, 200 MB for a megabyte of Chinese.
"""

import logging
from collections.abc import Iterator
from typing import IO, Any
from urllib.parse import quote_from_bytes, unquote, unquote_to_bytes
from wsgiref.types import WSGIEnvironment

from flask import Flask, Request, Response, request
from flask.templating import Environment
from jinja2 import StrictUndefined
from werkzeug.formparser import FormDataParser

from webapp.observing import report

log = logging.getLogger(__name__)

_ASCII = bytes(range(0x21, 0x7F))
WINDOW = 1 << 16  # characters that are decoded at once
ERRORS = "werkzeug.url_quote"  # keeps bytes that are not valid UTF-8 escaped


class FormParser(FormDataParser):
    """Werkzeug's parser, with its own decoder of escaped bytes."""

    def _parse_urlencoded(
        self, stream: IO[bytes], mimetype: str, content_length: int | None, options: dict[str, str]
    ) -> Any:
        fields = [field.partition("=") for field in stream.read().decode().split("&") if field]
        return stream, self.cls([(unescaped(name), unescaped(value)) for name, _, value in fields]), self.cls()


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


def unescaped(escaped: str) -> str:
    """A name or value of a form without its escapes, as `urllib.parse.parse_qsl` decodes it.

    >>> unescaped("a+b%20%e7%a0%94%FF")
    'a b 研%FF'
    """
    spaced = escaped.replace("+", " ")
    if len(spaced) <= WINDOW or not spaced.isascii():
        return unquote(spaced, errors=ERRORS)
    return b"".join(map(unquote_to_bytes, _windows(spaced))).decode(errors=ERRORS)


def _windows(text: str) -> Iterator[str]:
    """The text in parts of about `WINDOW` characters, none of which ends inside an escape."""
    start = 0
    while start < len(text):
        end = start + WINDOW
        inside = text.rfind("%", end - 2, end)
        end = end if inside < 0 else inside
        yield text[start:end]
        start = end
