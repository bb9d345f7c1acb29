"""`POST /api/v1/evaluate`: the figures of the page, and refusals that name the part of the request."""

from __future__ import annotations

import pytest
from flask import Flask
from flask.testing import FlaskClient

GOLD = "研究 生命 的 起源\n"
FMM = [{"algorithm": "fmm", "vocabulary": "jieba"}]


def test_methods_and_outputs(client: FlaskClient) -> None:
    body = {
        "gold": GOLD,
        "methods": [{"algorithm": "fmm"}, {"algorithm": "bmm", "vocabulary": "nothing"}],
        "outputs": [{"name": "mine", "text": GOLD}, {"text": "研究生 命 的 起源"}],
        "training_words": "研究\n生命\n的",
        "max_errors": 0,
    }
    answer = client.post("/api/v1/evaluate", json=body)
    assert answer.status_code == 200
    found = answer.json
    assert (found["lines"], found["words"], found["training_words"]) == (1, 4, 3)
    fmm, bmm, mine, other = found["methods"]
    assert fmm["figures"]["f1"] == other["figures"]["f1"] == 0.5
    assert fmm["errors"] == []
    assert fmm["error_count"] == 1
    assert fmm["confusions"] == [{"gold": ["研究", "生命"], "output": ["研究生", "命"], "kind": "overlap", "count": 1}]
    assert "There is no vocabulary" in bmm["problem"]
    assert (mine["name"], mine["figures"]["oov_recall"], mine["known_from"]) == ("mine", 1.0, "training_words")
    assert other["name"] == "output 2"


def test_limits(client: FlaskClient, app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(app.config, "MAX_GOLD_BYTES", 30)
    for body in (
        {"gold": GOLD * 2, "methods": FMM},
        {"gold": GOLD, "methods": FMM, "training_words": "词" * 20},
        {"gold": GOLD, "outputs": [{"text": "词" * 30}]},
    ):
        assert client.post("/api/v1/evaluate", json=body).status_code == 413
