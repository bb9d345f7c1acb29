"""The page that splits a text: its parts, shown and downloaded."""

import io
import json
import zipfile

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from webapp.vocabularies.shipped_vocabularies import shipped_tokenizer

TEXT = "It rains. Take an umbrella! 下雨了。带伞吧！\n" * 8
FORM = {"text": TEXT, "tokens": "12", "vocabulary": "bpe-bytes"}


def test_the_parts_are_shown_with_their_counts(client: FlaskClient) -> None:
    answer = client.post("/split", data=FORM)
    assert answer.status_code == 303
    page = client.get(answer.headers["Location"])
    assert "<b>16</b> parts" in page.text
    twin = client.get(f"{answer.headers['Location']}&format=json").get_json()
    assert "".join(part["text"] for part in twin["parts"]) == TEXT


def test_downloads_contain_all_parts(client: FlaskClient) -> None:
    archive = client.post("/split.zip", data=FORM)
    assert archive.headers["Content-Disposition"] == "attachment; filename=parts.zip"
    with zipfile.ZipFile(io.BytesIO(archive.data)) as file:
        texts = [file.read(name).decode() for name in sorted(file.namelist())]
    assert "".join(texts) == TEXT
    assert all(len(shipped_tokenizer("bpe-bytes").ids(text)) <= 12 for text in texts)
    lines = client.post("/split.jsonl", data=FORM)
    assert [json.loads(line)["text"] for line in lines.text.splitlines()] == texts


def test_an_uploaded_file_is_the_text(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def send(content: bytes, path: str = "/split", **form: str) -> TestResponse:
        return client.post(path, data={"tokens": "12", "file": (io.BytesIO(content), "rain.txt"), **form})

    shown = send(TEXT.replace("\n", "\r\n").encode(), text="what stood in the box")
    assert shown.status_code == 303
    assert "<b>16</b> parts" in client.get(shown.headers["Location"]).text
    lines = send(TEXT.encode(), "/split.jsonl").text.splitlines()
    assert "".join(json.loads(line)["text"] for line in lines) == TEXT
    wrong = send(b"low\xff", text="what stood in the box")
    assert wrong.status_code == 422
    assert "“rain.txt” is not UTF-8: the byte at offset 3 (0xFF)" in wrong.text
    empty = client.post("/split", data=FORM | {"file": (io.BytesIO(b""), "")}, follow_redirects=True)
    assert "<b>16</b> parts" in empty.text
    monkeypatch.setitem(client.application.config, "MAX_TEXT_BYTES", 100)
    large = send(b"x" * 101)
    assert large.status_code == 413
    assert "“rain.txt” has 101 bytes; the limit is 100." in large.text


def test_the_page_starts_with_an_example(client: FlaskClient) -> None:
    assert client.get("/split").text.count('<div class="part"') > 2
    assert client.get("/split?text=").text.count('<div class="part"') == 0
    assert 'value="512"' in client.get("/split?text=low").text
