"""Uploaded files that are well-known vocabularies are called by the names of those."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.pages.playground.test_uploads import bpe, query_of, upload
from webapp.vocabularies import CatalogueEntry, find, name_of, title_of
from webapp.vocabularies.fetching import fetcher_of
from webapp.vocabularies.wellknown import WELL_KNOWN


@pytest.fixture
def app(storing_app: Flask) -> Flask:
    return storing_app


def test_a_well_known_file_is_called_by_its_name_everywhere(client: FlaskClient, shared: Path) -> None:
    content = (shared / "vocabularies" / "tiktoken" / "cl100k_base.tiktoken").read_bytes()
    title = "GPT-4, GPT-3.5: cl100k_base"
    vocabulary = name_of(content)
    answer = upload(client, content, name="my file.bin")
    assert query_of(answer)["vocabulary"] == vocabulary
    shown = f'value="{vocabulary}"'
    assert title in client.get(answer.location).text.partition(shown)[2][:400]
    assert f"<h1>{title}</h1>" in client.get(f"/vocabularies/{vocabulary}").text
    assert client.get(f"/api/v1/vocabularies/{vocabulary}").get_json()["title"] == title
    row = client.get("/compare", query_string={"text": "low", "row": [f"bpe:{vocabulary}", "bpe:bpe-bytes"]})
    assert "my file" not in row.text


def test_a_file_is_recognized_once_this_site_has_fetched_it(app: Flask, client: FlaskClient) -> None:
    content = bpe().to_str().encode()
    known = WELL_KNOWN["clip"]
    assert find_in(app, name_of(content)) is None
    answer = upload(client, content, name="mine.json")
    assert title_in(app, name_of(content)) != known.title
    fetcher_of(app).disk_cache.put(known, [content])
    assert title_in(app, name_of(content)) == known.title
    assert known.title in client.get(answer.location).text


def find_in(app: Flask, name: str) -> CatalogueEntry | None:
    with app.app_context():
        return find(name)


def title_in(app: Flask, name: str) -> str:
    entry = find_in(app, name)
    assert entry is not None
    with app.test_request_context():
        return title_of(entry)
