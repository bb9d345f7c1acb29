"""`/models`: the list of language models, its search and its export."""

from datetime import date

import pytest
from flask.testing import FlaskClient

from webapp.tokenization import meter


def test_a_search_finds_the_model_and_its_vocabulary(client: FlaskClient) -> None:
    for query in ("gpt-4o", "GPT 4o", "o200k_base"):
        text = client.get("/models", query_string={"q": query}).text
        assert all(part in text for part in ('href="/vocabularies/o200k_base"', "$2.50", "128,000", "model=gpt-4o"))
        assert "Qwen3" not in text
    assert "No model in the list has this name." in client.get("/models?q=zzqx").text
    assert 'value="o200k_base" selected' in client.get("/?text=low&model=gpt-4o").text


def test_models_without_a_public_tokenizer_say_so(client: FlaskClient) -> None:
    text = client.get("/models?q=claude").text
    assert "The tokenizer of Claude Opus 5 is not public, so its tokens cannot be counted here." in text
    assert "Gemma 3" in client.get("/models?q=gemini-2.5").text


def test_old_figures_say_so(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    new = "as of November 12, 2026"
    assert f"{new}<" in client.get("/models?q=gpt-4o").text
    monkeypatch.setattr(meter, "today", lambda: date(2027, 2, 11))
    assert f"{new}, more than 90 days ago; check the source" in client.get("/models?q=gpt-4o").text


def test_vocabularies_are_found_by_models(client: FlaskClient) -> None:
    for model, vocabulary in (("gpt-4o", "o200k_base"), ("BGE-M3", "xlm-roberta")):
        assert f'href="/vocabularies/{vocabulary}"' in client.get(f"/vocabularies?find={model}").text
        assert f'value="{vocabulary}"' in client.get(f"/choices?find={model}").text
