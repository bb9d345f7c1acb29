"""The OpenAPI 3.1 document, built from the operations, and the page `/api` made from it."""

import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from http import HTTPStatus
from typing import Any, Literal
from urllib.parse import urlencode

from flask import Blueprint, Response, current_app, make_response, request
from flask_babel import format_timedelta
from flask_babel import gettext as _
from limits import RateLimitItem, parse_many
from pydantic import Field, TypeAdapter

from webapp.api.operations import OPERATIONS, Operation, VocabularyUpload, blueprint
from webapp.api.texts import MOST_TEXTS
from webapp.core.algorithms import ALGORITHMS
from webapp.tools.inputs import AnswerModel
from webapp.web.htmx import private
from webapp.web.json_responses import cached_for, json_response
from webapp.web.localization import join_list, number
from webapp.web.problems import API, MEDIA_TYPE
from webapp.web.templates import Page, render

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


def curl_of(operation: Operation, base: str) -> str:
    """The command that asks for the example of an operation; `base` is the address of the API."""
    if operation.body is VocabularyUpload:
        name, content = next(iter(operation.example.items()))
        file = shlex.quote(content.replace("\n", "\\n"))  # for printf
        return f"printf {file} | curl -s {shlex.quote(base + operation.path)} -F 'file=@-;filename={name}'"
    if operation.path.startswith("/snapshots/<id>"):  # shares a result first
        posted = _posted(f"{base}/snapshots", operation.example)
        return f'id=$({posted} |\n  sed \'s/.*"id":"\\([^"]*\\)".*/\\1/\')\ncurl -s "{base}/snapshots/$id"'
    if operation.body is not None:
        return _posted(base + operation.path, operation.example)
    return f"curl -s {shlex.quote(base + _filled(operation.path, operation.example))}"


def _posted(address: str, example: Mapping[str, Any]) -> str:
    body = shlex.quote(json.dumps(example, ensure_ascii=False))
    return f"curl -s {shlex.quote(address)} \\\n  -H 'Content-Type: application/json' \\\n  -d {body}"


def _filled(path: str, example: Mapping[str, Any]) -> str:
    """The path with values for its parameters; the other values of `example` become the query string.

    >>> _filled("/vocabularies/<name>/tokens", {"name": "bpe-bytes", "query": "token"})
    '/vocabularies/bpe-bytes/tokens?query=token'
    """
    names = re.findall(r"<(\w+)>", path)
    filled = re.sub(r"<(\w+)>", lambda match: str(example.get(match[1], match[0])), path)
    rest = {key: value for key, value in example.items() if key not in names}
    return f"{filled}?{urlencode(rest)}" if names and rest else filled


page = Blueprint("api_page", __name__)

FieldRow = tuple[str, str, bool, str, str]  # name, type, whether it is required, default, description


class ApiPage(Page):
    """The context of the API page."""

    template = "api/page.html"

    about: Sequence[str]  # paragraphs
    operations: Sequence[tuple[Operation, Mapping[str, Any]]]  # each with its entry in the document
    fields: Callable[[Mapping[str, Any]], Sequence[FieldRow]]  # of the first schema of a content
    curl: Callable[[Operation, str], str]
    base: str  # the address that all others begin with
    text_limit: int  # bytes
    most_texts: int  # of a batch
    reading: str  # the rate limit for all requests, in words
    storing: str  # the rate limit for requests that store something, in words
    work: str  # the rate limit for long requests, in words, of seconds


@page.get("/api")
def documentation() -> Response:
    """The documentation of the API."""
    base = request.host_url.rstrip("/") + API
    spec = document()
    context = ApiPage(
        about=spec["info"]["description"].strip().split("\n\n"),
        operations=[
            (operation, spec["paths"][openapi_path(operation.path)][operation.method]) for operation in OPERATIONS
        ],
        fields=partial(_fields, spec),
        curl=curl_of,
        base=base,
        text_limit=current_app.config["MAX_TEXT_BYTES"],
        most_texts=MOST_TEXTS,
        reading=rate_in_words(current_app.config["RATE_READING"]),
        storing=rate_in_words(current_app.config["RATE_STORING"]),
        work=rate_in_words(current_app.config["RATE_WORK"]),
    )
    return private(make_response(render(context)))


def rate_in_words(rates: str) -> str:
    """The limits of a setting in the visitor's language: `20 per minute` → `20 in 1 minute`."""
    return join_list(map(_limit_in_words, parse_many(rates))) if rates else ""


def _limit_in_words(limit: RateLimitItem) -> str:
    time = format_timedelta(limit.get_expiry(), threshold=1)
    return _("%(count)s in %(time)s", count=number(limit.amount), time=time)


def _fields(spec: Mapping[str, Any], entry: Mapping[str, Any]) -> list[FieldRow]:
    """The parameters of an operation, or the properties of the body of a request or a response."""
    found = [(one["name"], one["schema"], one["required"], one) for one in entry.get("parameters", ())]
    for content in entry.get("content", {}).values():
        schema = content["schema"]
        model = spec["components"]["schemas"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
        required = model.get("required", ())
        found += [(name, each, name in required, each) for name, each in model.get("properties", {}).items()]
    return [
        (name, _kind(schema), required, "" if required else _default(schema), described.get("description", ""))
        for name, schema, required, described in found
    ]


def _kind(schema: Mapping[str, Any]) -> str:
    """The type of a schema, as the page shows it.

    >>> _kind({"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]})
    'list of integer, null'
    >>> _kind({"enum": ["fmm", "bmm"], "type": "string"}), _kind({"$ref": "#/components/schemas/Counts"})
    ('fmm | bmm', 'Counts')
    """
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return ", ".join(dict.fromkeys(map(_kind, schema["anyOf"])))
    if schema.get("type") == "array":
        return f"list of {_kind(schema['items'])}"
    return str(schema.get("type", "file" if "contentMediaType" in schema else ""))


def _default(schema: Mapping[str, Any]) -> str:
    value = schema.get("default")
    if value in (None, "", []):
        return ""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value).lower()
