"""The page `/api`: in both languages, with the examples in a chosen programming language."""

from __future__ import annotations

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient
from markupsafe import Markup

from webapp.api import chinese
from webapp.api.registry import operations
from webapp.api.routes import document
from webapp.api.schemas.requests import MOST_TEXTS
from webapp.api.snippets import CODE_LANGUAGES

CHINESE = re.compile(r"[\u4e00-\u9fff]")


def sentences(app: Flask) -> set[str]:
    """Every sentence of the OpenAPI document that the page may show."""
    with app.test_request_context("/api"):
        spec = document()
    found = {*spec["info"]["description"].strip().split("\n\n")}
    for methods in spec["paths"].values():
        for operation in methods.values():
            found |= {operation["summary"], operation.get("description", "")}
            found |= {parameter["description"] for parameter in operation["parameters"]}
    used = [
        model.__name__
        for operation in operations.all
        for model in (operation.body, operation.answer)
        if model is not None
    ]
    for name in used:
        properties = spec["components"]["schemas"][name].get("properties", {})
        found |= {field.get("description", "") for field in properties.values()}
    return found - {""}


def test_every_sentence_of_the_document_has_a_translation(app: Flask) -> None:
    assert [english for english in sorted(sentences(app)) if chinese.sentence(english) is None] == []


def test_no_translation_is_left_over(app: Flask) -> None:
    used = {chinese.sentence(english) for english in sentences(app)}
    unused = [
        key
        for key, text in chinese.SENTENCES.items()
        if not any(one and one.endswith(text.rpartition("}")[2]) for one in used)
    ]
    assert unused == []
    statuses = {operation.status for operation in operations.all}
    assert statuses <= chinese.STATUSES.keys()


def test_the_chinese_page_has_no_english_sentences(client: FlaskClient) -> None:
    page = client.get("/api?lang=zh").text
    article = page[page.index("<article") : page.index("</article>")]
    without_code = re.sub(r"(?s)<(code|pre)[ >].*?</\1>", "", article)
    for cell in re.findall(r"(?s)<(?:p|td|h[123]|figcaption|dt|dd)[ >].*?</(?:p|td|h[123]|dt|dd)>", without_code):
        text = Markup(cell).striptags()
        words = re.findall(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}", text)
        assert not words, text
    assert 'lang="en"' not in article
    assert f"{MOST_TEXTS:,}" in page


@pytest.mark.parametrize("name", CODE_LANGUAGES)
def test_the_examples_are_in_the_chosen_language(client: FlaskClient, name: str) -> None:
    page = client.get(f"/api?code={name.lower()}&lang=en").text
    shown = re.findall(r'data-language="(\w+)">', page)
    assert shown == [name] * len(operations.all)
    assert page.count('id="tokenize-source"') == 1
    assert f'href="/api?code={name.lower()}#tokenize-code" aria-current=true>{name}</a>' in page


def test_another_language_of_examples_is_the_default(client: FlaskClient) -> None:
    assert client.get("/api?code=cobol").text.count(" aria-current=true>curl</a>") == len(operations.all)


def test_the_contents_link_to_every_operation(client: FlaskClient) -> None:
    page = client.get("/api").text
    contents = page[page.index('<nav class="toc"') : page.index("</nav>", page.index('<nav class="toc"'))]
    links = re.findall(r'href="#(\w+)"', contents)
    assert links == ["about", *(operation.name for operation in operations.all)]
    assert all(page.count(f'id="{link}"') == 1 for link in links)
