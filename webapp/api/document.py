"""The OpenAPI 3.1 document, from the operations and their models: apispec puts together what pydantic describes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from apispec import APISpec
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from webapp.api.operations import Operation
from webapp.api.schemas.requests import VocabularyUpload
from webapp.api.schemas.responses import Problem
from webapp.web.problems import API, MEDIA_TYPE

VERSION = "1.0.0"  # of the API: what /api/v1 promises
REF = "#/components/schemas/{model}"
ALWAYS = (422, 429, 500)  # what every operation may answer
WITH_BODY = (400, 413, 415)

ABOUT = """\
Text in, tokens out, with the same vocabularies and options as the pages.

Bodies are JSON in UTF-8. A field that is not described here is refused. Pieces of a vocabulary that are no whole UTF-8,
as those of byte-level BPE may be, are written `{"bytes": "e4 b8"}`, in hexadecimal; all others as text. Offsets count
code points, as Python's strings do.

What goes wrong is told as problem details (RFC 9457, `application/problem+json`); `errors` names the places in the
request. 422 is for fields that are wrong by themselves, 409 for what does not go together, 503 with `Retry-After` for
a vocabulary that is still being fetched.

No key is needed. Pages of any site may read from here; what stores something is taken from programs and from this
site's own pages.
"""


def document_of(operations: Sequence[Operation]) -> dict[str, Any]:
    """The whole document as plain values."""
    spec = APISpec(
        title="Tokenscope",
        version=VERSION,
        openapi_version="3.1.0",
        info={"description": ABOUT, "license": {"name": "MIT", "identifier": "MIT"}},
        servers=[{"url": API}],
    )
    for name, schema in _schemas(operations).items():
        spec.components.schema(name, schema)
    for operation in operations:
        spec.path(_openapi_path(operation.path), operations={operation.method: _operation(operation)})
    return spec.to_dict()


def _schemas(operations: Sequence[Operation]) -> dict[str, Any]:
    """The schema of every model that takes part, by name."""
    models: dict[type[BaseModel], None] = {Problem: None}
    for operation in operations:
        models |= dict.fromkeys(filter(None, (operation.body, operation.answer)))
    _, found = models_json_schema([(model, "validation") for model in models], ref_template=REF)
    schemas: dict[str, Any] = found["$defs"]
    return schemas


def _operation(operation: Operation) -> dict[str, Any]:
    told: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "parameters": _parameters(operation),
        "responses": _responses(operation),
    }
    if operation.description:
        told["description"] = operation.description
    if operation.body is not None:
        content: dict[str, Any] = {"schema": {"$ref": REF.format(model=operation.body.__name__)}}
        kind = "application/json"
        if operation.body is VocabularyUpload:
            kind = "multipart/form-data"
        else:
            content["example"] = operation.example
        told["requestBody"] = {"required": True, "content": {kind: content}}
    return told


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for name in re.findall(r"<(\w+)>", operation.path):
        schema = {"type": "string", "minLength": 1}
        description = "The name of a vocabulary." if name == "name" else "The id of a snapshot."
        parameter = {"name": name, "in": "path", "required": True, "schema": schema, "description": description}
        if name in operation.example:
            parameter["example"] = operation.example[name]
        found.append(parameter)
    for name, schema in operation.query.model_json_schema().get("properties", {}).items():
        description = schema.pop("description", "")
        found.append({"name": name, "in": "query", "required": False, "schema": schema, "description": description})
    return found


def _responses(operation: Operation) -> dict[str, Any]:
    success: dict[str, Any] = {"description": HTTPStatus(operation.status).phrase}
    if operation.answer is not None:
        schema = {"$ref": REF.format(model=operation.answer.__name__)}
        success["content"] = {"application/json": {"schema": schema}}
    if operation.status == HTTPStatus.CREATED:
        success["headers"] = {"Location": {"schema": {"type": "string"}, "description": "Where it is now."}}
    statuses = {*operation.errors, *ALWAYS, *(WITH_BODY if operation.body else ())}
    return {str(operation.status): success} | {str(status): _problem(status) for status in sorted(statuses)}


def _problem(status: int) -> Mapping[str, Any]:
    content = {MEDIA_TYPE: {"schema": {"$ref": REF.format(model="Problem")}}}
    told: dict[str, Any] = {"description": HTTPStatus(status).phrase, "content": content}
    if status in (429, 503):
        told["headers"] = {"Retry-After": {"schema": {"type": "string"}, "description": "Seconds to wait."}}
    return told


def _openapi_path(path: str) -> str:
    """A path as OpenAPI writes it: `/vocabularies/<name>` → `/vocabularies/{name}`."""
    return re.sub(r"<(\w+)>", r"{\1}", path)
