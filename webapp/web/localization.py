"""Chooses the visitor's language, English or 简体中文, and builds the link to the same page in the other one.

The order is: `lang` in the address or form, the cookie with an earlier choice, the browser's languages.
"""

import logging
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import localcontext
from importlib.resources.abc import Traversable
from typing import Any
from urllib.parse import urlencode

from flask import Flask, Response, current_app, g, request
from flask_babel import Babel, format_date, format_decimal, format_percent, get_locale, get_translations
from flask_babel import gettext as _
from flask_babel.speaklater import LazyString
from markupsafe import Markup
from werkzeug.exceptions import HTTPException

COOKIE = "lang"
A_YEAR = 31_536_000
HOME_PAGE = "playground.page"
# A number in an address may have as many digits as `int` reads; Babel fails above the precision of `decimal`, 28.
MOST_DIGITS = 4_400

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Language:
    """One language of the site: its `tag` in HTML, its `locale` for Babel and its own `name` for itself."""

    tag: str
    locale: str
    name: str


LANGUAGES = {
    "en": Language("en", "en", "English"),
    "zh": Language("zh-Hans", "zh_Hans", "简体中文"),
}


def init_app(app: Flask) -> None:
    """Set up Babel with `current_key`, store an explicit choice in a cookie, and add template variables and filters."""
    Babel(app, locale_selector=lambda: LANGUAGES[current_key()].locale)

    @app.after_request
    def remember(response: Response) -> Response:
        if "by_visitor" in g:  # the language depends on these headers, so a cache must distinguish them
            response.vary.update(("Accept-Language", "Cookie"))
        chosen = _explicit_choice()
        # Only HTML pages set the cookie. A response with a cookie must not be stored in a shared cache.
        if chosen in LANGUAGES and response.mimetype == "text/html" and request.endpoint != "static":
            response.set_cookie(COOKIE, chosen, max_age=A_YEAR, samesite="Lax", httponly=True, secure=request.is_secure)
            if response.cache_control.public:
                response.cache_control.public = False
                response.cache_control.private = True
        return response

    @app.context_processor
    def languages() -> dict[str, object]:
        return {"language": LANGUAGES[current_key()], "languages": LANGUAGES, "language_url": language_url}

    messages = {key: _Messages() for key in LANGUAGES}

    def translated(message: str, /, **variables: object) -> Markup:
        found = messages[current_key()][message]
        return found % variables if variables or "%" in found else found

    # Flask-Babel's own finds language and catalogue again for each of the 150 messages of a page, in 2 ms.
    app.jinja_env.globals |= {"_": translated, "gettext": translated}
    app.jinja_env.filters["number"] = number
    app.jinja_env.filters["percent"] = percent
    app.jinja_env.filters["join_list"] = join_list
    app.jinja_env.filters["date"] = format_date


class _Messages(dict[str, Markup]):
    """The messages of all templates in the language of the request, each looked up once."""

    def __missing__(self, message: str) -> Markup:
        found = self[message] = Markup(get_translations().ugettext(message))
        return found


def current_key() -> str:
    """The language of this request: `en` or `zh`."""
    if "language_key" not in g:
        g.by_visitor = True
        explicit = (_explicit_choice(), request.cookies.get(COOKIE))
        g.language_key = next((key for key in explicit if key in LANGUAGES), None) or _preferred()
    key: str = g.language_key
    return key


def _explicit_choice() -> str | None:
    """`lang` of the address or form; of the address alone if the form cannot be parsed."""
    try:
        return request.values.get("lang")
    except (HTTPException, OSError):
        return request.args.get("lang")


def _preferred() -> str:
    """The first supported language of the browser."""
    for tag, _quality in request.accept_languages:
        key = tag.split("-")[0].lower()
        if key in LANGUAGES:
            return key
    return "en"


def language_url(key: str) -> str | None:
    """The URL of this page in language `key`; None for a response to a form.

    For a URL without a page, such as that of a missing static file, returns that of the home page. If the URL cannot be
    built, logs the error and returns None: error pages show this link too, so it must not raise.
    """
    if request.method != "GET":
        return None
    arguments = request.args.copy()
    arguments["lang"] = key
    pairs = [(name, value) for name, values in arguments.lists() for value in values]
    try:
        if request.endpoint in (None, "static"):
            path = current_app.url_for(HOME_PAGE)
        else:
            path = current_app.url_for(request.endpoint, **(request.view_args or {}))
        return f"{path.partition('?')[0]}?{urlencode(pairs)}"
    except Exception:
        log.exception("The link to the other language could not be built")
        return None


def number(value: float, digits: int | None = None) -> str:
    """A number in the format of the visitor's language: `1234.5 → 1,234.5`; `digits` sets the number of decimals."""
    with localcontext(prec=MOST_DIGITS):
        if digits is None:
            return format_decimal(value)
        return format_decimal(round(value, digits), format=f"#,##0.{'0' * digits}" if digits else "#,##0")


def percent(share: float) -> str:
    """A fraction as a percentage with one decimal: `0.125 → 12.5%`."""
    return format_percent(share, "#,##0.0%")


def join_list(items: Iterable[str]) -> str:
    """The items of a list, separated as in the visitor's language: `a, b` in English, `a、b` in Chinese."""
    return _(", ").join(items)


def localized(folder: Traversable, name: str) -> dict[str, Any]:
    """The tables of a TOML file, in which each table of languages, such as `{en = …, zh = …}`, is a translated text."""
    tables: dict[str, Any] = _with_texts(tomllib.loads(folder.joinpath(name).read_text(encoding="utf-8")))
    return tables


def _with_texts(found: Any) -> Any:
    if not isinstance(found, dict):
        return found
    if found.keys() == LANGUAGES.keys():
        return LazyString(_in_language, found)
    return {name: _with_texts(value) for name, value in found.items()}


def _in_language(texts: dict[str, str]) -> str:
    locale = get_locale()
    return texts[locale.language if locale else "en"]
