"""The two vocabularies that are trained on the translations, plain and for parity."""

from __future__ import annotations

from flask.testing import FlaskClient

BOTH = {"with": ["passages-bpe", "passages-parity"], "lang": "en"}


def test_parity_makes_languages_alike(client: FlaskClient) -> None:
    passages = client.get("/languages", query_string=BOTH | {"format": "json"}).get_json()["passages"]
    articles = [passage for passage in passages if passage["language"] != "code"]
    highest = {name: max(article["values"][name] for article in articles) for name in BOTH["with"]}
    total = {name: sum(article["tokens"][name] for article in articles) for name in BOTH["with"]}
    assert highest["passages-bpe"] > 2.5
    assert highest["passages-parity"] < 1.2
    assert 1.1 < total["passages-parity"] / total["passages-bpe"] < 1.2


def test_the_page_offers_both(client: FlaskClient) -> None:
    page = client.get("/languages?lang=en").text
    assert 'value="passages-parity"' in page
    assert "Compare plain and parity-aware training" in page
    chosen = client.get("/languages", query_string=BOTH | {"sort": "passages-parity"}).text
    assert 'value="passages-parity" checked' in chosen
    assert "Parity-aware BPE trained on these translations" in chosen
    for kind in ("svg", "csv"):
        assert client.get("/languages", query_string=BOTH | {"format": kind}).status_code == 200
