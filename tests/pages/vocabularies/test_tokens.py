"""The pages of single tokens, of unreachable tokens, and of the byte alphabet."""

import json
import re
from dataclasses import replace
from html import unescape

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.site import HTMX, rows_of, words
from webapp.core.formats.recognize import save
from webapp.core.models.bpe import BPE
from webapp.core.recipes import BYTE_BPE
from webapp.core.text.utf8 import bytes_to_characters
from webapp.vocabularies import library, shipped_tokenizer, surveys

BYTES = [bytes([byte]) for byte in range(256)]


def links(answer: TestResponse) -> set[str]:
    return set(map(unescape, re.findall('href="([^"]*)"', answer.text)))


def upload(app: Flask, content: bytes) -> str:
    with app.app_context():
        return library().store(content).name


def hello(app: Flask) -> str:
    """A byte-level vocabulary with `hello` and ` hello`."""
    pieces = [*BYTES, b"he", b"hell", b"ll", b"hello", b" hello", b"Hello"]
    number = {piece: id for id, piece in enumerate(pieces)}
    merges = [(b"h", b"e"), (b"l", b"l"), (b"he", b"ll"), (b"hell", b"o"), (b" ", b"hello"), (b"H", b"ello")]
    pairs = [(number[left], number[right]) for left, right in merges[:-1]]
    model = BPE(pieces, pairs, byte_level=True)
    return upload(app, save(BYTE_BPE.tokenizer(model, {"<|im_start|>": len(pieces)})))


# --- one token


@pytest.mark.parametrize("name", ["wordpiece", "unigram", "bpe-bytes", "bpe-characters", "jieba", "ngram"])
def test_every_kind_of_vocabulary_has_token_pages(client: FlaskClient, name: str) -> None:
    for id in (0, 300, 31_999):
        answer = client.get(f"/vocabularies/{name}/tokens/{id}?lang=zh")
        assert answer.status_code == 200
        assert client.get(f"/vocabularies/{name}/tokens/{id}.json").get_json()["id"] == id


def test_a_token_and_its_form_with_a_space_lead_to_each_other(app: Flask, client: FlaskClient) -> None:
    name = hello(app)
    page = client.get(f"/vocabularies/{name}/tokens/260")
    assert "Ġ Stands for the byte 20, a space, in GPT-2’s byte alphabet." in words(page)
    assert {f"/vocabularies/{name}/tokens/259", "/bytes"} <= links(page)
    assert f"/vocabularies/{name}/tokens/260" in links(client.get(f"/vocabularies/{name}/tokens/259"))


def test_json_has_what_the_page_has(app: Flask, client: FlaskClient) -> None:
    name = hello(app)
    details = client.get(f"/vocabularies/{name}/tokens/260.json").get_json()
    assert details["spelling"] == "Ġhello"
    assert details["bytes"] == b" hello".hex(" ")
    assert details["characters"][0] == {"code_point": "U+0020", "name": "SPACE"}
    assert details["merged_from"] == [32, 259]
    assert details["reach"]["state"] == "alone"
    assert {"text": "hello", "id": 259} in details["forms"]
    assert details["neighbours"] == [255, 256, 257, 258, 259, 261, 262]
    assert client.get(f"/api/v1/vocabularies/{name}/tokens/260").get_json() == details
    assert client.get(f"/vocabularies/{name}/tokens/262.json").get_json()["reach"]["state"] == "special"
    alone = client.get(f"/vocabularies/{name}/tokens/261.json").get_json()["reach"]
    assert (alone["state"], alone["reason"], alone["proved"]) == ("unreachable", "merges", True)


def test_the_same_text_in_other_vocabularies(app: Flask, client: FlaskClient) -> None:
    id = shipped_tokenizer("wordpiece").model.id_of("the")
    page = client.get(f"/vocabularies/wordpiece/tokens/{id}")
    tokenizer = shipped_tokenizer("unigram")
    assert f"/vocabularies/unigram/tokens/{tokenizer.model.id_of('▁the')}" in links(page)
    assert f"/vocabularies/bpe-bytes/tokens/{shipped_tokenizer('bpe-bytes').model.id_of(b' the')}" in links(page)
    name = upload(app, b"[UNK]\nthe\n")
    client.set_cookie("uploads", f"{name}:vocab.txt")
    assert f"/vocabularies/{name}/tokens/1" in links(client.get(f"/vocabularies/wordpiece/tokens/{id}"))


@pytest.mark.parametrize("id", ["32000", "-1", "1e3", "９", "9" * 400, "01x", "%00", "%F0%9F%98%80"])
def test_unknown_ids(client: FlaskClient, id: str) -> None:
    answer = client.get(f"/vocabularies/wordpiece/tokens/{id}")
    assert answer.status_code == 404
    assert "the ids go from 0 to 31,999" in words(answer)
    assert client.get(f"/vocabularies/wordpiece/tokens/{id}.json").status_code == 404
    assert client.get(f"/api/v1/vocabularies/wordpiece/tokens/{id}").status_code == 404


# --- unreachable tokens


