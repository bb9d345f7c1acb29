"""`/vocabularies/diff`: the stages of two tokenizers, texts, and the pieces that they share."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.core.gguf_files import scored, written
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


def stored(app: Flask, document: dict[str, Any]) -> str:
    with app.app_context():
        return library().store(json.dumps(document).encode()).name


def test_two_files_of_gpt2(app: Flask, client: FlaskClient, shared: Path) -> None:
    text = (shared / "vocabularies" / "tokenizers" / "gpt2.json").read_text()
    names = [stored(app, json.loads(text))]
    for change in ("merges", "prefix", "flag"):
        document = json.loads(text)
        if change == "merges":
            document["model"]["merges"][:100] = document["model"]["merges"][:100][::-1]
        elif change == "prefix":
            document["pre_tokenizer"]["add_prefix_space"] = True
        else:
            document["added_tokens"][0]["lstrip"] = True
        names.append(stored(app, document))
    merges, prefix, flag, none = ((names[0], name) for name in (*names[1:], names[0]))
    page = words(get(client, merges))
    assert "Earliest cause: Model." in page
    assert "Merges: 100 ranks have another merge. The first is rank 0:" in page
    page = words(get(client, prefix))
    assert "Earliest cause: Pre-tokenizer." in page
    assert "Only the second: ByteLevel puts a space before the text" in page
    assert "Only the first:" not in page
    assert '"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false' in page
    assert "<|endoftext|> is lstrip in the second only." in words(get(client, flag))
    assert "The same at each stage: every text has the same ids in both." in words(get(client, none))
    found = get(client, prefix, "&format=json&text=low").get_json()
    assert [each["stage"] for each in found["stages"] if not each["same"]] == ["pretokenizer"]
    own = found["texts"][0]
    assert (own["kind"], own["stages"], own["a"], own["b"]) == ("own", ["pretokenizer"], [9319], [1877])


def test_a_gguf_file_and_a_published_model_keep_the_names_of_their_files(
    app: Flask, client: FlaskClient, shared: Path
) -> None:
    with app.app_context():
        first = library().store(written(scored())).name
        second = library().store((shared / "vocabularies" / "sentencepiece" / "llama2.model").read_bytes()).name
    client.set_cookie("uploads", f"{first}:a.gguf!{second}:own.model")
    answer = get(client, (first, second))
    page = words(answer)
    assert "Only in Llama 2 · own.model" in page
    assert "SentencePiece leaves out </s>,<s>" in page
    assert f'from the tokenizer.json of <a href="/vocabularies/{first}">a.gguf · {first[7:15]}</a>.' in answer.text


def test_merges_in_json_and_the_operation(app: Flask, client: FlaskClient) -> None:
    vocab = {piece: id for id, piece in enumerate(["a", "b", "c", "ab", "bc", "ca"])}
    merges = [["a", "b"], ["b", "c"], ["c", "a"]]
    model = {"type": "BPE", "vocab": vocab}
    first, second = (
        stored(app, {"version": "1.0", "added_tokens": [], "model": {**model, "merges": order}})
        for order in (merges, merges[::-1])
    )
    found = client.post("/api/v1/difference", json={"a": first, "b": second, "text": "bca"}).get_json()
    assert (found["different_merges"], found["first_merge"]) == (2, [0, ["a", "b"], ["c", "a"]])
    assert (found["texts"][0]["a"], found["texts"][0]["b"]) == ([4, 0], [1, 5])
    without = client.post("/api/v1/difference", json={"a": first, "b": second}).get_json()
    assert {**found, "texts": found["texts"][1:]} == without
    assert get(client, (first, first), "&format=json").get_json()["different_merges"] == 0


def test_the_page_begins_with_an_example_and_a_long_text_is_refused(client: FlaskClient) -> None:
    page = client.get("/vocabularies/diff?lang=en")
    assert page.status_code == 200
    assert "Earliest cause: Pre-tokenizer." in words(page)
    assert client.get("/vocabularies/diff?a=gpt2&b=&lang=en").status_code == 200
    refused = client.post("/vocabularies/diff", data={"a": "gpt2", "b": "gpt2", "text": "x" * 20_001, "lang": "en"})
    assert refused.status_code == 413
    assert "The text has 20,001 characters; the limit is 20,000. Shorten it." in words(refused)


def test_four_groups_and_a_search(client: FlaskClient, names: tuple[str, str]) -> None:
    assert rows(get(client, names)) == [["6", "研究"], ["5", "研"], ["0", "[PAD]"]]
    assert rows(get(client, names, "&show=b")) == [["4", "##ed"]]
    moved = get(client, names, "&show=moved")
    assert rows(moved)[0] == ["2", "low", "1", "low"]
    assert "In both, with different ids 4" in words(moved)
    assert rows(get(client, names, "&show=same")) == []
    assert get(client, names, "&page=9").status_code == 404
    whole, part = get(client, names, "&query=研"), get(client, names, "&query=研", headers=HTMX)
    assert rows(whole) == rows(part) == [["6", "研究"], ["5", "研"]]
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
    assert client.get("/vocabularies/diff?a=&format=json").status_code == 422


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
