"""The language is private to each visitor: no cache hands it, or the cookie that stores it, to another visitor."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

CHINESE = {"Accept-Language": "zh-CN"}


@pytest.fixture
def snapshot(client: FlaskClient) -> str:
    """Return the path of a stored result."""
    return client.post("/share", data={"text": "in two languages", "algorithm": "bpe"}).headers["Location"]


def test_the_json_of_a_vocabulary_is_private(client: FlaskClient) -> None:
    path = "/vocabularies/bpe-bytes.json"
    english, chinese = client.get(path), client.get(path, headers=CHINESE)
    assert english.get_json()["title"] != chinese.get_json()["title"]
    for answer in (english, chinese):
        assert answer.headers["Cache-Control"] == "private, no-cache"
        assert {"Accept-Language", "Cookie"} <= set(answer.vary)
    again = {"If-None-Match": chinese.headers["ETag"]}
    assert client.get(path, headers=CHINESE | again).status_code == 304
    assert client.get(path, headers=again).status_code == 200


@pytest.mark.parametrize("ending", ["", ".png", ".json", "/tokens.svg", "/embed"])
def test_publicly_cacheable_responses_set_no_cookie(client: FlaskClient, snapshot: str, ending: str) -> None:
    answer = client.get(f"{snapshot}{ending}?lang=zh")
    assert answer.status_code == 200
    assert not (answer.cache_control.public and "Set-Cookie" in answer.headers)
    assert ("Set-Cookie" in answer.headers) == (answer.mimetype == "text/html")
    plain = client.get(f"{snapshot}{ending}")
    assert plain.cache_control.public
    assert "Set-Cookie" not in plain.headers


@pytest.mark.parametrize("path", ["/api/v1/vocabularies", "/api/v1/openapi.json", "/static/app.css"])
def test_api_and_static_files_have_no_language(client: FlaskClient, path: str) -> None:
    with client.get(path, query_string="lang=zh") as answer:
        assert "Set-Cookie" not in answer.headers
        assert "Accept-Language" not in answer.vary


def test_a_language_chosen_on_a_stored_result_is_remembered(client: FlaskClient, snapshot: str) -> None:
    assert client.get(f"{snapshot}?lang=zh").headers["Cache-Control"] == "no-cache, private"
    assert '<html lang="zh-Hans">' in client.get("/").text
