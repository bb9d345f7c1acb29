"""What decoding changes, on the page of a result: which stage loses what."""

from __future__ import annotations

import html
import re

from flask import Flask
from flask.testing import FlaskClient

BERT = {"algorithm": "wordpiece", "lowercase": "1", "lang": "en"}


def rows_of(page: str) -> list[str]:
    found = page[page.index('id="round-trip"') :]
    rows = found[: found.index("</ul>")].split("<li>\n      <div>")[1:]
    return [" ".join(html.unescape(re.sub(r"<[^>]+>", " ", row)).split()) for row in rows]


def test_where_bert_loses_accents_is_answered_by_a_link(client: FlaskClient) -> None:
    page = client.get("/", query_string={**BERT, "text": "café café"}).text
    assert rows_of(page) == [
        "é → e U+00E9 LATIN SMALL LETTER E WITH ACUTE → U+0065 LATIN SMALL LETTER E "
        "Normalizer BertNormalizer strip_accents accents are removed × 2 offset 3 · 8"
    ]
    assert 'href="#round-trip"' in page


def test_every_stage_of_a_change_is_listed(client: FlaskClient) -> None:
    page = client.get("/", query_string={**BERT, "text": "É"}).text
    assert "Through 2 stages" in page
    assert "strip_accents" in page
    assert "lowercase" in page


def test_white_space_and_unknown_characters_have_their_stages(client: FlaskClient) -> None:
    page = client.get("/", query_string={**BERT, "text": "a  b ! 𠮷"}).text
    rows = " | ".join(rows_of(page))
    assert "Pre-tokenizer BertPreTokenizer dropped" in rows
    assert "Decoder WordPiece cleanup" in rows
    assert "𠮷 → [UNK] U+20BB7 CJK UNIFIED IDEOGRAPH-20BB7 Model WordPiece unknown" in rows


def test_a_text_that_decodes_to_itself_says_so(client: FlaskClient) -> None:
    page = client.get("/", query_string={"algorithm": "bpe", "text": "café  !", "lang": "en"}).text
    assert "Identical to the input" in page
    assert "round-trip" not in page.replace("round-trip.css", "")


def test_a_long_text_is_traced_at_its_beginning(client: FlaskClient) -> None:
    page = client.post("/", data={**BERT, "text": "É a " * 9_000}).text
    assert "These are the changes of the first 19,999 characters." in page
    assert "× 5,000" in page


def test_a_shared_result_has_the_changes(storing_app: Flask) -> None:
    client = storing_app.test_client()
    made = client.post("/share", data={**BERT, "text": "café  x"})
    assert made.status_code == 201
    page = client.get(made.location + "?lang=en").text
    assert "accents are removed" in page
