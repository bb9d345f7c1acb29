"""`POST /api/v1/measures`: the figures of the page, and refusals that name the part of the request."""

from __future__ import annotations

import pytest
from flask import Flask
from flask.testing import FlaskClient

TEXT = "Unbelievable 研究生命"


def test_measures_are_those_of_the_page(client: FlaskClient) -> None:
    body = {
        "text": TEXT,
        "tokenizers": [{"vocabulary": "wordpiece"}, {"vocabulary": "jieba", "algorithm": "bmm"}, {"vocabulary": "x"}],
        "gold": "研究 生命",
    }
    answer = client.post("/api/v1/measures", json=body)
    assert answer.status_code == 200
    choices = ["wordpiece:wordpiece", "bmm:jieba"]
    page = client.get("/measures.json", query_string={"with": choices, "text": TEXT, "gold": "研究 生命"}).json
    assert answer.json["tokenizers"][:2] == page["tokenizers"]
    assert {name: answer.json[name] for name in ("words", "han_words", "bytes")} == {
        "words": 3,
        "han_words": 2,
        "bytes": 25,
    }
    assert answer.json["tokenizers"][1]["gold"]["f1"] == 1
    assert "There is no vocabulary" in answer.json["tokenizers"][2]["problem"]


@pytest.mark.parametrize("text", ["", "  ", "\0", "a" * 100_000])
def test_any_text_has_measures(client: FlaskClient, text: str) -> None:
    answer = client.post("/api/v1/measures", json={"text": text, "tokenizers": [{"vocabulary": "wordpiece"}]})
    assert answer.status_code == 200
    assert (answer.json["tokenizers"][0]["characters_per_token"] is None) == (not text.strip(" \0"))


@pytest.mark.parametrize(
    ("body", "status", "pointer"),
    [
        ({"text": TEXT, "tokenizers": []}, 422, "#/tokenizers"),
        ({"text": TEXT, "tokenizers": [{"vocabulary": "wordpiece"}] * 7}, 422, "#/tokenizers"),
        ({"text": TEXT, "tokenizers": [{"vocabulary": "wordpiece"}], "gold": "研究生命的起源"}, 409, "#/gold"),
        ({"text": "a" * 1_100_000, "tokenizers": [{"vocabulary": "wordpiece"}]}, 413, "#/text"),
        ({"text": TEXT, "tokenizers": [{"vocabulary": "wordpiece"}], "gold": "a " * 600_000}, 413, "#/gold"),
    ],
)
def test_refusals(client: FlaskClient, app: Flask, body: dict[str, object], status: int, pointer: str) -> None:
    answer = client.post("/api/v1/measures", json=body)
    assert answer.status_code == status
    assert [error["pointer"] for error in answer.json["errors"]] == [pointer]
