"""Vocabularies of snapshots: who can read them, and what happens when one cannot be stored or is missing."""

from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.pages.playground.test_uploads import bpe, query_of, small_site, upload
from tests.pages.share.test_share import deletion, kept, link, share
from tests.site import Page
from webapp.sharing.results import ShownResult
from webapp.storage import VocabularyFile, storage_of
from webapp.vocabularies import find, hash_of, library
from webapp.vocabularies.fetching import Fetcher

DICTIONARY = "研究\n研究生\n生命"
MINE = {"algorithm": "fmm", "vocabulary": "own-dictionary", "dictionary": DICTIONARY}


@pytest.fixture
def app(storing_app: Flask) -> Flask:
    """Return the site, once on SQLite and once on PostgreSQL."""
    return storing_app


def id_of(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def kept_name(app: Flask, path: str) -> str:
    """Return the name that the vocabulary of a snapshot would have if it had been uploaded."""
    return f"upload-{kept(app, path).state['vocabulary_hash'][:16]}"


def addresses(name: str) -> list[str]:
    """Return the addresses where an uploaded vocabulary can be read or used."""
    api = f"/api/v1/vocabularies/{name}"
    return [f"/vocabularies/{name}", f"/vocabularies/{name}.json", api, f"{api}/tokens", f"/?text=x&vocabulary={name}"]


@pytest.mark.parametrize("state", [MINE, {"algorithm": "unigram", "vocabulary": "learned-unigram"}])
def test_the_vocabulary_of_a_snapshot_is_private(app: Flask, client: FlaskClient, state: dict[str, str]) -> None:
    shared = share(client, **state)
    path = link(shared)
    name = kept_name(app, path)
    assert client.get(path).status_code == 200
    for address in addresses(name):
        assert client.get(address).status_code == 404, address
    assert name not in client.get("/vocabularies").text
    assert name not in client.get("/api/v1/vocabularies").text
    assert storage_of(app).inventory.uploads()
    client.post(deletion(shared))
    assert storage_of(app).inventory.uploads() == []


def test_a_vocabulary_that_is_also_uploaded_is_public(app: Flask, client: FlaskClient) -> None:
    shared = share(client, **MINE)
    name = kept_name(app, link(shared))
    content = DICTIONARY.encode() + b"\n"
    assert query_of(upload(client, content))["vocabulary"] == name
    assert client.get(f"/vocabularies/{name}").status_code == 200
    client.post(deletion(shared))
    assert client.get(f"/vocabularies/{name}").status_code == 200


def test_a_full_store_refuses_the_vocabulary_of_a_snapshot(app: Flask) -> None:
    with small_site(app, MAX_UPLOADS_BYTES=10) as client:
        answer = share(client, **MINE, text="研究 and all of it")
        assert answer.status_code == 507
        assert "no storage left for vocabularies" in Page(answer.text).problems[0]
        assert 'name="text" value="研究 and all of it"' in answer.text
        assert storage_of(app).inventory.uploads() == []
        assert client.get(link(share(client, algorithm="unigram"))).status_code == 200


def test_an_upload_deleted_before_sharing_is_refused(app: Flask, client: FlaskClient) -> None:
    content = b"low\nlower\n"
    name = query_of(upload(client, content))["vocabulary"]
    with app.app_context():
        assert find(name)
        assert storage_of(app).inventory.remove_upload(hash_of(content)).count == 1
    answer = share(client, algorithm="fmm", vocabulary=name, text="lower &c")
    assert answer.status_code == 422
    assert "its vocabulary cannot be stored: the stored file no longer exists." in Page(answer.text).problems[0]
    assert 'name="text" value="lower &amp;c"' in answer.text
    told = client.post("/api/v1/snapshots", json={"text": "lower", "vocabulary": name})
    assert (told.status_code, told.mimetype) == (409, "application/problem+json")


def test_a_stored_vocabulary_is_not_fetched_from_its_publisher(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = bpe().to_str().encode()
    name = query_of(upload(client, content, text="the lowest"))["vocabulary"]
    was = kept(app, link(share(client, vocabulary=name, text="the lowest")))
    hash = hash_of(content)
    file = VocabularyFile(hash, "huggingface", ("bpe",), 400, content)
    was = replace(was, state={**was.state, "vocabulary": "clip"})
    id = storage_of(app).snapshots.share(was, expires=None, vocabulary=file).id

    def never(*_: object) -> None:
        raise AssertionError("it is fetched")

    monkeypatch.setattr(Fetcher, "start", never)
    page = Page(client.get(f"/s/{id}").text)
    assert page.ids == list(was.ids)
    assert "Today the same text" not in page.text
    assert client.get("/", query_string={"text": "x", "vocabulary": f"stored {hash}"}).status_code == 404


def test_what_ships_today_is_still_read_from_an_older_file(app: Flask, client: FlaskClient) -> None:
    """GPT-2 ships as ranks; results that were shared before have its tokenizer.json."""
    content = bpe().to_str().encode()
    upload(client, content)
    with app.app_context():
        stored = library().stored(hash_of(content), "gpt2")
    assert stored.ids("the lowest") == bpe().encode("the lowest").ids


def test_a_card_of_a_result_deleted_while_drawing_is_not_cached(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = share(client, text="deleted while it is drawn", title="A card")
    ended = id_of(link(shared)), id_of(deletion(shared))
    card = ShownResult.card

    def slow(shown: ShownResult) -> bytes:
        assert storage_of(app).snapshots.delete(*ended)
        return card(shown)

    monkeypatch.setattr(ShownResult, "card", slow)
    address = f"{link(shared)}.png"
    assert client.get(address).status_code == 200
    assert client.get(address).status_code == 410


def test_the_operator_dismisses_reports(app: Flask, client: FlaskClient) -> None:
    path = link(share(client, text="nothing wrong with it"))
    for reason in ("one", "two"):
        client.post(f"{path}/report", data={"reason": reason})
    runner = app.test_cli_runner()
    assert runner.invoke(args=["snapshots", "reports"]).output.count(id_of(path)) == 2
    assert [runner.invoke(args=["snapshots", "dismiss", id_of(path)]).exit_code for _ in range(2)] == [0, 1]
    assert runner.invoke(args=["snapshots", "reports"]).output == ""
    assert client.get(path).status_code == 200
