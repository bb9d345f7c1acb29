"""Language models in the API: the list, counting by a model, and tokens around and added to a text."""

import io
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.api.conftest import Ask, problem_of
from webapp.vocabularies.language_models import SHIPPED
from webapp.vocabularies.shipped_vocabularies import shipped_tokenizer


@pytest.fixture
def gpt4(client: FlaskClient, shared: Path) -> str:
    """The name of GPT-4's vocabulary, uploaded."""
    content = (shared / "vocabularies" / "tiktoken" / "cl100k_base.tiktoken").read_bytes()
    answer = client.post("/api/v1/vocabularies", data={"file": (io.BytesIO(content), "cl100k_base.tiktoken")})
    name: str = answer.get_json()["name"]
    return name


def test_the_list_is_searched(client: FlaskClient) -> None:
    assert len(client.get("/api/v1/models").get_json()["models"]) == len(SHIPPED.models)
    found = client.get("/api/v1/models?query=gpt-4o").get_json()["models"]
    assert found[0] == {
        "id": "gpt-4o", "title": "GPT-4o", "publisher": "OpenAI", "vocabulary": "o200k_base", "public": True,
        "context": 128_000, "price_in": "2.5", "price_out": "10.0", "price_up_to": None, "ends": None, "note": None,
        "source": "https://developers.openai.com/api/docs/pricing", "via": "litellm 1.109.1", "as_of": "2026-11-12",
        "also": ["gpt-4o-2024-08-06", "gpt-4o-2024-11-20"],
    }  # fmt: skip
    assert client.get("/api/v1/models?query=zzqx").get_json() == {"models": []}
    problem_of(client.get("/api/v1/models", query_string={"query": "x" * 101}), 422)
    problem_of(client.get("/api/v1/models?q=gpt"), 422)


def test_a_count_with_a_model_has_its_price(post: Ask, gpt4: str) -> None:
    text = "research 研究 " * 1_000
    counted = post("count", text=text, vocabulary=gpt4, model="gpt-4")
    tokens = counted["tokens"]
    assert tokens == post("count", text=text, vocabulary=gpt4)["tokens"]
    meter = counted["meter"]
    assert (meter["model"], meter["tokens"], meter["context"]) == ("gpt-4", tokens, 8_192)
    assert meter["price_in"] == f"{tokens * 30}"[:-6].rjust(1, "0") + f".{tokens * 30 % 1_000_000:06}".rstrip("0")
    several = post("count", texts=[text, text], vocabulary=gpt4, model="gpt-4")
    assert several["meter"]["tokens"] == 2 * tokens
    assert "meter" not in post("count", text=text, vocabulary=gpt4)
    assert post("tokenize", text="low", vocabulary=gpt4, model="gpt-4", want=["ids"]) == {"ids": [10516]}


@pytest.mark.parametrize(
    ("body", "status", "pointer", "sentence"),
    [
        ({"model": "gpt4o"}, 404, "#/model", "There is no model “gpt4o” in the list. Similar: gpt-4o"),
        ({"model": "zzqx"}, 404, "#/model", "There is no model “zzqx” in the list."),
        ({"model": "claude-opus-5"}, 409, "#/model", "The tokenizer of Claude Opus 5 is not public"),
        ({"model": "gpt-4o", "vocabulary": "wordpiece"}, 409, "#/model", "uses o200k_base, not wordpiece"),
        ({"prefix": ["[gMASK]"]}, 409, "#/prefix/0", "The vocabulary has no token '[gMASK]'"),
        ({"suffix": ["#1", "#999999"]}, 409, "#/suffix/1", "The vocabulary has no token '#999999'"),
        ({"added": ["x"], "algorithm": "fmm"}, 409, "#/added", "Tokens cannot be added for fmm"),
        ({"prefix": ["a"] * 21}, 422, "#/prefix", ""),
        ({"added": ["x" * 65]}, 422, "#/added/0", ""),
        ({"added": ["x", " "]}, 409, "#/added/1", "it is empty, or it has a line end"),
        ({"added": ["a\nb"]}, 409, "#/added/0", "it is empty, or it has a line end"),
        ({"prefix": ["#1", "a b"]}, 409, "#/prefix/1", "The name 'a b' has white space"),
        ({"suffix": ["\x85"]}, 409, "#/suffix/0", "has white space"),
        ({"added": ["x"] * 101}, 422, "#/added", ""),
        ({"model": ""}, 422, "#/model", ""),
    ],
)
@pytest.mark.parametrize("path", ["tokenize", "count"])
def test_refusals(
    client: FlaskClient, path: str, body: dict[str, object], status: int, pointer: str, sentence: str
) -> None:
    told = problem_of(client.post(f"/api/v1/{path}", json={"text": "a", **body}), status)
    assert sentence in told["detail"]
    assert pointer in [place["pointer"] for place in told["errors"]]


def test_a_model_whose_vocabulary_is_not_here(client: FlaskClient) -> None:
    problem_of(client.post("/api/v1/count", json={"text": "a", "model": "qwen3"}), 503)
    counted = client.post("/api/v1/count", json={"text": "a", "model": "gpt-4o"}).get_json()
    assert (counted["tokens"], counted["meter"]["context"]) == (1, 128_000)


def test_tokens_around_and_added(post: Ask) -> None:
    tokenizer = shipped_tokenizer("bpe-bytes")
    size = len(tokenizer.model.pieces)
    first = max([size, *(token.id + 1 for token in tokenizer.added_tokens)])
    choice = {
        "vocabulary": "bpe-bytes",
        "prefix": ["[gMASK]", "\\n", "#7"],
        "suffix": ["sop"],
        "added": ["[gMASK]", "sop"],
    }
    answer = post("tokenize", text="low sop", want=["ids", "pieces", "offsets"], **choice)
    newline = tokenizer.ids("\n")[-1]
    assert answer["ids"] == [first, newline, 7, *tokenizer.ids("low "), first + 1, first + 1]
    assert answer["pieces"][0] == "[gMASK]"
    assert answer["offsets"][:3] == [[0, 0]] * 3
    assert post("count", text="low sop", **choice)["tokens"] == len(answer["ids"])
    decoded = post("decode", ids=[first, first + 1], vocabulary="bpe-bytes", added=["[gMASK]", "sop"])
    assert decoded["text"] == "[gMASK]sop"
