"""Error responses that need no translation, URL, database or session, so they work when those fail.

`webapp.web.errors` sends one when its own page cannot be rendered. `LastResort` sends one when Flask itself fails.
A page has both languages, whose messages are translated when the application starts; a program gets English.
"""

import logging
import sys
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Flask, Request, Response, g, has_app_context
from flask_babel import gettext as _
from jinja2 import Template

from webapp.web.localization import LANGUAGES
from webapp.web.problems import heading_for, problem, sentence_for, wants_problems
from webapp.web.security import FRAMED_HEADERS, HEADERS, is_framed

log = logging.getLogger(__name__)

STATUSES = tuple(status.value for status in HTTPStatus if status >= 400)

# The Retry-After header by status, in seconds.
RETRY_AFTER = {429: 60, 503: 10}

_PAGE = Template(Path(__file__).with_name("plain_error.html").read_text(encoding="utf-8"), autoescape=True)
_PART = Template(
    """{% for message in messages %}<div class="notice bad" role="alert"><p>{{ message.sentence }}</p></div>
{% endfor %}""",
    autoescape=True,
)


class PlainErrors:
    """Builds plain error responses from the messages of each status, English first, translated when it is created."""

    def __init__(self, app: Flask) -> None:
        self._messages: dict[int, list[dict[str, str]]] = {status: [] for status in STATUSES}
        for key, language in LANGUAGES.items():
            with app.test_request_context():
                g.language_key = key
                texts = {
                    "tag": language.tag,
                    "back": _("Go back one page in your browser: your text and settings are still there."),
                    "home": _("Go to the playground"),
                }
                for status, messages in self._messages.items():
                    shown = _("Status %(status)s", status=status)
                    own = {"heading": heading_for(status), "sentence": sentence_for(status), "status": shown}
                    messages.append(texts | own)

    def answer(self, request: Request, status: int, headers: Mapping[str, str] | None = None) -> Response:
        """A page; for programs, problem details; for htmx, the message alone."""
        status = status if status in STATUSES else 500
        messages = self._messages[status]
        framed = has_app_context() and is_framed(request)
        if wants_problems(request):
            response = problem(status, messages[0]["sentence"])
        else:
            is_part = request.headers.get("HX-Request-Type") == "partial" and not framed
            home, is_form = f"{request.environ.get('SCRIPT_NAME', '')}/", request.method == "POST"
            page = (_PART if is_part else _PAGE).render(messages=messages, home=home, is_form=is_form)
            response = Response(page, status, mimetype="text/html")
        response.headers.update(FRAMED_HEADERS if framed else HEADERS)
        response.headers["Cache-Control"] = "no-store"
        if status in RETRY_AFTER:
            response.headers["Retry-After"] = str(RETRY_AFTER[status])
        response.headers.update(headers or {})
        return response


class LastResort:
    """WSGI middleware that sends a plain page with status 500 when the application raises an exception."""

    def __init__(self, app: WSGIApplication, make_request: Callable[[WSGIEnvironment], Request], plain: PlainErrors):
        self._app = app
        self._make_request = make_request
        self._plain = plain

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        started = False

        def start(*arguments: Any) -> Any:
            nonlocal started
            started = True
            return start_response(*arguments)

        try:
            return self._app(environ, start)
        except Exception as error:
            log.error("A request failed outside any page", exc_info=error)
            response = self._plain.answer(self._make_request(environ), 500)
            # This replaces a response that was started but not sent.
            failure = (sys.exc_info(),) if started else ()
            return response(environ, lambda status, headers, *_: start_response(status, headers, *failure))


def init_app(app: Flask) -> PlainErrors:
    """Translate the messages of plain responses, and wrap the application with its middleware in `LastResort`."""
    plain = PlainErrors(app)
    app.wsgi_app = LastResort(app.wsgi_app, app.request_class, plain)  # type: ignore[method-assign]
    return plain
