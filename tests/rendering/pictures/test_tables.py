"""Results as data files: exact, and safe in a spreadsheet."""

import csv as csv_reader
import io
import json

import pytest
from flask.testing import FlaskClient
from hypothesis import example, given
from hypothesis import strategies as st

from tests.rendering.pictures.conftest import encode
from tests.site import Page
from webapp.core.encoding import Encoding
from webapp.rendering.pictures.svg import palette_of
from webapp.rendering.pictures.tables import csv_parts, json_parts, plain_parts

TEXT = "Hello, 研究 👨‍👩‍👧 e\u0301\r\n\"quoted\", '=1+1'"


@given(st.text(st.characters()))
@example(TEXT * 300)
@example("\ud800a" * 40)
@example("\0" * 2_500)
def test_json_contains_all_data(text: str) -> None:
    encoding = encode(text)
    found = json.loads("".join(json_parts(encoding, algorithm="bpe", vocabulary="bpe-bytes")))
    assert found["text"] == text
    assert [token["id"] for token in found["tokens"]] == list(encoding.ids)
    assert [token["end"] for token in found["tokens"]] == list(encoding.ends)
    whole = b"".join(bytes.fromhex(token["bytes"]) for token in found["tokens"])
    assert whole == text.encode("utf-8", "replace") or "\ufffd" in whole.decode()


@pytest.mark.parametrize("text", ["", TEXT, TEXT * 300, "\0" * 2_500, "=SUM(A1) 乸" * 900])
def test_csv_has_one_row_per_token(text: str) -> None:
    encoding = encode(text)
    rows = list(csv_reader.DictReader(io.StringIO("".join(csv_parts(encoding)), newline="")))
    assert [(int(row["id"]), int(row["start"]), int(row["end"])) for row in rows] == [
        (token.id, token.start, token.end) for token in encoding
    ]
    assert b"".join(bytes.fromhex(row["bytes"]) for row in rows).decode() == text
    assert not any(row["piece"].startswith("=") and len(row["piece"]) > 1 for row in rows)


@pytest.mark.parametrize("text", ["=HYPERLINK", "+cmd|calc", "@SUM", "-x", "=cmd|' /C calc'!A0"])
def test_a_piece_that_would_be_a_formula_is_guarded_and_its_bytes_are_exact(text: str) -> None:
    from webapp.core.formats.dictionary import read_dictionary
    from webapp.vocabularies import matching

    encoding = matching(read_dictionary(text.replace(" ", "")), "forward", True).encode(text.replace(" ", ""))
    rows = list(csv_reader.DictReader(io.StringIO("".join(csv_parts(encoding)), newline="")))
    assert rows[0]["piece"].startswith("'")
    assert bytes.fromhex(rows[0]["bytes"]).decode() == text.replace(" ", "")


def _plain(encoding: Encoding, separator: str) -> str:
    return "".join(plain_parts(encoding, separator))


def test_plain_text_has_separators_between_tokens_and_splits_no_character() -> None:
    assert _plain(encode("研究生命起源", "jieba"), "/") == "研究生/命/起源"
    assert _plain(encode("low lower", "wordpiece"), "|") == "low|lower"
    assert _plain(encode("👨‍👩‍👧!"), "|") == "👨‍👩‍👧|!"
    assert _plain(encode(""), "|") == ""


def test_the_html_file_is_self_contained(client: FlaskClient) -> None:
    text = "<script>alert(1)</script> 研究" * 900
    page = client.post("/download/tokens.html", data={"text": text, "vocabulary": "bpe-bytes"}).text
    assert Page(page).ids == list(encode(text).ids)
    assert "<script" not in page
    for part in ("http:", "https:", "url(", "@import", "src="):
        assert part not in page.replace("default-src", "").replace("style-src", "")
    for theme in ("light", "dark"):
        assert palette_of(theme).tints[0] in page
