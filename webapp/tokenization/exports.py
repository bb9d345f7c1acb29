"""A result as a file to take away: a picture, a page or data.

What may be chosen beside the kind, `separator` and `colours`, is read from the request.
"""

from __future__ import annotations

from collections.abc import Callable

from flask import Response, request
from flask_babel import gettext as _

from webapp.rendering import pictures
from webapp.rendering.pictures.palette import Theme
from webapp.tokenization.picture_captions import picture_title, picture_words
from webapp.tokenization.result import Result
from webapp.web.htmx import private
from webapp.web.localization import LANGUAGES, current_key

SEPARATORS = {"space": " ", "line": "\n", "tab": "\t", "slash": "/", "bar": " | "}
"""What may stand between tokens of a plain text, by the names that the form has for it."""


def as_file(result: Result, kind: str) -> Response:
    """The result as a file to download; `kind` is one of `WRITERS`, or KeyError is raised."""
    mimetype, write = WRITERS[kind]
    content = write(result)
    body = content if isinstance(content, bytes) else content.encode("utf-8", "replace")
    response = Response(body, mimetype=mimetype)
    # The name is ours alone: nothing that a visitor typed stands in a header.
    response.headers["Content-Disposition"] = f"attachment; filename=tokens.{kind}"
    return private(response)


def _json(result: Result) -> str:
    state = result.state
    return pictures.as_json(result.encoding, algorithm=state.algorithm, vocabulary=state.vocabulary)


def _csv(result: Result) -> str:
    return pictures.csv(result.encoding)


def _plain(result: Result) -> str:
    name = request.values.get("separator", "space")
    return pictures.plain(result.encoding, SEPARATORS.get(name, name[:16]))


def _html(result: Result) -> str:
    state = result.state
    return pictures.standalone_html(
        result.encoding,
        title=picture_title(state),
        show=state.show,
        words=picture_words(),
        ids_heading=_("Ids"),
        language=LANGUAGES[current_key()].tag,
    )


def _svg(result: Result) -> str:
    state = result.state
    return pictures.svg(
        result.encoding, theme=_theme(), title=picture_title(state), show=state.show, words=picture_words()
    )


def _png(result: Result) -> bytes:
    state = result.state
    return pictures.png(
        result.encoding, theme=_theme(), title=picture_title(state), show=state.show, words=picture_words()
    )


def _theme() -> Theme:
    return "dark" if request.values.get("colours") == "dark" else "light"


WRITERS: dict[str, tuple[str, Callable[[Result], str | bytes]]] = {
    "svg": ("image/svg+xml", _svg),
    "png": ("image/png", _png),
    "html": ("text/html", _html),
    "json": ("application/json", _json),
    "csv": ("text/csv", _csv),
    "txt": ("text/plain", _plain),
}
"""Kind of file → its type, and what writes it."""
