"""The page `/api`: documentation of the API, generated from the OpenAPI document, whose sentences are in English."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, current_app, make_response, request
from flask_babel import format_timedelta
from flask_babel import gettext as _
from limits import RateLimitItem, parse_many

from webapp.api.document import document, openapi_path
from webapp.api.operations import OPERATIONS, Operation, VocabularyUpload
from webapp.api.texts import MOST_TEXTS
from webapp.web.htmx import private
from webapp.web.localization import join_list, number
from webapp.web.problems import API
from webapp.web.templates import Page, render


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


blueprint = Blueprint("api_page", __name__)

FieldRow = tuple[str, str, bool, str, str]  # name, type, whether it is required, default, description


@dataclass(frozen=True, kw_only=True)
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


@blueprint.get("/api")
def page() -> Response:
    """Show the documentation of the API."""
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
