"""Tokenscope: see how text becomes tokens.

`create_app` builds the application from the packages in this one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask import Flask

PACKAGE = Path(__file__).resolve().parent


def create_app(configuration: Mapping[str, Any] | None = None) -> Flask:
    """Return the site as a WSGI application.

    `configuration` overrides the environment, which overrides the defaults in `webapp.settings`. The imports are inside
    the function, so that the core, the command line and the server's front process start without the site.
    """
    from flask_compress import Compress

    from webapp import api, jobs, pages, settings, storage, tools, vocabularies
    from webapp.web import assets, errors, icons, localization, places, proxies, rates, security, theme
    from webapp.web.application import Site
    from webapp.web.readiness import blueprint as health

    # In a checkout, `templates` and `static` are beside the package.
    home = PACKAGE if (PACKAGE / "templates").is_dir() else PACKAGE.parent
    app = Site(__name__, template_folder=str(home / "templates"), static_folder=str(home / "static"))
    settings.configure(app, configuration or {})
    Compress(app)
    for part in (localization, theme, places, icons, assets, security, storage, proxies, errors, rates, api):
        part.init_app(app)
    for part in (vocabularies, jobs, pages, tools):
        part.init_app(app)
    for blueprint in (health, api.blueprint, api.page):
        app.register_blueprint(blueprint)
    storage.explain_failures(app)
    if app.config["PRELOAD"]:
        vocabularies.preload()
        with app.app_context():
            vocabularies.preload_fetched()
        for name in app.jinja_env.list_templates():
            app.jinja_env.get_template(name)  # compiled once, before the worker processes fork
    return app
