"""The pages, a package for each address, each with a blueprint. They never import each other."""

from flask import Flask

from webapp.pages import (
    ambiguity,
    compare,
    difference,
    download,
    evaluate,
    expansion,
    frequencies,
    languages,
    learn,
    measures,
    messages,
    playground,
    share,
    split,
    steps,
    train,
    training,
    vocabularies,
)

PAGES = (
    playground,
    compare,
    split,
    ambiguity,
    steps,
    train,
    training,
    download,
    evaluate,
    frequencies,
    languages,
    messages,
    learn,
    measures,
    vocabularies,
    difference,
    expansion,
    share,
)


def init_app(app: Flask) -> None:
    """Register the blueprint of every page."""
    for page in PAGES:
        app.register_blueprint(page.blueprint)
