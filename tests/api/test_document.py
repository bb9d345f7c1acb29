"""The OpenAPI document and the page made from it describe every operation."""

import re
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from markupsafe import Markup

from webapp.api.operations import OPERATIONS
from webapp.api.texts import MOST_TEXTS


@pytest.fixture(scope="session")
def document(app: Flask) -> Any:
    return app.test_client().get("/api/v1/openapi.json").get_json()


def test_every_address_is_in_the_document(app: Flask, document: Any) -> None:
    served = {
        (re.sub(r"<(\w+)>", r"{\1}", rule.rule.removeprefix("/api/v1")), method.lower())
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule.startswith("/api/v1/")
    }
    told = {(path, method) for path, methods in document["paths"].items() for method in methods}
    assert served - told == {("/openapi.json", "get")}
    assert told <= served


def test_the_chinese_page_marks_the_sentences_of_the_document_as_english(client: FlaskClient) -> None:
    page = client.get("/api?lang=zh").text
    article = page[page.index("<article") : page.index("</article>")]
    own = re.sub(r"(?s)<(code|pre)[ >].*?</\1>", "", article)
    own = re.sub(r'(?s)<(p|h2|td|span)\b[^>]* lang="en">.*?</\1>', "", own)
    assert not re.findall(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}", Markup(own).striptags())
    assert 'lang="en"' not in client.get("/api?lang=en").text[page.index("<article") :]
    assert f"{MOST_TEXTS:,}" in page


def test_the_contents_link_to_every_operation(client: FlaskClient) -> None:
    page = client.get("/api").text
    contents = page[page.index('<nav class="toc"') : page.index("</nav>", page.index('<nav class="toc"'))]
    links = re.findall(r'href="#(\w+)"', contents)
    assert links == ["about", *(operation.name for operation in OPERATIONS)]
    assert all(page.count(f'id="{link}"') == 1 for link in links)
