"""Builds complete examples that run unchanged: curl in a shell, Python's standard library, JavaScript in a browser."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from webapp.api.operations import Operation
from webapp.api.schemas.requests import VocabularyUpload

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


def _post(address: str, example: Mapping[str, Any]) -> tuple[str, str, str]:
    body = json.dumps(example, ensure_ascii=False)
    return (
        f"curl -s {shlex.quote(address)} \\\n  -H 'Content-Type: application/json' \\\n  -d {shlex.quote(body)}",
        f"""\
import json
from urllib.request import Request, urlopen

body = {_python(example)}
request = Request(
    {address!r},
    json.dumps(body).encode(),
    {{"Content-Type": "application/json"}},
)
with urlopen(request) as answer:
    print(json.load(answer))""",
        f"""\
const answer = await fetch({_quoted(address)}, {{
  method: "POST",
  headers: {{"Content-Type": "application/json"}},
  body: JSON.stringify({body}),
}});
console.log(await answer.json());""",
    )


def _snapshot(address: str, example: Mapping[str, Any]) -> tuple[str, str, str]:
    """Examples that share a result first and then read its snapshot."""
    body = json.dumps(example, ensure_ascii=False)
    sent = f"-H 'Content-Type: application/json' \\\n  -d {shlex.quote(body)}"
    return (
        f"id=$(curl -s {shlex.quote(address)} \\\n  {sent} |\n"
        """  sed 's/.*"id":"\\([^"]*\\)".*/\\1/')\n"""
        f'curl -s "{address}/$id"',
        f"""\
import json
from urllib.request import Request, urlopen

body = {_python(example)}
request = Request(
    {address!r},
    json.dumps(body).encode(),
    {{"Content-Type": "application/json"}},
)
with urlopen(request) as answer:
    id = json.load(answer)["id"]
with urlopen({address + "/"!r} + id) as answer:
    print(json.load(answer))""",
        f"""\
const shared = await fetch({_quoted(address)}, {{
  method: "POST",
  headers: {{"Content-Type": "application/json"}},
  body: JSON.stringify({body}),
}});
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
