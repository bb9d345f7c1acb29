"""Pictures as files: `format=svg` or `format=png` in an address, with `colours=dark` for the dark theme."""

from __future__ import annotations

from typing import Literal

from flask import Response, request

from webapp.rendering.pictures.figure import Figure
from webapp.rendering.pictures.figure_files import figure_png, figure_svg
from webapp.rendering.pictures.palette import Theme
from webapp.web.htmx import private

PictureKind = Literal["svg", "png"]
_KINDS: dict[str, PictureKind] = {"svg": "svg", "png": "png"}


def wanted_picture() -> PictureKind | None:
    """The kind of picture file that the request asks for; None for a page."""
    return _KINDS.get(request.args.get("format", ""))


def picture_file(figure: Figure, kind: PictureKind, name: str) -> Response:
    """The picture as a download named `NAME.svg` or `NAME.png`; `name` must not contain input of the visitor."""
    theme: Theme = "dark" if request.args.get("colours") == "dark" else "light"
    if kind == "svg":
        response = Response(figure_svg(figure, theme=theme).encode("utf-8", "replace"), mimetype="image/svg+xml")
    else:
        response = Response(figure_png(figure, theme=theme), mimetype="image/png")
    response.headers["Content-Disposition"] = f"attachment; filename={name}.{kind}"
    return private(response)
