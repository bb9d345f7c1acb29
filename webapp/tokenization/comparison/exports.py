"""Export a comparison as a file: a picture or text."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flask import Response, request
from flask_babel import gettext as _

from webapp.rendering import pictures
from webapp.rendering.pictures.palette import Theme
from webapp.tokenization.comparison.state import Layout
from webapp.tokenization.comparison.views import ComparisonView, Download
from webapp.tokenization.exports import picture_words
from webapp.web.htmx import private
from webapp.web.long_responses import long_response


def layouts(address_of: Callable[[Layout], str | None]) -> list[tuple[Layout, str, str | None]]:
    """The layouts, each with its title and its address."""
    return [("lines", _("Aligned"), address_of("lines")), ("rows", _("One below another"), address_of("rows"))]


def downloads(path_of: Callable[[str], str], query: str | None) -> list[Download]:
    """The files to offer. `path_of` returns the path of a kind of file; `query` is None if it would be too long."""
    found = []
    for kind, title, colours in (
        ("png", _("Picture (PNG)"), ""),
        ("png", _("Picture, dark (PNG)"), "dark"),
        ("svg", _("Vector picture (SVG)"), ""),
        ("svg", _("Vector picture, dark (SVG)"), "dark"),
        ("txt", _("Text (TXT)"), ""),
    ):
        options = f"colours={colours}" if colours else ""
        path = path_of(kind)
        address = None if query is None else "?".join(filter(None, (path, "&".join(filter(None, (options, query))))))
        found.append(Download(title, f"{path}?{options}" if options else path, address))
    json_path = path_of("json")
    return [
        *found,
        Download(_("Data (JSON)"), json_path, None if query is None else f"{json_path}?{query}".rstrip("?")),
    ]


def as_file(view: ComparisonView, kind: str) -> Response:
    """Return the comparison as a download of a `kind` from `WRITERS`; raises KeyError for any other."""
    mimetype, write = WRITERS[kind]
    content = write(view)
    if isinstance(content, Iterator):
        response = long_response(content, mimetype=mimetype)
    else:
        body = content if isinstance(content, bytes) else content.encode("utf-8", "replace")
        response = Response(body, mimetype=mimetype)
    # The file name is fixed: no input of the visitor goes into a header.
    response.headers["Content-Disposition"] = f"attachment; filename=comparison.{kind}"
    return private(response)


def _svg(view: ComparisonView) -> str:
    return pictures.comparison_svg(view.picture, theme=_theme(), words=picture_words())


def _png(view: ComparisonView) -> bytes:
    return pictures.comparison_png(view.picture, theme=_theme(), words=picture_words())


def _text(view: ComparisonView) -> Iterator[str]:
    return (f"{row.number} {row.title}\n{text}\n\n" for row, text in view.texts())


def _theme() -> Theme:
    return "dark" if request.values.get("colours") == "dark" else "light"


WRITERS: dict[str, tuple[str, Callable[[ComparisonView], str | bytes | Iterator[str]]]] = {
    "svg": ("image/svg+xml", _svg),
    "png": ("image/png", _png),
    "txt": ("text/plain", _text),
}
"""The media type and the writer of each kind of file."""