def test_the_list_says_how_far_it_is_and_then_lists(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = hello(app)
    with monkeypatch.context() as patch:
        patch.setattr(surveys, "SECONDS", 0.0)
        first = client.get(f"/vocabularies/{name}/unreachable")
        assert first.status_code == 202
        assert "100 of 263 tokens are tried." in words(first)
        assert 'http-equiv="refresh"' in first.text
        assert "tokens are given by no tried text" not in words(client.get(f"/vocabularies/{name}"))
        by_api = client.get("/api/v1/vocabularies/unigram/unreachable")
        assert (by_api.get_json()["status"], by_api.get_json()["done"]) == ("computing", 0.003)
        assert by_api.headers["Retry-After"]
        assert client.get("/vocabularies/unigram/unreachable.json").status_code == 503
        assert "200 of 263 tokens are tried." in words(client.get(f"/vocabularies/{name}/unreachable"))
    part = client.get(f"/vocabularies/{name}/unreachable", headers=HTMX)
    assert part.status_code == 200
    assert "hx-trigger" not in part.text.partition('id="survey"')[2].partition(">")[0]
    page = client.get(f"/vocabularies/{name}/unreachable")
    assert page.status_code == 200
    assert 'http-equiv="refresh"' not in page.text
    assert "14 unreachable tokens" in words(page)  # 13 bytes that UTF-8 never has, and "Hello"
    assert f"/vocabularies/{name}/tokens/261" in links(page)
    assert "Merged differently" in words(client.get(f"/vocabularies/{name}/unreachable?reason=merges"))
    assert client.get(f"/vocabularies/{name}/unreachable?page=2").status_code == 404
    assert "14 of 262 tokens are given by no tried text." in words(client.get(f"/vocabularies/{name}"))


def test_the_list_as_files_and_by_api(app: Flask, client: FlaskClient) -> None:
    name = upload(app, b"[UNK]\na\n##b\nx-y\n=z\nx\ny\n-\n")
    details = client.get(f"/vocabularies/{name}/unreachable.json").get_json()
    assert [(token["id"], token["reason"]) for token in details["tokens"]] == [(3, "split"), (4, "split")]
    by_api = client.get(f"/api/v1/vocabularies/{name}/unreachable").get_json()
    assert by_api["tokens"] == details["tokens"]
    assert client.get(f"/api/v1/vocabularies/{name}/unreachable?reason=merges").get_json()["tokens"] == []
    assert client.get(f"/api/v1/vocabularies/{name}/unreachable?reason=x").status_code == 422
    rows = rows_of(client.get(f"/vocabularies/{name}/unreachable.csv"))
    assert [row[0] for row in rows] == ["id", "3", "4"]
    assert rows[2][1] == "'=z"  # no formula


def test_a_survey_is_computed_once_and_read_again(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    name = upload(app, b"[UNK]\na\n##b\nx-y\n")
    with app.app_context():
        first = surveys.survey_of(name)
        assert first.is_complete
        assert first.states == {"special": 1, "alone": 1, "beside": 1, "unreachable": 1}
        monkeypatch.setattr(surveys, "survey", None)
        assert surveys.survey_of(name) == replace(first, unreachable=list(first.unreachable))
        (file,) = surveys.survey_folder().glob(f"{name}*")
        for damaged in (b"", b"{", b"\x1f\x8b\x00"):
            file.write_bytes(damaged)
            assert surveys.stored_survey(name) is None


def test_a_survey_that_cannot_be_stored_is_shown(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    name = upload(app, b"[UNK]\nb\nx-z\n")
    monkeypatch.setattr(surveys, "write_whole", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with app.app_context():
        assert surveys.survey_of(name).total == 1
        assert surveys.stored_survey(name) is None


# --- hostile vocabularies


def test_odd_vocabularies_have_pages(app: Flask, client: FlaskClient) -> None:
    odd = ["<unk>", "\x00", " ", "\u202e", "<script>alert(1)</script>", "a" * 150_000, "%s", "{{ 7 }}"]
    content = {
        "model": {"type": "WordLevel", "vocab": {piece: id for id, piece in enumerate(odd)}, "unk_token": "<unk>"},
        "added_tokens": [],
    }
    name = upload(app, json.dumps(content).encode())
    for id in range(len(odd)):
        answer = client.get(f"/vocabularies/{name}/tokens/{id}")
        assert answer.status_code == 200
        assert "<script>alert" not in answer.text
        assert "\u202e" not in answer.text
        assert len(answer.data) < 100_000
        assert len(client.get(f"/vocabularies/{name}/tokens/{id}.json").data) < 1_000_000
    assert client.get(f"/vocabularies/{name}/unreachable").status_code == 200
    empty = upload(app, b'{"model": {"type": "BPE", "vocab": {}, "merges": []}, "added_tokens": []}')
    assert "This vocabulary has no tokens." in words(client.get(f"/vocabularies/{empty}/tokens/0"))
    assert client.get(f"/vocabularies/{empty}/unreachable").status_code == 200


# --- the byte alphabet


def test_the_byte_alphabet(client: FlaskClient) -> None:
    page = client.get("/bytes", follow_redirects=True)
    cells = re.findall(r'<li id="b([0-9A-F]{2})"[^>]*><a class="glyph"[^>]*>(.*?)</a>', page.text)
    assert [(byte, unescape(glyph)) for byte, glyph in cells] == [
        (f"{byte:02X}", bytes_to_characters(bytes([byte]))) for byte in range(256)
    ]
    assert client.get("/bytes?vocabulary=cl100k_base").location == "/vocabularies/cl100k_base#bytes"
    assert client.get("/bytes?vocabulary=nope", follow_redirects=True).status_code == 404
    for path in ("tokens/1", "tokens/1.json", "unreachable", "unreachable.json", "unreachable.csv"):
        assert client.get(f"/vocabularies/no-such/{path}").status_code == 404
        assert client.get(f"/vocabularies/clip/{path}").status_code in (202, 503)  # no publisher can be reached
