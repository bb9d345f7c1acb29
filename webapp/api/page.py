r"""The page \`/api\`: documentation of the API, generated from the OpenAPI document, whose sentences are in English."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, current_app, make_response, request
from flask_babel import ngettext
from limits import RateLimitItem, parse_many
from markupsafe import Markup, escape

from webapp.api.operations import Operation, operations
from webapp.api.routes import document
from webapp.api.schemas.requests import MOST_TEXTS, VocabularyUpload
from webapp.web.htmx import private
from webapp.web.localization import join_list, number
from webapp.web.problems import API
from webapp.web.templates import Page, render

BOUNDARY = "between-the-parts"
CODE_LANGUAGES = ("curl", "Python", "JavaScript")


@dataclass(frozen=True)
class Snippet:
    """One example: the name of its language, and the code to copy."""

    language: str
    code: str


def snippets_of(operation: Operation, base: str) -> list[Snippet]:
    """The examples for `operation`; `base` is the address of the API."""
    address = base + _filled(operation.path, operation.example)
    makers: tuple[str, str, str]
    if operation.body is VocabularyUpload:
        (name, content), *_ = operation.example.items()
        makers = _upload(address, name, content)
    elif operation.path.startswith("/snapshots/<id>"):
        makers = _snapshot(f"{base}/snapshots", operation.example)
    elif operation.body is not None:
        makers = _post(address, operation.example)
    else:
        makers = _get(address)
    return [Snippet(language, code) for language, code in zip(CODE_LANGUAGES, makers, strict=True)]


def _filled(path: str, example: Mapping[str, Any]) -> str:
    """The path with values for its parameters; the other values of `example` become the query string.

    >>> _filled("/vocabularies/<name>/tokens", {"name": "bpe-bytes", "query": "token"})
    '/vocabularies/bpe-bytes/tokens?query=token'
    """
    names = re.findall(r"<(\w+)>", path)
    filled = re.sub(r"<(\w+)>", lambda match: str(example.get(match[1], match[0])), path)
    rest = {key: value for key, value in example.items() if key not in names}
    return f"{filled}?{urlencode(rest)}" if names and rest else filled


def _get(address: str) -> tuple[str, str, str]:
    return (
        f"curl -s {shlex.quote(address)}",
        f"""\
import json
from urllib.request import urlopen

with urlopen({address!r}) as answer:
    print(json.load(answer))""",
        f"""\
const answer = await fetch({_quoted(address)});
console.log(await answer.json());""",
    )


def _posting(address: str, example: Mapping[str, Any]) -> tuple[str, str, str]:
    """How an example is posted: the arguments of curl, Python up to the request, the call in JavaScript."""
    body = json.dumps(example, ensure_ascii=False)
    return (
        f"{shlex.quote(address)} \\\n  -H 'Content-Type: application/json' \\\n  -d {shlex.quote(body)}",
        f"""\
import json
from urllib.request import Request, urlopen

body = {_python(example)}
request = Request(
    {address!r},
    json.dumps(body).encode(),
    {{"Content-Type": "application/json"}},
)""",
        f"""\
await fetch({_quoted(address)}, {{
  method: "POST",
  headers: {{"Content-Type": "application/json"}},
  body: JSON.stringify({body}),
}})""",
    )


def _post(address: str, example: Mapping[str, Any]) -> tuple[str, str, str]:
    curl, python, javascript = _posting(address, example)
    return (
        f"curl -s {curl}",
        f"""\
{python}
with urlopen(request) as answer:
    print(json.load(answer))""",
        f"""\
const answer = {javascript};
console.log(await answer.json());""",
    )


def _snapshot(address: str, example: Mapping[str, Any]) -> tuple[str, str, str]:
    """Examples that share a result first and then read its snapshot."""
    curl, python, javascript = _posting(address, example)
    return (
        f"id=$(curl -s {curl} |\n"
        """  sed 's/.*"id":"\\([^"]*\\)".*/\\1/')\n"""
        f'curl -s "{address}/$id"',
        f"""\
{python}
with urlopen(request) as answer:
    id = json.load(answer)["id"]
with urlopen({address + "/"!r} + id) as answer:
    print(json.load(answer))""",
        f"""\
const shared = {javascript};
const {{id}} = await shared.json();
const answer = await fetch({_quoted(address + "/")} + id);
console.log(await answer.json());""",
    )


def _upload(address: str, name: str, content: str) -> tuple[str, str, str]:
    head = f'--{BOUNDARY}\\r\\nContent-Disposition: form-data; name="file"; filename="{name}"\\r\\n\\r\\n'
    shown = json.dumps(content, ensure_ascii=False)
    return (
        f"printf {shlex.quote(_escaped(content))} | curl -s {shlex.quote(address)} -F 'file=@-;filename={name}'",
        f"""\
import json
from urllib.request import Request, urlopen

content = {shown}.encode()  # or open("vocab.txt", "rb").read()
body = b'{head}' + content + b'\\r\\n--{BOUNDARY}--\\r\\n'
request = Request(
    {address!r},
    body,
    {{"Content-Type": "multipart/form-data; boundary={BOUNDARY}"}},
)
with urlopen(request) as answer:
    print(json.load(answer))""",
        f"""\
const form = new FormData();
form.append("file", new Blob([{shown}]), "{name}");
const answer = await fetch({_quoted(address)}, {{method: "POST", body: form}});
console.log(await answer.json());""",
    )


def _escaped(content: str) -> str:
    """The text for printf, with line feeds written as `\\n`."""
    return content.replace("\n", "\\n")


def _quoted(text: str) -> str:
    return json.dumps(text)


def _python(example: Mapping[str, Any]) -> str:
    """The dictionary in Python's syntax, with double quotes.

    >>> _python({"text": "a", "special": True})
    '{"text": "a", "special": True}'
    """
    written = []
    for key, value in example.items():
        shown = repr(value) if value is None or isinstance(value, bool) else json.dumps(value, ensure_ascii=False)
        written.append(f"{json.dumps(key)}: {shown}")
    return f"{{{', '.join(written)}}}"


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
