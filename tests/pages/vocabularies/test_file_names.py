"""Uploads keep the names of their files in every list and heading, for the visitor who uploaded them alone."""

import io

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.core.small_files import small
from webapp.vocabularies.uploads import hash_of

CONTENT = small("tekken")[0]
NAME = f"upload-{hash_of(CONTENT)[:16]}"
SHOWN = f"mine.json · {NAME.removeprefix('upload-')[:8]}"


@pytest.fixture
def visitor(app: Flask) -> FlaskClient:
    client = app.test_client()
    file = {"vocabulary_file": (io.BytesIO(CONTENT), "mine.json")}
    assert client.post("/vocabularies", data=file).status_code == 303
    return client


@pytest.mark.parametrize(
    "address",
    [
        "/?algorithm=bpe&vocabulary={}&text=low",
        "/compare?text=low&tokenizer=bpe:{}&tokenizer=bpe:gpt2",
        "/vocabularies",
        "/vocabularies/{}",
        pytest.param("/vocabularies/{}/unreachable", marks=pytest.mark.exhaustive),
        "/vocabularies/{}/tokens/105",
        pytest.param("/vocabularies/diff?a=gpt2&b={}", marks=pytest.mark.exhaustive),
        pytest.param("/vocabularies/expand?base={}", marks=pytest.mark.exhaustive),
        pytest.param("/languages?vocabulary={}", marks=pytest.mark.exhaustive),
        pytest.param("/languages?with={}", marks=pytest.mark.exhaustive),
        "/messages?vocabulary={}",
        "/decode?vocabulary={}&ids=105",
        "/split?vocabulary={}&text=low",
        "/pretokens?vocabulary={}&text=low",
        pytest.param("/measures?vocabulary={}&text=low", marks=pytest.mark.exhaustive),
        "/steps/bpe?vocabulary={}&text=low",
    ],
)
def test_the_name_of_the_file_is_shown(visitor: FlaskClient, app: Flask, address: str) -> None:
    page = visitor.get(address.format(NAME), headers={"Accept-Language": "en"}, follow_redirects=True)
    assert (page.status_code, SHOWN in page.text) == (200, True)
    stranger = app.test_client().get(address.format(NAME), follow_redirects=True)
    assert "mine.json" not in stranger.text


def test_what_caches_keep_for_all_visitors_does_not_have_it(visitor: FlaskClient, app: Flask) -> None:
    shared = visitor.post("/share", data={"text": "low", "algorithm": "bpe", "vocabulary": NAME}).location
    for address in (shared, f"/api/v1/vocabularies/{NAME}"):
        for client in (visitor, app.test_client()):
            answer = client.get(address)
            assert (answer.status_code, b"mine.json" in answer.data) == (200, False)
