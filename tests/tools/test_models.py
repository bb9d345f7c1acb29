"""`/models`: the list of language models, its search and its export."""

import re
from datetime import timedelta
from decimal import Decimal

import pytest
from babel.dates import format_date
from flask.testing import FlaskClient

from webapp.tokenization import meter
from webapp.vocabularies.language_models import SHIPPED


def test_a_search_finds_the_model_and_its_vocabulary(client: FlaskClient) -> None:
    for query in ("gpt-4o", "GPT 4o", "o200k_base"):
        text = client.get("/models", query_string={"q": query}).text
        assert all(part in text for part in ('href="/vocabularies/o200k_base"', "$2.50", "128,000", "model=gpt-4o"))
        assert "<code>o200k_base</code>" in text
        assert "Qwen3" not in text
    assert "No model in the list has this name." in client.get("/models?q=zzqx").text
    assert 'value="o200k_base" selected' in client.get("/?text=low&model=gpt-4o").text


def test_models_without_a_public_tokenizer_say_so(client: FlaskClient) -> None:
    text = client.get("/models?q=claude").text
    assert "The tokenizer of Claude Opus 5 is not public, so its tokens cannot be counted here." in text
    text = client.get("/models?q=gemini-2.5").text
    assert 'href="/vocabularies/gemma-3"' in text
    assert "counts its tokens locally with the tokenizer of Gemma 3" in text
    assert "upload the tokenizer file of zai-org/GLM-5 on" in client.get("/models?q=glm-5").text


def test_limits_and_prices_stand_beside_the_window(client: FlaskClient) -> None:
    text = client.get("/models?q=gpt-5.4").text
    for shown in ("1,050,000", "272,000 tokens $5.00", "output</dt><dd>128,000", "cached $0.25", "batches $1.25"):
        assert shown in text
    found = client.get("/models.json?q=gpt-5-mini").get_json()["models"][0]
    assert (found["max_input"], found["max_output"], found["cached_in"]) == (272_000, 128_000, "0.025")


def test_old_figures_say_so(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meter, "today", lambda: SHIPPED.models["gpt-4o"].as_of)
    new = f"as of {format_date(SHIPPED.models['gpt-4o'].as_of, 'long', 'en')}"
    assert f"{new}<" in client.get("/models?q=gpt-4o").text
    monkeypatch.setattr(meter, "today", lambda: SHIPPED.models["gpt-4o"].as_of + timedelta(days=61))
    assert f"{new}, more than 60 days ago; check the source" in client.get("/models?q=gpt-4o").text


def test_vocabularies_are_found_by_models(client: FlaskClient) -> None:
    for model, vocabulary in (("gpt-4o", "o200k_base"), ("BGE-M3", "xlm-roberta")):
        assert f'href="/vocabularies/{vocabulary}"' in client.get(f"/vocabularies?find={model}").text
        assert f'value="{vocabulary}"' in client.get(f"/choices?find={model}").text


def test_models_are_sorted_and_filtered(client: FlaskClient) -> None:
    def names(query: str) -> list[str]:
        return re.findall(r'name="model" value="([^"]+)"', client.get(f"/models?{query}").text)

    def priced(name: str) -> tuple[bool, Decimal]:
        price = SHIPPED.models[name].price_in
        return (price is None, price or Decimal())

    assert names("") == list(SHIPPED.models)
    assert names("sort=price") == sorted(names("sort=price"), key=priced) != names("")
    windows = [SHIPPED.models[name].context or 0 for name in names("sort=window")]
    assert windows == sorted(windows, reverse=True)
    counted = names("counted=1&sort=name&q=openai")
    assert counted
    assert all(SHIPPED.models[name].vocabulary for name in counted)
    assert "claude-opus-5" in names("")
    assert "claude-opus-5" not in names("counted=1")
    assert client.get("/models?sort=shoe").status_code == 422
