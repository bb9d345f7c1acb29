"""The page that expands a vocabulary: the preview, files, storing, and what is refused."""

import html
import json
import re

import pytest
import tokenizers
from flask import Flask
from flask.testing import FlaskClient

from tests.core.expansion.bases import addition, sentencepiece_file, trained_on_chinese
from tests.site import HTMX, Page
from webapp.core.formats import huggingface
from webapp.core.formats.recognize import recognize
from webapp.vocabularies import library

ADDRESS = "/vocabularies/expand"
LIST = {"base": "bpe-bytes", "source": "tokens", "tokens": "图书馆员\n▁tokenscopes\nthe\n"}


@pytest.fixture(scope="module")
def uploads(app: Flask) -> dict[str, str]:
    """The names of two uploaded SentencePiece models and a tokenizer.json."""
    with app.app_context():
        return {
            "base": library().store(sentencepiece_file("bpe")).name,
            "addition": library().store(trained_on_chinese("bpe")).name,
            "json": library().store(huggingface.write(addition("merges")).encode()).name,
        }


def facts(text: str) -> dict[str, int]:
    """The facts of the header, by name."""
    found = re.findall(r"<dt>([^<]+)</dt><dd>([\d,]+)</dd>", text)
    (count,) = re.findall(r"<p class=\"count\"><b>([\d,]+)</b>", text)
    return {name: int(value.replace(",", "")) for name, value in [*found, ("new", count)]}


def test_a_preview_has_a_url_and_says_what_is_saved(client: FlaskClient, uploads: dict[str, str]) -> None:
    fields = {"base": uploads["base"], "addition": uploads["addition"]}
    answer = client.post(ADDRESS, data={**fields, "source": "vocabulary", "text": "图书馆", "bridge": "1"})
    assert answer.status_code == 303
    page = client.get(answer.headers["Location"])
    found = facts(page.text)
    assert found["new"] > 100
    assert found["already there"] > 10
    assert found["refused"] == 0
    figures = re.findall(r"<td class=\"end\">(?:<b>)?([\d.,–%-]+)", page.text)
    assert figures[0] == "3"
    assert float(figures[2]) < float(figures[1])
    assert float(figures[6]) < float(figures[5])
    assert f"model.resize_token_embeddings({found['ids in all'] - found['new']} + len(old_ids)" in page.text
    model = client.get(f"{ADDRESS}/tokenizer.model", query_string=fields)
    assert recognize(model.data).format == "sentencepiece"


def test_a_list_shows_what_is_added_present_and_refused(client: FlaskClient) -> None:
    page = client.get(ADDRESS, query_string={"base": "wordpiece", "tokens": "zzyzx\nthe\n图书馆"})
    assert facts(page.text) == {"already there": 1, "refused": 1, "ids in all": 32_001, "new": 1}
    assert "pre-tokenizer always cuts them" in page.text
    long = "\n".join(f"zq{letter}{other}" for letter in "abcdefghijklmnop" for other in "abcdefghijklmnopqrst")
    answer = client.post(ADDRESS, data={"base": "wordpiece", "source": "tokens", "tokens": long})
    assert (answer.status_code, facts(answer.text)["new"]) == (200, 320)
    (fields,) = re.findall(r'<form id="shown".*?</form>', answer.text, re.DOTALL)
    assert html.unescape(fields).count("zq") == 320


def test_files_for_the_original_libraries(client: FlaskClient) -> None:
    answer = client.post(f"{ADDRESS}/tokenizer.json", data=LIST)
    assert answer.headers["Content-Disposition"] == "attachment; filename=tokenizer.json"
    theirs = tokenizers.Tokenizer.from_str(answer.text)
    ids = theirs.encode("the 图书馆员 tokenscopes").ids
    assert ids == recognize(answer.data).tokenizer.ids("the 图书馆员 tokenscopes")
    assert len(ids) == 4
    old = json.loads(client.get(f"{ADDRESS}/old_ids.json", query_string=LIST).text)
    assert len(old) == facts(client.get(ADDRESS, query_string=LIST).text)["new"]
    assert client.get(f"{ADDRESS}/tokenizer.model", query_string=LIST).status_code == 404


def test_a_stored_expansion_is_a_vocabulary_as_any_other(client: FlaskClient, uploads: dict[str, str]) -> None:
    fields = {"base": "bpe-bytes", "source": "vocabulary", "addition": uploads["json"], "bridge": "1"}
    answer = client.post(f"{ADDRESS}/store", data=fields)
    assert answer.status_code == 303
    name = answer.headers["Location"].removeprefix("/vocabularies/")
    assert "bpe-bytes+upload-" in client.get(answer.headers["Location"]).text
    shown = client.get("/", query_string={"algorithm": "bpe", "vocabulary": name, "text": "市民们去图书馆"})
    assert Page(shown.text).figures == 3
    again = client.get(ADDRESS, query_string={"base": name, "addition": uploads["json"]})
    assert facts(again.text)["new"] == 0
    foreign = client.post(f"{ADDRESS}/store", data=LIST, headers={"Sec-Fetch-Site": "cross-site"})
    assert foreign.status_code == 403


@pytest.mark.parametrize("path", ["/store", "/tokenizer.json"])
def test_files_of_wrong_input_are_refused_with_the_form(client: FlaskClient, path: str) -> None:
    answer = client.post(ADDRESS + path, data={**LIST, "base": "nothing"})
    assert answer.status_code == 404
    assert Page(answer.text).invalid == ["base"]
    assert "tokenscopes" in answer.text


def test_hostile_tokens_are_text(client: FlaskClient) -> None:
    tokens = "<script>alert(1)</script>\n\u202eabc\n" + "a" * 500 + "\n\x07"
    answer = client.post(ADDRESS, data={**LIST, "tokens": tokens}, headers=HTMX)
    assert answer.status_code == 200
    assert "<script>alert" not in answer.text
