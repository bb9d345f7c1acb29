"""The page `/api`: documentation of the API, generated from the OpenAPI document, whose sentences are in English."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, current_app, make_response, request
from flask_babel import ngettext
from limits import RateLimitItem, parse_many
from markupsafe import Markup, escape

from webapp.api.operations import Operation
from webapp.api.registry import operations
from webapp.api.routes import document
from webapp.api.schemas.requests import MOST_TEXTS
from webapp.api.snippets import CODE_LANGUAGES, Snippet, snippets_of
from webapp.web.htmx import private
from webapp.web.localization import join_list, number
from webapp.web.problems import API
from webapp.web.templates import Page, render

blueprint = Blueprint("api_page", __name__)


@dataclass(frozen=True)
class Field:
    """A field of a request body, a parameter of an address or a key of a response."""

    name: str
    kind: str
    required: bool
    default: str
    description: str


@dataclass(frozen=True)
class Section:
    """The section of the page about one operation."""

    id: str
    method: str
    path: str
    summary: str
    description: str
    fields: Sequence[Field]
    answer: Sequence[Field]
    statuses: Sequence[tuple[str, str]]  # numbers and phrases
    snippets: Sequence[Snippet]


@dataclass(frozen=True, kw_only=True)
class ApiPage(Page):
    """The context of the API page."""

    template = "api/page.html"

    about: Sequence[str]  # paragraphs
    sections: Sequence[Section]
    code: str  # the language of the examples that is selected
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
        sections=[_section(spec, operation, base) for operation in operations.all],
        code=next((name for name in CODE_LANGUAGES if name.lower() == request.args.get("code")), CODE_LANGUAGES[0]),
        base=base,
        text_limit=current_app.config["MAX_TEXT_BYTES"],
        most_texts=MOST_TEXTS,
        reading=rate_in_words(current_app.config["RATE_READING"]),
        storing=rate_in_words(current_app.config["RATE_STORING"]),
        work=rate_in_words(current_app.config["RATE_WORK"]),
    )
    return private(make_response(render(context)))


def rate_in_words(rates: str) -> str:
    """The limits of a setting in the visitor's language: `20 per minute, 200 per hour` → `20 a minute, 200 an hour`."""
    return join_list(map(_limit_in_words, parse_many(rates))) if rates else ""


def _limit_in_words(limit: RateLimitItem) -> str:
    count, several = number(limit.amount), limit.multiples
    match limit.GRANULARITY.name:
        case "second":
            return ngettext("%(count)s a second", "%(count)s in %(num)s seconds", several, count=count)
        case "minute":
            return ngettext("%(count)s a minute", "%(count)s in %(num)s minutes", several, count=count)
        case "hour":
            return ngettext("%(count)s an hour", "%(count)s in %(num)s hours", several, count=count)
        case "day":
            return ngettext("%(count)s a day", "%(count)s in %(num)s days", several, count=count)
        case "month":
            return ngettext("%(count)s a month", "%(count)s in %(num)s months", several, count=count)
    return ngettext("%(count)s a year", "%(count)s in %(num)s years", several, count=count)


@blueprint.app_template_filter()
def with_code(text: str) -> Markup:
    """A sentence of the document as HTML; text between backticks becomes `<code>`.

    >>> with_code("one of `ids`, `<b>`")
    Markup('one of <code>ids</code>, <code>&lt;b&gt;</code>')
    """
    return Markup(re.sub("`([^`]*)`", r"<code>\1</code>", str(escape(text))))


def _section(spec: Mapping[str, Any], operation: Operation, base: str) -> Section:
    path = operation.path.replace("<", "{").replace(">", "}")
    entry = spec["paths"][path][operation.method]
    fields = [
        _field(one["name"], one["schema"], one["required"], one.get("description", "")) for one in entry["parameters"]
    ]
    for content in entry.get("requestBody", {}).get("content", {}).values():
        fields += _fields(spec, content["schema"])
    answer: list[Field] = []
    for content in entry["responses"][str(operation.status)].get("content", {}).values():
        answer += _fields(spec, content["schema"])
    return Section(
        id=operation.name,
        method=operation.method.upper(),
        path=path,
        summary=entry["summary"],
        description=entry.get("description", ""),
        fields=fields,
        answer=answer,
        statuses=[(status, response["description"]) for status, response in entry["responses"].items()],
        snippets=snippets_of(operation, base),
    )


def _fields(spec: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[Field]:
    model = _resolved(spec, schema)
    required = model.get("required", ())
    for name, field in model.get("properties", {}).items():
        yield _field(name, field, name in required, field.get("description", ""))


def _field(name: str, schema: Mapping[str, Any], required: bool, description: str) -> Field:
    default = "" if required else _default(schema)
    return Field(name, _kind(schema), required, default, description)


def _resolved(spec: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" not in schema:
        return schema
    model: Mapping[str, Any] = spec["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return model


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
