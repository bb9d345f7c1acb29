"""The pages, a package for each address, each with a blueprint. They never import each other."""

from flask import Flask

from webapp.pages import (
    ambiguity,
    byte_alphabet,
    compare,
    decode,
    difference,
    download,
    evaluate,
    expansion,
    frequencies,
    languages,
    learn,
    measures,
    messages,
    models,
    playground,
    pretokens,
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
    decode,
    ambiguity,
    pretokens,
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
    models,
    vocabularies,
    byte_alphabet,
    difference,
    expansion,
    share,
)


def init_app(app: Flask) -> None:
    """Register the blueprint of every page."""
    for page in PAGES:
        app.register_blueprint(page.blueprint)
