"""English and 简体中文: which one a visitor reads, and the plain link to the other.

The order is: `lang` in the address or form, then the cookie that an earlier one left, then the browser's languages.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from urllib.parse import urlencode

from flask import Flask, Request, Response, current_app, g, request
from flask_babel import Babel, format_decimal, format_percent
from werkzeug.exceptions import HTTPException

COOKIE = "lang"
A_YEAR = 31_536_000
FIRST_PAGE = "playground.page"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Language:
    """One language of the site: `tag` in addresses and HTML, `locale` for Babel, `name` in its own words."""

    tag: str
    locale: str
    name: str


LANGUAGES = {
    "en": Language("en", "en", "English"),
    "zh": Language("zh-Hans", "zh_Hans", "简体中文"),
}


def init_app(app: Flask) -> None:
    """Let Babel choose by `current_key`, remember an explicit choice, and give templates what they need."""
    Babel(app, locale_selector=lambda: LANGUAGES[current_key()].locale)

    @app.after_request
    def remember(response: Response) -> Response:
        if "by_visitor" in g:  # the words are in this visitor's language: no cache may give them to another
            response.vary.update(("Accept-Language", "Cookie"))
        chosen = _asked()
        # People choose on pages. A cookie is for one visitor, and so is the answer that brings it.
        if chosen in LANGUAGES and response.mimetype == "text/html" and request.endpoint != "static":
            response.set_cookie(COOKIE, chosen, max_age=A_YEAR, samesite="Lax", httponly=True)
            if response.cache_control.public:
                response.cache_control.public = False
                response.cache_control.private = True
        return response

    @app.context_processor
    def languages() -> dict[str, object]:
        return {"language": LANGUAGES[current_key()], "languages": LANGUAGES, "language_url": language_url}

    app.jinja_env.filters["number"] = number
    app.jinja_env.filters["percent"] = percent


def current_key() -> str:
    """`en` or `zh` for this request."""
    if "language_key" not in g:
        g.by_visitor = True
        g.language_key = requested_key(request, _asked())
    key: str = g.language_key
    return key


def requested_key(request: Request, asked: str | None) -> str:
    """The language that was asked for, else that of the cookie, else the first of the browser's that there is."""
    explicit = (asked, request.cookies.get(COOKIE))
    return next((key for key in explicit if key in LANGUAGES), None) or _preferred(request)


def _asked() -> str | None:
    """`lang` of the address or form; of the address alone where the form is the very thing that went wrong."""
    try:
        return request.values.get("lang")
    except (HTTPException, OSError):
        return request.args.get("lang")


def _preferred(request: Request) -> str:
    for tag, _quality in request.accept_languages:
        key = tag.split("-")[0].lower()
        if key in LANGUAGES:
            return key
    return "en"


def language_url(key: str) -> str | None:
    """This page's address in language `key`, everything else unchanged; None for an answer to a form.

    An address without a page of its own, a missing static file for one, leads to the first page. None too where there
    is no address to be had: every page shows this link, error pages among them.
    """
    if request.method != "GET":
        return None
    arguments = request.args.copy()
    arguments["lang"] = key
    pairs = [(name, value) for name, values in arguments.lists() for value in values]
    try:
        if request.endpoint in (None, "static"):
            path = current_app.url_for(FIRST_PAGE)
        else:
            path = current_app.url_for(request.endpoint, **(request.view_args or {}))
        return f"{path}?{urlencode(pairs)}"
    except Exception:
        log.exception("The link to the other language could not be made")
        return None


def number(value: float, digits: int | None = None) -> str:
    """A number as the reader's language writes it: `1234.5 → 1,234.5`; `digits` fixes the decimals."""
    if digits is None:
        return format_decimal(value)
    return format_decimal(round(value, digits), format=f"#,##0.{'0' * digits}" if digits else "#,##0")


def percent(share: float) -> str:
    """A share of one as a percentage with one decimal: `0.125 → 12.5%`."""
    return format_percent(share, "#,##0.0%")
