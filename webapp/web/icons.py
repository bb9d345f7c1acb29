"""The icons of buttons and menus: `icon("share")` in a template is an inline SVG that takes the colour of its text."""

from flask import Flask
from markupsafe import Markup

_SHAPES = {
    "add": '<path d="M10 4v12M4 10h12"/>',
    "check": '<path d="m4 10.5 4 4 8-9"/>',
    "clock": '<circle cx="10" cy="10" r="7"/><path d="M10 6v4.3l3 1.7"/>',
    "close": '<path d="m5 5 10 10M15 5 5 15"/>',
    "compare": '<path d="M3 6h8M13 6h4M3 10h4M9 10h8M3 14h10M15 14h2"/>',
    "copy": '<path d="M7 7h9v9H7zM4 13V4h9"/>',
    "down": '<path d="m5.5 8 4.5 4.5L14.5 8"/>',
    "export": '<path d="M10 3v9M6.5 9 10 12.4 13.5 9M4 13v3.5h12V13"/>',
    "file": '<path d="M5 3h7l3.5 3.5V17H5zM12 3v4h3.5"/>',
    "first": '<path d="M5 4.5v11M14.5 4.5 9 10l5.5 5.5"/>',
    "last": '<path d="M15 4.5v11M5.5 4.5 11 10l-5.5 5.5"/>',
    "link": '<path d="M8.5 11.5a3 3 0 0 0 4.3.2l2.7-2.7a3 3 0 0 0-4.3-4.3l-1 1"/>'
    '<path d="M11.5 8.5a3 3 0 0 0-4.3-.2L4.5 11a3 3 0 0 0 4.3 4.3l1-1"/>',
    "menu": '<path d="M3 6h14M3 10h14M3 14h14"/>',
    "next": '<path d="m7.5 4.5 5.5 5.5-5.5 5.5"/>',
    "pause": '<path d="M7 4.5v11M13 4.5v11"/>',
    "play": '<path d="M6 4.5v11l9-5.5z"/>',
    "previous": '<path d="m12.5 4.5-5.5 5.5 5.5 5.5"/>',
    "remove": '<path d="M4 10h12"/>',
    "search": '<circle cx="9" cy="9" r="5.2"/><path d="m13 13 4 4"/>',
    "settings": '<path d="M3 6h7M14 6h3M3 14h3M10 14h7"/><circle cx="12" cy="6" r="2"/><circle cx="8" cy="14" r="2"/>',
    "share": '<path d="M10 3v9M6.5 6 10 2.6 13.5 6M4 10v6.5h12V10"/>',
    "steps": '<path d="M4 4.5v11M8 4.8l8 5.2-8 5.2z"/>',
    "theme": '<circle cx="10" cy="10" r="6.5"/><path class="half" d="M10 3.5v13a6.5 6.5 0 0 0 0-13z"/>',
    "undo": '<path d="M7 4 3.5 7.5 7 11M3.5 7.5h8a4.2 4.2 0 0 1 0 8.4H8"/>',
    "upload": '<path d="M10 16V5M5.5 9 10 4.5 14.5 9"/>',
    "warning": '<path d="M10 3 2.5 16.5h15zM10 8v4M10 14.3v.2"/>',
}


def init_app(app: Flask) -> None:
    """Make `icon` available in every template."""
    app.jinja_env.globals["icon"] = icon


def icon(name: str) -> Markup:
    """An icon by its name; it has no text, so its button or link needs a label. Raises KeyError for another name."""
    return Markup(f'<svg class="icon" viewBox="0 0 20 20" aria-hidden="true">{_SHAPES[name]}</svg>')
