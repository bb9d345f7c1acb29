"""The routes of the tools in the API, with their entries in the OpenAPI document."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flask import Response

from webapp.api.operations import operation
from webapp.tokenization.forms import InputProblem
from webapp.tools import TOOLS
from webapp.tools.inputs import Input, body_model
from webapp.tools.kernel import ApiEntry, Tool, as_object
from webapp.web.json_responses import json_response

ERRORS = (404, 409, 413, 503)


def add(tool: Tool[Any, Any], entry: ApiEntry) -> None:
    """Add the route of a tool, which takes the tool's input as JSON."""

    run = entry.run or tool.run
    body = entry.body if isinstance(entry.body, type) else body_model(tool.input, entry.body)

    def answer(body: Input) -> Response:
        try:
            if entry.run is not None:
                return json_response(entry.run(body))
            given = tool.input.model_construct(**dict(body), **entry.changes)
            return json_response(as_object(tool.answer(tool.attempt(given))))
        except InputProblem as problem:
            found = type(body).model_fields.get(problem.field)
            raise replace(problem, field=(found and found.alias) or problem.field) from None

    answer.__name__, answer.__doc__ = run.__name__, run.__doc__
    operation("post", entry.path, body=body, answer=entry.answer, errors=ERRORS, example=entry.example)(answer)


for _tool in TOOLS:
    if _tool.api is not None:
        add(_tool, _tool.api)
