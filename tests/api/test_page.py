"""The page `/api`: in both languages, with the examples in a chosen programming language."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient
from markupsafe import Markup

from webapp.api.operations import operations
from webapp.api.page import CODE_LANGUAGES
from webapp.api.schemas.requests import MOST_TEXTS


def test_the_chinese_page_marks_the_sentences_of_the_document_as_english(client: FlaskClient) -> None:
    page = client.get("/api?lang=zh").text
    article = page[page.index("<article") : page.index("</article>")]
    own = re.sub(r"(?s)<(code|pre)[ >].*?</\1>", "", article)
    own = re.sub(r'(?s)<(p|h2|td|span)\b[^>]* lang="en">.*?</\1>', "", own)
    assert not re.findall(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}", Markup(own).striptags())
    assert 'lang="en"' not in client.get("/api?lang=en").text[page.index("<article") :]
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
