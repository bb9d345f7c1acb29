"""Exports a result as a self-contained HTML file: own style, no scripts, no external resources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from flask import current_app
from markupsafe import Markup

from webapp.core.encoding import Encoding
from webapp.rendering.markup import COLOURS, Painter, ids_html
from webapp.rendering.pictures.drawing import PictureTexts
from webapp.rendering.pictures.palette import Theme, palette_of
from webapp.web.templates import Context

COLOUR_NAMES = ("stage", "ink", "quiet", "bad", *(f"t{number}" for number in range(1, COLOURS + 1)))


@dataclass(frozen=True, kw_only=True)
class ExportedPage(Context):
    """The file, light or dark as the browser is set; the fonts are those of the site."""

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


def html_parts(
    encoding: Encoding, words: PictureTexts, *, title: str, show: bool, ids_heading: str, language: str
) -> Iterator[str]:
    """Return the HTML file in parts: the coloured segmentation and the ids."""
    painter = Painter(encoding, show=show)
    page = ExportedPage(
        language=language,
        heading=" · ".join(filter(None, (title, words.tokens(len(encoding))))),
        light=_colours("light"),
        dark=_colours("dark"),
        sans=Markup(palette_of("light")["sans"]),
        mono=Markup(palette_of("light")["mono"]),
        tokens=map(painter.paint, painter.chunks) if painter.chunks else [painter.html()],
        ids_heading=ids_heading,
        ids=(ids_html(encoding, [chunk]) for chunk in painter.chunks),
    )
    return current_app.jinja_env.get_template(page.template).generate(**page.variables())


def _colours(theme: Theme) -> list[tuple[str, str]]:
    return [(name, palette_of(theme)[name]) for name in COLOUR_NAMES]
