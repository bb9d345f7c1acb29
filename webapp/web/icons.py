"""The icons of buttons and menus: `icon("share")` in a template is an inline SVG that takes the colour of its text."""

import tomllib
from pathlib import Path

from flask import Flask
from markupsafe import Markup

_SHAPES = tomllib.loads(Path(__file__).with_name("icons.toml").read_text(encoding="utf-8"))


def init_app(app: Flask) -> None:
    """Make `icon` available in every template."""
    app.jinja_env.globals["icon"] = icon


def icon(name: str) -> Markup:
    """An icon by its name; it has no text, so its button or link needs a label. Raises KeyError for another name."""
    return Markup(f'<svg class="icon" viewBox="0 0 20 20" aria-hidden="true">{_SHAPES[name]}</svg>')
