"""The tools of the site: each says once what it takes, what it does and what it shows (`webapp.tools.kernel`)."""

from typing import Any

from flask import Flask

from webapp.tools import (
    ambiguity,
    costs,
    decode,
    difference,
    evaluate,
    expansion,
    homework,
    languages,
    measures,
    messages,
    models,
    pretokens,
    split,
)
from webapp.tools.kernel import Tool, blueprint_of
from webapp.tools.messages import templates

TOOLS: list[Tool[Any, Any]] = [
    ambiguity.TOOL,
    costs.TOOL,
    decode.TOOL,
    difference.TOOL,
    evaluate.TOOL,
    expansion.TOOL,
    homework.TOOL,
    languages.TOOL,
    measures.TOOL,
    messages.TOOL,
    templates.TOOL,
    models.TOOL,
    pretokens.TOOL,
    split.TOOL,
]


def init_app(app: Flask) -> None:
    """Register the routes of every tool."""
    for tool in TOOLS:
        app.register_blueprint(blueprint_of(tool))
    app.register_blueprint(expansion.expansion_files)
    app.register_blueprint(evaluate.evaluations)
