"""The site in a test client, and a parser of its pages."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from html import unescape
from html.parser import HTMLParser
from types import CodeType
from typing import TYPE_CHECKING

import pytest

from webapp import create_app

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

HTMX = {"HX-Request": "true", "HX-Request-Type": "partial", "Accept": "text/html"}


class Page(HTMLParser):
    """The parts of a page that tests check.

    `tokens`: (text, classes, attributes) of each child of a chunk; `ids`: the numbers of the id pane; `problems`: the
    messages that are announced; `errors`: the messages beside fields, by the id of the field; `invalid`: the ids of the
    fields marked invalid; `box`: the content of the text box; `figures`: the number of tokens in the figures; `theme`:
    the theme of the page, None for the system's; `text`: all text of the page.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tokens: list[tuple[str, set[str], dict[str, str | None]]] = []
        self.between: list[str] = []
        self.ids: list[int] = []
        self.problems: list[str] = []
        self.errors: dict[str, str] = {}
        self.invalid: list[str] = []
        self.box: str | None = None
        self.figures: int | None = None
        self.theme: str | None = None
        self.text = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        classes = set((attributes.get("class") or "").split())
        parent = self._open[-1] if self._open else ""
        kind = tag
        if parent == "chunk":
            self.tokens.append(("", classes, attributes))
            kind = "token"
        elif "chunk" in classes:
            kind = "chunk"
        elif "ids" in classes:
            kind = "ids"
        elif attributes.get("role") == "alert" and "hidden" not in attributes:
            self.problems.append("")
            kind = "problem"
        elif "error" in classes and "hidden" not in attributes:
            self._field = (attributes.get("id") or "").removesuffix("-error")
            self.errors[self._field] = ""
            kind = "error"
        elif attributes.get("id") == "text":
            self.box = ""
            kind = "box"
        if attributes.get("id") == "figures":
            self.figures = int(attributes["data-tokens"] or 0)
        if tag == "html":
            self.theme = attributes.get("data-theme")
        if attributes.get("aria-invalid") == "true":
            self.invalid.append(attributes.get("id") or "")
        if tag not in ("meta", "link", "input", "br", "img"):
            self._open.append(kind)

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()

    def handle_data(self, data: str) -> None:
        where = self._open[-1] if self._open else ""
        self.text += data
        if where == "token":
            text, classes, attributes = self.tokens[-1]
            self.tokens[-1] = (text + data, classes, attributes)
        elif where == "chunk":
            self.between.append(data)
        elif where == "ids":
            self.ids += map(int, data.split())
        elif "problem" in self._open:
            self.problems[-1] += data
        elif "error" in self._open:
            self.errors[self._field] += data
        elif where == "box":
            # An HTML parser drops the line end after the tag.
            self.box = (self.box or "") + data

    @property
    def pieces(self) -> list[str]:
        """Return the texts of the tokens."""
        return [text for text, _classes, _attributes in self.tokens]

    @property
    def selected(self) -> list[int]:
        """Return the indexes of the tokens marked as selected."""
        return [index for index, (_, _, attributes) in enumerate(self.tokens) if attributes.get("id") == "selected"]


def words(page: str | TestResponse) -> str:
    """Return the text that a reader sees, with single spaces."""
    html = page if isinstance(page, str) else page.text
    return unescape(" ".join(re.sub(r"<[^>]*>", " ", html).split()))


def rows_of(table: TestResponse) -> list[list[str]]:
    """Return the rows of a CSV file."""
    return list(csv.reader(io.StringIO(table.text.removeprefix("\ufeff"))))


NOWHERE = {"HUB": "http://127.0.0.1:9"}
"""Settings that fetch from a port where nothing listens."""


@pytest.fixture(scope="session", autouse=True)
def _templates_compiled_once() -> Iterator[None]:
    """Let all applications of the tests share what Jinja compiles, which takes 10 ms a template."""
    from jinja2 import Environment

    compiled: dict[tuple[str, str], CodeType] = {}
    compile = Environment.compile

    def compile_once(self: Environment, source: str, name: str | None = None, filename: str | None = None) -> CodeType:
        if filename is None:
            return compile(self, source, name, filename)
        return compiled.get((filename, source)) or compiled.setdefault(
            (filename, source), compile(self, source, name, filename)
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Environment, "compile", compile_once)
        yield


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Flask:
    """Return the site without a network."""
    folder = tmp_path_factory.mktemp("vocabularies")
    return create_app({"TESTING": False, "VOCABULARY_FOLDER": str(folder), **NOWHERE})


@pytest.fixture
def client(app: Flask) -> Iterator[FlaskClient]:
    """Return a client without cookies."""
    with app.test_client() as client:
        yield client


Read = Callable[..., Page]


@pytest.fixture
def show(client: FlaskClient) -> Read:
    """`show(text, algorithm=…, …)` returns the page of an address, which must respond with `status`."""

    def show(text: str | None = None, *, status: int = 200, lang: str = "en", **state: object) -> Page:
        query = {**state, "lang": lang} | ({} if text is None else {"text": text})
        answer = client.get("/", query_string=query)
        assert answer.status_code == status, answer.text
        return Page(answer.text)

    return show
