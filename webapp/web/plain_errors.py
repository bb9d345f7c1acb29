"""Error responses that need no template, translation, URL, database or session, so they work when those fail.

`webapp.web.errors` sends one when its own page cannot be rendered. `LastResort` sends one when Flask itself fails.
Their messages are translated when the application starts.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypeVar
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Flask, Request, Response, g, has_app_context
from flask_babel import gettext as _
from markupsafe import Markup

from webapp.web.error_messages import heading_for, sentence_for
from webapp.web.localization import LANGUAGES, requested_key
from webapp.web.problems import is_api, problem, wants_problems
from webapp.web.security import FRAMED_HEADERS, HEADERS, is_framed

log = logging.getLogger(__name__)

T = TypeVar("T")
D = TypeVar("D")

STATUSES = tuple(status.value for status in HTTPStatus if status >= 400)

# The Retry-After header by status, in seconds.
RETRY_AFTER = {429: 60, 503: 10}

_PAGE = Markup("""<!doctype html>
<html lang="{tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>{title} · Tokenscope</title>
</head>
<body>
<main>
{sections}
</main>
</body>
</html>
""")
_SECTION = Markup(
    '<section lang="{}">\n<h1>{}</h1>\n<p role="alert">{}</p>\n{}<p><a href="{}">{}</a></p>\n<p>{}</p>\n</section>'
)
_MESSAGE = Markup('<div class="notice bad" role="alert"><p>{}</p></div>\n')
_PARAGRAPH = Markup("<p>{}</p>\n")


@dataclass(frozen=True)
class PlainMessages:
    """The texts of a plain page in one language."""

    heading: str
    sentence: str
    back: str
    home: str
    status: str


class PlainErrors:
    """Builds plain error responses from the `messages` of each language and status."""

    def __init__(self, messages: Mapping[tuple[str, int], PlainMessages]) -> None:
        self._messages = messages

    def answer(self, request: Request | None, status: int, headers: Mapping[str, str] | None = None) -> Response:
        """A page; for programs, problem details; for htmx, the message alone.

        The response is in the visitor's language, or in both languages if that is unknown.
        """
        status = status if status in STATUSES else 500
        framed = request is not None and _safely(lambda: is_framed(request), False)
        response = self._body(request, status, framed)
        response.headers.update(FRAMED_HEADERS if framed else HEADERS)
        response.headers["Cache-Control"] = "no-store"
        if status in RETRY_AFTER:
            response.headers["Retry-After"] = str(RETRY_AFTER[status])
        response.headers.update(headers or {})
        return response

    def _body(self, request: Request | None, status: int, framed: bool) -> Response:
        if request is None:
            return Response(self._page(list(LANGUAGES), status), status, mimetype="text/html")
        language = _language(request)
        if _safely(lambda: wants_problems(request), False):
            key = "en" if is_api(request) or language is None else language
            return problem(status, self._messages[key, status].sentence)
        keys = list(LANGUAGES) if language is None else [language]
        if request.headers.get("HX-Request-Type") == "partial" and not framed:
            body = "".join(_MESSAGE.format(self._messages[key, status].sentence) for key in keys)
        else:
            home = f"{request.environ.get('SCRIPT_NAME', '')}/"
            body = self._page(keys, status, home, is_form=request.method == "POST")
        return Response(body, status, mimetype="text/html")

    def _page(self, keys: Sequence[str], status: int, home: str = "/", *, is_form: bool = False) -> str:
        sections = []
        for key in keys:
            texts = self._messages[key, status]
            back = _PARAGRAPH.format(texts.back) if is_form else ""
            sections.append(
                _SECTION.format(LANGUAGES[key].tag, texts.heading, texts.sentence, back, home, texts.home, texts.status)
            )
        title = " · ".join(self._messages[key, status].heading for key in keys)
        return _PAGE.format(tag=LANGUAGES[keys[0]].tag, title=title, sections=Markup("\n").join(sections))


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
            response = self._plain.answer(_safely(lambda: self._make_request(environ), None), 500)
            # This replaces a response that was started but not sent.
            failure = (sys.exc_info(),) if started else ()
            return response(environ, lambda status, headers, *_: start_response(status, headers, *failure))


def init_app(app: Flask) -> PlainErrors:
    """Translate the messages of plain responses, and wrap the application with its middleware in `LastResort`."""
    messages = {}
    for key in LANGUAGES:
        with app.test_request_context():
            g.language_key = key
            for status in STATUSES:
                messages[key, status] = PlainMessages(
                    heading_for(status),
                    sentence_for(status),
                    _("Go back one page in your browser: your text and settings are still there."),
                    _("Go to the playground"),
                    _("Status %(status)s", status=status),
                )
    plain = PlainErrors(messages)
    app.wsgi_app = LastResort(app.wsgi_app, app.request_class, plain)  # type: ignore[method-assign]
    return plain


def _language(request: Request) -> str | None:
    """The visitor's language; None if it cannot be determined."""
    if has_app_context() and "language_key" in g:
        return str(g.language_key)
    return _safely(lambda: requested_key(request, request.args.get("lang")), None)


def _safely(find: Callable[[], T], otherwise: D) -> T | D:
    """The result of `find`, or `otherwise` if it raises an exception."""
    try:
        return find()
    except Exception:
        return otherwise
