"""`/vocabularies/diff`: which pieces two vocabularies share."""

import json
from functools import partial

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.pages.vocabularies.test_vocabularies import rows as rows_of
from tests.site import HTMX, words
from webapp.tools import difference
from webapp.vocabularies import StillFetchingError, find, library

FIRST = b"[PAD]\n[UNK]\n" + "low\nthe\n##ing\n研\n研究\n".encode()
SECOND = b"[UNK]\nlow\nthe\n##ing\n##ed\n"


@pytest.fixture(scope="module")
def names(app: Flask) -> tuple[str, str]:
    with app.app_context():
        return library().store(FIRST).name, library().store(SECOND).name


def get(client: FlaskClient, names: tuple[str, str], query: str = "", **options: dict[str, str]) -> TestResponse:
    return client.get(f"/vocabularies/diff?a={names[0]}&b={names[1]}&lang=en{query}", **options)  # type: ignore[arg-type]


rows = partial(rows_of, table="pieces")


def test_the_order_of_merges_is_compared_where_the_pieces_are_the_same(app: Flask, client: FlaskClient) -> None:
    vocab = {piece: id for id, piece in enumerate(["a", "b", "c", "ab", "bc", "ca"])}
    merges = [["a", "b"], ["b", "c"], ["c", "a"]]

    def stored(merges: list[list[str]]) -> str:
        model = {"type": "BPE", "vocab": vocab, "merges": merges}
        with app.app_context():
            return library().store(json.dumps({"version": "1.0", "added_tokens": [], "model": model}).encode()).name

    first, second = stored(merges), stored(merges[::-1])
    assert "not the order of merges: 2 ranks have another merge" in words(get(client, (first, second)))
    assert get(client, (first, second), "&format=json").get_json()["different_merges"] == 2
    assert get(client, (first, first), "&format=json").get_json()["different_merges"] == 0


def test_four_groups_and_a_search(client: FlaskClient, names: tuple[str, str]) -> None:
    assert rows(get(client, names)) == [["0", "[PAD]"], ["5", "研"], ["6", "研究"]]
    assert rows(get(client, names, "&show=b")) == [["4", "##ed"]]
    moved = get(client, names, "&show=moved")
    assert rows(moved)[:2] == [["1", "[UNK]", "0", "[UNK]"], ["2", "low", "1", "low"]]
    assert "In both, with different ids 4" in words(moved)
    assert rows(get(client, names, "&show=same")) == []
    assert get(client, names, "&page=9").status_code == 404
    whole, part = get(client, names, "&query=研"), get(client, names, "&query=研", headers=HTMX)
    assert rows(whole) == rows(part) == [["5", "研"], ["6", "研究"]]
    assert part.headers["HX-Replace-Url"].startswith(f"/vocabularies/diff?a={names[0]}&b={names[1]}")


def test_json(client: FlaskClient, names: tuple[str, str]) -> None:
    found = get(client, names, "&format=json&show=moved&query=low").json
    assert found is not None
    assert (found["only_a"], found["only_b"], found["different_ids"], found["same_ids"]) == (3, 1, 4, 0)
    assert found["scripts"]["only_a"] == {"Han": 2, "special tokens": 1}
    assert found["lengths"]["both"] == {"3": 3}
    assert found["pieces"] == [{"a": {"id": 2, "piece": "low"}, "b": {"id": 1, "piece": "low"}}]
    many = json.loads(get(client, ("bpe-bytes", "unigram"), "&format=json").data)
    assert len(many["pieces"]) == 1000
    assert many["last_page"] == -(-many["only_a"] // 1000)
    assert client.get("/vocabularies/diff?format=json").status_code == 422


def test_a_vocabulary_that_is_still_being_fetched(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def wait(name: str) -> None:
        entry = find(name)
        assert entry
        raise StillFetchingError(entry, 500_000, 2_000_000)

    monkeypatch.setattr(difference, "tokenizer_of", wait)
    answer = get(client, ("clip", "unigram"))
    assert answer.status_code == 503
    assert '<meta http-equiv="refresh"' in answer.text
    assert "0.5 of 2.0 MB received" in words(answer)
    assert 'hx-trigger="load delay:1s"' in get(client, ("clip", "unigram"), headers=HTMX).text


def test_a_script_limits_the_list(client: FlaskClient) -> None:
    address = "/vocabularies/diff?a=wordpiece&b=unigram&show=a&format=json"
    every, han = client.get(address).json or {}, client.get(f"{address}&script=Han").json or {}
    assert han["found"] == every["scripts"]["only_a"]["Han"] < every["found"]
    assert client.get("/vocabularies/diff?a=wordpiece&b=unigram&script=Klingon").status_code == 422
