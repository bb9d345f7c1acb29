"""Export a result as a file: a picture with its captions, a page or data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Response, current_app, request
from flask_babel import get_locale, ngettext
from flask_babel import gettext as _
from markupsafe import Markup

from webapp.core.inference.records import OWN
from webapp.rendering import pictures
from webapp.rendering.markup import COLOURS, Painter, ids_html
from webapp.rendering.pictures import PictureTexts
from webapp.rendering.pictures.drawing import PictureKind
from webapp.rendering.pictures.svg import Theme, palette_of
from webapp.tokenization.algorithms import algorithm_names, inference_title
from webapp.tokenization.result import Result
from webapp.tokenization.state import State
from webapp.vocabularies import find, title_of
from webapp.web.htmx import private
from webapp.web.localization import LANGUAGES, current_key, join_list, number
from webapp.web.long_responses import long_response
from webapp.web.templates import Context

_NO_SCRIPT = ("Zyyy", "Zinh", "Zzzz")


def picture_words() -> PictureTexts:
    """The texts of a picture."""
    return PictureTexts(
        tokens=lambda count: ngettext("One token", "%(size)s tokens", count, size=number(count)),
        more=lambda count: ngettext("and one more token", "and %(count)s more tokens", count, count=number(count)),
        missing=_missing,
        empty=_("No text, no tokens."),
        beginning=_("Only the beginning of the text is shown."),
    )


def picture_title(state: State) -> str:
    """The title of a picture, with algorithm and vocabulary: `BPE · Demo: byte-level BPE, 32k`."""
    entry = find(state.vocabulary)
    inference = state.relevant().inference
    other = [inference_title(inference)] if inference != OWN else []
    return " · ".join([algorithm_names()[state.algorithm], *([title_of(entry)] if entry else []), *other])


def _missing(scripts: Sequence[str]) -> str:
    locale = get_locale()
    names = [locale.scripts.get(script, script) if locale else script for script in scripts if script not in _NO_SCRIPT]
    if len(names) < len(scripts):
        names.append(_("some symbols"))
    return _("No font of this server has: %(scripts)s.", scripts=join_list(names))


SEPARATORS = {"space": " ", "line": "\n", "tab": "\t", "slash": "/", "bar": " | "}
"""The separators between tokens in a plain text, by their names in the form."""


def as_file(result: Result, kind: str) -> Response:
    """Return the result as a download of a `kind` from `WRITERS`; raises KeyError for any other."""
    mimetype, write = WRITERS[kind]
    content = write(result)
    if isinstance(content, Iterator):
        response = long_response(content, mimetype=mimetype)
    else:
        body = content if isinstance(content, bytes) else content.encode("utf-8", "replace")
        response = Response(body, mimetype=mimetype)
    # The file name is fixed: no input of the visitor goes into a header.
    response.headers["Content-Disposition"] = f"attachment; filename=tokens.{kind}"
    return private(response)


def _json(result: Result) -> Iterator[str]:
    state = result.state
    return pictures.json_parts(result.encoding, algorithm=state.algorithm, vocabulary=state.vocabulary)


def _plain(result: Result) -> Iterator[str]:
    name = request.values.get("separator", "space")
    return pictures.plain_parts(result.encoding, SEPARATORS.get(name, name[:16]))


@dataclass(frozen=True, kw_only=True)
class ExportedPage(Context):
    """A self-contained HTML file: own style, no scripts, no external resources; light or dark as the browser is set.

    The fonts are those of the site.
    """

    template = "tokenization/exported.html"

    language: str
    heading: str
    light: Sequence[tuple[str, str]]  # the colours by their names
    dark: Sequence[tuple[str, str]]
    colours: int = COLOURS
    sans: Markup
    mono: Markup
    tokens: Iterable[Markup]
    ids_heading: str
    ids: Iterable[Markup]


def _html(result: Result) -> Iterator[str]:
    """The file in parts: the coloured segmentation and the ids."""
    painter = Painter(result.encoding, show=result.state.show)
    light, dark = palette_of("light"), palette_of("dark")
    names = ("stage", "ink", "quiet", "bad", *(f"t{number}" for number in range(1, COLOURS + 1)))
    page = ExportedPage(
        language=LANGUAGES[current_key()].tag,
        heading=" · ".join([picture_title(result.state), picture_words().tokens(len(result.encoding))]),
        light=[(name, light[name]) for name in names],
        dark=[(name, dark[name]) for name in names],
        sans=Markup(light["sans"]),
        mono=Markup(light["mono"]),
        tokens=map(painter.paint, painter.chunks) if painter.chunks else [painter.html()],
        ids_heading=_("Ids"),
        ids=(ids_html(result.encoding, [chunk]) for chunk in painter.chunks),
    )
    return current_app.jinja_env.get_template(page.template).generate(**page.variables())


def _picture(result: Result, kind: PictureKind) -> str | bytes:
    return pictures.picture(result.encoding, kind, theme=picture_theme(), **_captions(result))


def picture_theme() -> Theme:
    """The colours that the request asks for."""
    return "dark" if request.values.get("colours") == "dark" else "light"


def _captions(result: Result) -> dict[str, Any]:
    return {"title": picture_title(result.state), "show": result.state.show, "words": picture_words()}


WRITERS: dict[str, tuple[str, Callable[[Result], str | bytes | Iterator[str]]]] = {
    "svg": ("image/svg+xml", lambda result: _picture(result, "svg")),
    "png": ("image/png", lambda result: _picture(result, "png")),
    "html": ("text/html", _html),
    "json": ("application/json", _json),
    "csv": ("text/csv", lambda result: pictures.csv_parts(result.encoding)),
    "txt": ("text/plain", _plain),
}
"""The media type and the writer of each kind of file."""
