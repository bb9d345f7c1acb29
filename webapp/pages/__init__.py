"""The pages, a package for each address, each with a blueprint. They never import each other."""

from flask import Flask

from webapp.pages import (
    compare,
    homework,
    learn,
    playground,
    share,
    steps,
    train,
    training,
    vocabularies,
)

PAGES = (
    playground,
    compare,
    steps,
    train,
    training,
    learn,
    homework,
    vocabularies,
    share,
)


def init_app(app: Flask) -> None:
    """Register the blueprint of every page."""
    for page in PAGES:
        app.register_blueprint(page.blueprint)
