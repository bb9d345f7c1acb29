"""Downloading a result as every kind of file, and the errors of downloads."""

import json

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.site import Page, rows_of
from webapp.tokenization.exports import WRITERS
from webapp.vocabularies import shipped_tokenizer

TEXT = "研究生命起源 low lower 👨‍👩‍👧"


def fetch(client: FlaskClient, kind: str, text: str = TEXT, *, status: int = 200, **state: object) -> TestResponse:
    answer = client.get(f"/download/tokens.{kind}", query_string={"text": text, "lang": "en", **state})
    assert answer.status_code == status, answer.text
    return answer


@pytest.mark.parametrize("kind", WRITERS)
def test_each_kind_yields_a_file_of_that_kind(client: FlaskClient, kind: str) -> None:
    answer = fetch(client, kind)
    assert answer.mimetype == WRITERS[kind][0]
    assert answer.headers["Content-Disposition"] == f"attachment; filename=tokens.{kind}"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert answer.data
    assert fetch(client, kind, "").mimetype == answer.mimetype
    long = client.post(f"/download/tokens.{kind}", data={"text": TEXT * 60, "algorithm": "wordpiece"})
    assert (long.status_code, long.mimetype) == (200, answer.mimetype)
    assert client.post(f"/download/tokens.{kind}", data={}).status_code == 400


def test_data_equal_those_of_the_page(client: FlaskClient) -> None:
    ids = shipped_tokenizer("bpe-bytes").ids(TEXT)
    found = json.loads(fetch(client, "json").data)
    assert [token["id"] for token in found["tokens"]] == ids
    assert (found["text"], found["algorithm"], found["vocabulary"]) == (TEXT, "bpe", "bpe-bytes")
    header, *rows = rows_of(fetch(client, "csv"))
    assert [int(row[header.index("id")]) for row in rows] == ids


@pytest.mark.parametrize(
    ("separator", "between"),
    [("slash", "/"), ("line", "\n"), ("tab", "\t"), ("bar", " | "), ("space", " "), ("~", "~")],
)
def test_the_separator_can_be_chosen(client: FlaskClient, separator: str, between: str) -> None:
    answer = fetch(client, "txt", "研究生命起源", algorithm="fmm", separator=separator)
    assert answer.text == between.join(["研究生", "命", "起源"])


@pytest.mark.parametrize(
    ("state", "status", "words"),
    [
        ({"vocabulary": "no-such"}, 404, "There is no vocabulary"),
        ({"text": "a" * 1_048_577}, 413, "the limit is"),
        ({"algorithm": "fmm", "vocabulary": "own-dictionary", "dictionary": "word many words here"}, 422, "Line 1"),
        ({"vocabulary": "llama-3"}, 503, "could not be fetched"),
    ],
)
def test_errors_are_explained_on_a_short_page(
    client: FlaskClient, state: dict[str, str], status: int, words: str
) -> None:
    answer = client.post("/download/tokens.svg", data={"text": "a", "lang": "en", **state})
    assert answer.status_code == status
    assert words in " ".join(Page(answer.text).problems)
    assert "Content-Disposition" not in answer.headers


@pytest.mark.parametrize("kind", ["exe", "svg%0d%0aSet-Cookie:a=b", "..%2f..%2fetc"])
def test_an_unknown_kind_is_404_and_appears_in_no_header(client: FlaskClient, kind: str) -> None:
    answer = client.get(f"/download/tokens.{kind}", query_string={"text": "a"})
    assert answer.status_code == 404
    assert "Content-Disposition" not in answer.headers
    assert "Set-Cookie" not in answer.headers


def test_user_input_appears_in_no_header(client: FlaskClient) -> None:
    evil = 'x"; filename=evil.exe\r\nSet-Cookie: a=b'
    answer = client.post("/download/tokens.txt", data={"text": evil, "separator": evil, "colours": evil})
    assert answer.status_code == 200
    assert "evil" not in str(answer.headers)


def test_markup_stays_text_in_the_html_download(client: FlaskClient) -> None:
    answer = fetch(client, "html", "<script>alert(1)</script>")
    assert "<script" not in answer.text
