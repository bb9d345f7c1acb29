"""`/costs`: one text for several models."""

from decimal import Decimal
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.site import Page
from webapp.vocabularies.language_models import SHIPPED
from webapp.vocabularies.shipped_vocabularies import shipped_encoding

TEXT = "GET /api/v1/count 200 研究生命\n" * 40


def test_each_model_has_its_tokens_its_share_and_its_price(client: FlaskClient) -> None:
    query = {"text": TEXT, "model": ["gpt-5", "gpt-4", "gpt-5-2025-08-07"], "format": "json"}
    rows = client.get("/costs", query_string=query).get_json()["models"]
    assert [row["model"] for row in rows] == ["gpt-5", "gpt-4"]
    for row in rows:
        model = SHIPPED.models[row["model"]]
        assert model.vocabulary is not None
        assert model.price_in is not None
        assert model.price_out is not None
        tokens = len(shipped_encoding(model.vocabulary).ids(TEXT))
        assert (row["tokens"], row["max_input"]) == (tokens, model.most_input)
        assert row["share"] == tokens / row["max_input"]
        assert Decimal(row["price_in"]) == tokens * model.price_in / 1_000_000
        assert Decimal(row["price_out"]) == tokens * model.price_out / 1_000_000
        assert not row["problem"]


def test_models_that_cannot_be_counted_say_why_and_what_to_do(client: FlaskClient) -> None:
    query = {"text": "low", "model": ["claude-opus-5", "glm-5", "phi-4", "gemini-2.5-pro", "gpt-4"], "format": "json"}
    rows = {row["model"]: row for row in client.get("/costs", query_string=query).get_json()["models"]}
    assert "not public" in rows["claude-opus-5"]["problem"]
    assert "upload the tokenizer file of zai-org/GLM-5" in rows["glm-5"]["problem"]
    assert "could not be fetched" in rows["phi-4"]["problem"]
    assert "Gen AI SDK" in rows["gemini-2.5-pro"]["note"]
    assert [row["tokens"] for row in rows.values()] == [None, None, None, None, 1]


def test_a_tokenizer_that_is_not_public_has_a_range_from_its_calibration(client: FlaskClient) -> None:
    text, model = "low lower lowest " * 100, SHIPPED.models["claude-opus-5"]
    tokens = len(shipped_encoding("o200k_base").ids(text))
    names = ["claude-opus-5", "claude-sonnet-4-5", "grok-4.3", "grok-4.7"]

    def rows(text: str) -> dict[str, Any]:
        query = {"text": text, "model": names, "format": "json"}
        return {row["model"]: row for row in client.get("/costs", query_string=query).get_json()["models"]}

    found = rows(text)
    opus = found["claude-opus-5"]["range"]
    assert (opus["low"], opus["high"]) == (tokens * 11 // 10, -(-tokens * 23 // 10))
    assert opus["price_in_high"] == model.exact_cost(opus["high"])
    assert (opus["as_of"], "German 2.24" in opus["measured"]) == ("2026-08-12", True)
    assert found["claude-sonnet-4-5"]["range"]["high"] == -(-tokens * 16 // 10)
    assert found["grok-4.3"]["range"]["high"] == -(-tokens * 11 // 10)
    assert found["grok-4.7"]["range"] is None
    chinese = rows("研究生命起源" * 99)
    assert chinese["claude-opus-5"]["range"]["high"] > chinese["claude-opus-5"]["range"]["low"]
    assert chinese["grok-4.3"]["range"] is None
    assert "Too few texts in a script of this text were measured." in chinese["grok-4.3"]["problem"]
    assert all(row["tokens"] is None for row in found.values())
    page = client.get("/costs", query_string={"text": text, "model": "claude-opus-5", "lang": "en"}).text
    assert page.count(f"<b>{opus['low']:,}–{opus['high']:,}</b>") == 2  # above the table and in it
    assert "August 12, 2026" in page
    assert "github.com/sanderland" in page
    csv = client.get("/costs.csv", query_string={"text": text, "model": "claude-opus-5"}).text.splitlines()[1]
    ends = [opus[f"price_{way}_{end}"] for way in ("in", "out") for end in ("low", "high")]
    assert csv.endswith(",".join(map(str, ("", opus["low"], opus["high"], *ends))))
    assert ends[3] == model.exact_cost(opus["high"], output=True)


def test_the_page_says_what_does_not_fit(client: FlaskClient) -> None:
    text = " low" * 9_000
    page = client.post("/costs", data={"text": text, "model": ["gpt-4", "gpt-5"], "lang": "en"}).text
    assert "808 too many for 8,192" in page
    assert "of 272,000" in page
    assert 'value="gpt-4" checked' in page
    models = client.get("/models?q=gpt-5").text
    assert 'name="model" value="gpt-5" form="costs"' in models


@pytest.mark.parametrize(
    ("fields", "status", "said"),
    [
        ({"model": "gpt4o"}, 404, "There is no model “gpt4o” in the list. Similar: gpt-4o"),
        ({"model": [f"gpt-4o-{n}" for n in range(13)]}, 422, "These are 13 models; choose at most 12."),
        ({"model": ""}, 422, "The list is empty. Choose at least one."),
        ({"model": "gpt-4o", "text": "x" * 1_100_000}, 413, "1,048,576"),
    ],
)
def test_what_is_wrong_is_said_beside_its_field(
    client: FlaskClient, fields: dict[str, Any], status: int, said: str
) -> None:
    answer = client.post("/costs", data={"text": "low", "lang": "en", **fields})
    assert (answer.status_code, said in " ".join(Page(answer.text).problems)) == (status, True)


def test_the_api_has_the_same_and_demands_a_model(client: FlaskClient) -> None:
    body = {"text": TEXT, "model": ["gpt-4o", "claude-opus-5"]}
    found = client.post("/api/v1/costs", json=body).get_json()
    assert found == client.get("/costs", query_string={**body, "format": "json"}).get_json()
    refusal = client.post("/api/v1/costs", json={"text": "a", "model": []})
    assert (refusal.status_code, 'model: The list is empty. Choose at least one."' in refusal.text) == (422, True)
    rows = client.get("/costs.csv", query_string=body).text.splitlines()
    assert len(rows) == 3
