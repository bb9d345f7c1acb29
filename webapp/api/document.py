"""Builds the OpenAPI 3.1 document from the operations: pydantic describes the models."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from http import HTTPStatus
from typing import Any, Literal

from flask import Response
from pydantic import Field, TypeAdapter

from webapp.api.operations import OPERATIONS, Operation, VocabularyUpload, blueprint
from webapp.core.algorithms import ALGORITHMS
from webapp.tools.inputs import AnswerModel
from webapp.web.json_responses import cached_for, json_response
from webapp.web.problems import API, MEDIA_TYPE

VERSION = "1.0.0"  # of the API, not of the site
REF = "#/components/schemas/{model}"
ALWAYS = (422, 429, 500)  # error statuses of every operation
MINUTES_5 = 300
WITH_BODY = (400, 413, 415)  # further ones of operations that take a body

ABOUT = """\
The API tokenizes text with the same vocabularies and options as the pages.

Bodies are JSON in UTF-8. The API rejects fields that are not described here. A piece that is not valid UTF-8, as in
byte-level BPE, is written `{"bytes": "e4 b8"}`, in hexadecimal; every other piece is a string. Offsets count code
points, like indexes of Python strings.

Errors are problem details (RFC 9457, `application/problem+json`); `errors` lists the invalid parts of the request. The
status is 422 if a field is invalid, 409 if fields contradict each other, and 503 with `Retry-After` while the site
downloads a vocabulary.

You need no key. Scripts on any site may read from the API. Requests that store something are accepted from programs
and from this site's own pages only.
"""


class InvalidPart(AnswerModel):
    """An invalid part of the request."""

    pointer: str = Field(description="A JSON pointer into the body, or the name of a parameter.", examples=["#/want/0"])
    detail: str


class Problem(AnswerModel):
    """Problem details as in RFC 9457."""

    type: Literal["about:blank"]
    title: str
    status: int
    detail: str
    errors: list[InvalidPart] = Field([], description="The invalid parts of the request.")


@blueprint.get("/openapi.json")
def openapi() -> Response:
    """Send the OpenAPI document of this API."""
    return cached_for(json_response(document()), MINUTES_5)


def document() -> dict[str, Any]:
    """The OpenAPI document as dictionaries, lists and strings, built once per process for the registered algorithms."""
    return _document(tuple(ALGORITHMS))


@cache
def _document(_algorithms: tuple[str, ...]) -> dict[str, Any]:
    paths: dict[str, Any] = {}
    models: dict[type, None] = {Problem: None}
    for operation in OPERATIONS:
        paths.setdefault(openapi_path(operation.path), {})[operation.method] = _operation(operation)
        models |= dict.fromkeys(filter(None, (operation.body, operation.answer)))
    adapters: list[tuple[type, Literal["validation"], TypeAdapter[Any]]]
    adapters = [(model, "validation", TypeAdapter(model)) for model in models]
    _, definitions = TypeAdapter.json_schemas(adapters, ref_template=REF)
    about = {"description": ABOUT, "license": {"name": "MIT", "identifier": "MIT"}}
    return {
        "paths": paths,
        "info": {**about, "title": "Tokenscope", "version": VERSION},
        "openapi": "3.1.0",
        "servers": [{"url": API}],
        "components": {"schemas": definitions["$defs"]},
    }


def _operation(operation: Operation) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "parameters": _parameters(operation),
        "responses": _responses(operation),
    }
    if operation.description:
        entry["description"] = operation.description
    if operation.body is not None:
        content: dict[str, Any] = {"schema": {"$ref": REF.format(model=operation.body.__name__)}}
        kind = "application/json"
        if operation.body is VocabularyUpload:
            kind = "multipart/form-data"
        else:
            content["example"] = operation.example
        entry["requestBody"] = {"required": True, "content": {kind: content}}
    return entry


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    parameters: list[dict[str, Any]] = []
    for name in re.findall(r"<(\w+)>", operation.path):
        schema = {"type": "string", "minLength": 1}
        of_token = "The id of a token." if "/tokens/" in operation.path else "The id of a snapshot."
        description = "The name of a vocabulary." if name == "name" else of_token
        parameter = {"name": name, "in": "path", "required": True, "schema": schema, "description": description}
        if name in operation.example:
            parameter["example"] = operation.example[name]
        parameters.append(parameter)
    for name, schema in operation.query.model_json_schema().get("properties", {}).items():
        description = schema.pop("description", "")
        parameters.append(
            {"name": name, "in": "query", "required": False, "schema": schema, "description": description}
        )
    return parameters


def _responses(operation: Operation) -> dict[str, Any]:
    schema = {"$ref": REF.format(model=operation.answer.__name__)}
    success: dict[str, Any] = {
        "description": HTTPStatus(operation.status).phrase,
        "content": {"application/json": {"schema": schema}},
    }
    if operation.status == HTTPStatus.CREATED:
        success["headers"] = {"Location": {"schema": {"type": "string"}, "description": "The new resource."}}
    statuses = {*operation.errors, *ALWAYS, *(WITH_BODY if operation.body else ())}
    return {str(operation.status): success} | {str(status): _problem(status) for status in sorted(statuses)}


def _problem(status: int) -> Mapping[str, Any]:
    content = {MEDIA_TYPE: {"schema": {"$ref": REF.format(model="Problem")}}}
    entry: dict[str, Any] = {"description": HTTPStatus(status).phrase, "content": content}
    if status in (429, 503):
        entry["headers"] = {"Retry-After": {"schema": {"type": "string"}, "description": "Seconds to wait."}}
    return entry


def openapi_path(path: str) -> str:
    """A Flask path in OpenAPI's notation: `/vocabularies/<name>` → `/vocabularies/{name}`."""
    return re.sub(r"<(\w+)>", r"{\1}", path)
