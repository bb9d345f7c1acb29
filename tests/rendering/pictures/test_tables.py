"""Results as data files: exact, and safe in a spreadsheet."""

from __future__ import annotations

import csv as csv_reader
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rendering.pictures.conftest import encode
from tests.rendering.pictures.whole_files import whole_csv, whole_html, whole_json, whole_text
from webapp.core.encoding import Encoding
from webapp.rendering.pictures import csv_parts, html_parts, json_parts, plain_parts
from webapp.rendering.pictures.palette import PALETTES
from webapp.vocabularies.shipped_vocabularies import shipped_tokenizer

TEXT = "Hello, 研究 👨‍👩‍👧 e\u0301\r\n\"quoted\", '=1+1'"


@given(st.text(st.characters()))
def test_json_contains_all_data(text: str) -> None:
    encoding = encode(text)
    found = json.loads("".join(json_parts(encoding, algorithm="bpe", vocabulary="bpe-bytes")))
    assert found["text"] == text
    assert [token["id"] for token in found["tokens"]] == list(encoding.ids)
    assert [token["end"] for token in found["tokens"]] == list(encoding.ends)
    whole = b"".join(bytes.fromhex(token["bytes"]) for token in found["tokens"])
    assert whole == text.encode("utf-8", "replace") or "\ufffd" in whole.decode()


def test_csv_has_one_row_per_token() -> None:
    encoding = encode(TEXT)
    rows = list(csv_reader.DictReader(io.StringIO("".join(csv_parts(encoding)), newline="")))
    assert list(rows[0]) == ["id", "piece", "start", "end", "bytes"]
    assert [int(row["id"]) for row in rows] == list(encoding.ids)
    assert b"".join(bytes.fromhex(row["bytes"]) for row in rows).decode() == TEXT
    assert rows[0]["piece"] == "Hello"


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


@pytest.mark.parametrize("vocabulary", ["bpe-bytes", "wordpiece", "unigram", "jieba"])
@pytest.mark.parametrize("text", ["", "low", TEXT, TEXT * 300, "\0" * 2_500, "\ud800a" * 40, "=SUM(A1) 乸" * 900])
def test_files_in_parts_equal_files_written_at_once(text: str, vocabulary: str) -> None:
    encoding = encode(text, vocabulary)
    assert "".join(json_parts(encoding, algorithm='"a"', vocabulary="b")) == whole_json(encoding, '"a"', "b")
    assert "".join(csv_parts(encoding)) == whole_csv(encoding)
    for separator in (" ", "", "\ud800"):
        assert _plain(encoding, separator) == whole_text(encoding, separator)
    assert "".join(html_parts(encoding)) == whole_html(encoding)


def test_special_tokens_are_in_the_files() -> None:
    encoding = shipped_tokenizer("wordpiece").encode("[CLS] low [SEP]", special=True)
    assert encoding.special
    assert "".join(json_parts(encoding, algorithm="a", vocabulary="b")) == whole_json(encoding, "a", "b")
    assert "".join(csv_parts(encoding)) == whole_csv(encoding)


def test_plain_text_has_separators_between_tokens_and_splits_no_character() -> None:
    assert _plain(encode("研究生命起源", "jieba"), "/") == "研究生/命/起源"
    assert _plain(encode("low lower", "wordpiece"), "|") == "low|lower"
    assert _plain(encode("👨‍👩‍👧!"), "|") == "👨‍👩‍👧|!"
    assert _plain(encode(""), "|") == ""


def test_the_html_file_is_self_contained() -> None:
    page = "".join(html_parts(encode("<script>alert(1)</script> 研究"), title="<b>BPE</b>"))
    assert "<script" not in page
    assert "&lt;b&gt;BPE&lt;/b&gt;" in page
    for part in ("http:", "https:", "url(", "@import", "src="):
        assert part not in page.replace("default-src", "").replace("style-src", "")
    for theme in ("light", "dark"):
        assert PALETTES[theme].tints[0] in page
