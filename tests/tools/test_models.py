"""`/models`: the list of language models, its search and its export."""

from __future__ import annotations

from datetime import date

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.site import HTMX
from webapp.tokenization import meter


@pytest.mark.parametrize("query", ["gpt-4o", "GPT 4o", "o200k_base"])
def test_a_search_finds_the_model_and_its_vocabulary(client: FlaskClient, query: str) -> None:
    for headers in ({}, HTMX):
        text = client.get("/models", query_string={"q": query}, headers=headers).text
        assert 'href="/vocabularies/o200k_base"' in text
        assert "$2.50" in text
        assert "128,000" in text
        assert "model=gpt-4o" in text
        assert "ready" in text
        assert "Qwen3" not in text
    assert "<html" in client.get("/models", query_string={"q": query}).text
    assert "<html" not in text


def test_models_without_a_public_tokenizer_say_so(client: FlaskClient) -> None:
    text = client.get("/models?q=claude").text
    assert "The tokenizer of Claude Opus 5 is not public, so its tokens cannot be counted here." in text
    assert "/vocabularies/" not in text.partition('id="found"')[2].partition("</table>")[0]
    assert "Gemma 3" in client.get("/models?q=gemini-2.5").text


def test_old_figures_say_so(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    new = "as of November 12, 2026"
    assert f"{new}<" in client.get("/models?q=gpt-4o").text
    monkeypatch.setattr(meter, "today", lambda: date(2027, 2, 11))
    assert f"{new}, more than 90 days ago; check the source" in client.get("/models?q=gpt-4o").text
    assert "as of April 2, 2024, more than 90 days ago" in client.get("/models?q=bert-base-uncased").text


def test_nothing_found(client: FlaskClient) -> None:
    assert "No model in the list has this name." in client.get("/models?q=zzqx").text


@pytest.mark.parametrize(
    ("query", "vocabulary"),
    [
        ("gpt-4o", "o200k_base"),
        ("qwen3", "qwen3"),
        ("text-embedding-3-small", "cl100k_base"),
        ("BGE-M3", "xlm-roberta"),
    ],
)
def test_vocabularies_are_found_by_models(client: FlaskClient, query: str, vocabulary: str) -> None:
    assert f'href="/vocabularies/{vocabulary}"' in client.get("/vocabularies", query_string={"find": query}).text
    assert f'value="{vocabulary}"' in client.get("/choices", query_string={"find": query}).text


def test_a_model_chooses_its_vocabulary(client: FlaskClient, app: Flask) -> None:
    answer = client.get("/?text=low&model=gpt-4o")
    assert answer.status_code == 200
    assert "GPT-4o: o200k_base" in answer.text
    assert 'value="o200k_base" selected' in answer.text
