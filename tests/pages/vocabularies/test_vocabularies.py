"""The page of each vocabulary."""

import json
import re
from html import unescape

import pytest
from flask import Flask
from flask.testing import FlaskClient
from markupsafe import Markup
from werkzeug.test import TestResponse

from tests.site import HTMX, words
from webapp.core.formats.reading import FormatError
from webapp.pages.vocabularies import found
from webapp.vocabularies import (
    CATALOGUE,
    StillFetchingError,
    UnavailableVocabularyError,
    jieba_words,
    library,
    shipped_tokenizer,
    well_known,
)
from webapp.vocabularies.https_download import FetchError
from webapp.web.localization import LANGUAGES

GPT_2 = next(entry for entry in well_known() if entry.name == "gpt2")
SHIPPED = [entry.name for entry in CATALOGUE.values() if entry.origin == "shipped"]


def rows(answer: TestResponse, table: str = "tokens") -> list[list[str]]:
    """Return the cells of a table."""
    body = answer.text.partition(f'id="{table}"')[2].partition("<tbody>")[2].partition("</tbody>")[0]
    return [
        [unescape(Markup(cell).striptags()) for cell in re.findall("<td.*?>(.*?)</td>", row)]
        for row in re.findall("<tr>(.*?)</tr>", body)
    ]


def ids(answer: TestResponse) -> list[int]:
    return [int(row[0]) for row in rows(answer)]


# --- one vocabulary


@pytest.mark.parametrize("name", SHIPPED)
def test_every_vocabulary_that_ships_has_a_page(client: FlaskClient, name: str) -> None:
    for language in LANGUAGES:
        answer = client.get(f"/vocabularies/{name}?lang={language}")
        assert ids(answer) == list(range(100))
        assert f'href="/?algorithm={CATALOGUE[name].algorithms[0]}&amp;vocabulary={name}"' in answer.text


def test_the_marks_of_tokens_are_text(client: FlaskClient) -> None:
    assert "also &lt;s&gt;, [CLS] and [INST]" in client.get("/vocabularies/bpe-bytes").text


def test_the_composition_of_a_vocabulary(client: FlaskClient) -> None:
    seen = words(client.get("/vocabularies/wordpiece"))
    assert "How it splits tokenization 分词 tokeniz ation 分 词 Pipeline" in seen
    assert "Normalizer BertNormalizer keeps case Pre-tokenizer BertPreTokenizer Model WordPiece" in seen
    assert "20 ContentTooShortError" in seen
    assert re.search(r"Latin 24,\d\d\d 75\.\d%", seen)


def test_a_dictionary_shows_frequencies_and_tags(client: FlaskClient) -> None:
    answer = client.get("/vocabularies/jieba?query=研究")
    dictionary = jieba_words()
    assert dictionary.frequencies
    assert dictionary.tags
    id = dictionary.id_of("研究")
    assert id is not None
    figures = [f"{dictionary.frequencies[id]:,}", dictionary.tags[id]]
    assert rows(answer)[0] == [str(id), "研究", *figures, "E7 A0 94 E7 A9 B6", "U+7814 U+7A76"]


def test_searching_by_text_and_by_id(client: FlaskClient) -> None:
    pieces = shipped_tokenizer("wordpiece").model.pieces
    found = ids(client.get("/vocabularies/wordpiece?query=under"))
    assert all("under" in str(pieces[id]) for id in found)
    assert ids(client.get("/vocabularies/wordpiece?query=31999"))[0] == 31_999
    with_dot = ids(client.get("/vocabularies/bpe-bytes?query=·the"))
    assert with_dot == ids(client.get("/vocabularies/bpe-bytes?query= the"))


@pytest.mark.parametrize(
    ("query", "cells"),
    [
        ("U+4E00", ["一"]),
        ("0x41", ["A"]),
        ("e4 b8 80", ["一"]),
        ("20 74 68 65", ["·the", "20 74 68 65", "U+0020 U+0074 U+0068 U+0065"]),
        ("e4 b8", ["⟨E4 B8⟩", "E4 B8", ""]),
    ],
)
def test_searching_by_code_points_and_bytes(client: FlaskClient, query: str, cells: list[str]) -> None:
    answer = client.get("/vocabularies/bpe-bytes", query_string={"query": query})
    row = rows(answer)[0]
    assert [row[1], *row[4:]][: len(cells)] == cells
    assert f"tokens contain “{query}”." in words(answer)


def test_paging(client: FlaskClient) -> None:
    second = client.get("/vocabularies/unigram?page=2")
    assert ids(second) == list(range(100, 200))
    assert 'href="/vocabularies/unigram?page=3#tokens"' in second.text
    last = client.get("/vocabularies/unigram?page=320")
    assert ids(last) == list(range(31_900, 32_000))
    assert "page=321" not in last.text
    leafed = client.get("/vocabularies/unigram?page=2&query=the", headers=HTMX)
    assert leafed.headers["HX-Push-Url"] == "/vocabularies/unigram?query=the&page=2"


@pytest.mark.parametrize("page", ["321", "0", "-1", "x", "1 2", "1" * 5000, "²"])
def test_a_page_that_does_not_exist(client: FlaskClient, page: str) -> None:
    answer = client.get("/vocabularies/unigram", query_string={"page": page})
    assert answer.status_code == 404
    assert "the last one is 320" in words(answer)


@pytest.mark.parametrize(
    ("query", "status", "sentence"),
    [
        ({"query": "the", "page": "2"}, 200, "tokens contain “the”"),
        ({"query": "<b>qqq"}, 200, "No token contains “<b>qqq”."),
        ({"page": "999"}, 404, "the last one is 320"),
        ({"query": "x" * 101}, 422, "Search for at most 100 characters; these are 101."),
    ],
)
def test_htmx_gets_the_fragment_that_the_page_includes(
    client: FlaskClient, query: dict[str, str], status: int, sentence: str
) -> None:
    page = client.get("/vocabularies/unigram", query_string=query)
    part = client.get("/vocabularies/unigram", query_string=query, headers=HTMX)
    assert part.status_code == page.status_code == status
    assert sentence in words(part)
    assert part.text.strip() in page.text
    assert "<b>qqq" not in page.text
    assert "HX-Request-Type" in part.headers["Vary"]


@pytest.mark.parametrize("name", ["wordpeice", "own-dictionary", "learned-bytes", "x" * 500, "\u202e"])
def test_an_unknown_vocabulary_is_404(client: FlaskClient, name: str) -> None:
    answer = client.get(f"/vocabularies/{name}")
    assert answer.status_code == 404
    assert "There is no vocabulary “" in words(answer)


OFFLINE = FetchError("offline", host="example.org", name="gpt2")
WAITING = StillFetchingError(GPT_2, 500_000, 2_000_000)


@pytest.mark.parametrize(
    ("error", "status", "sentence", "has"),
    [
        (UnavailableVocabularyError(GPT_2, OFFLINE), 503, "there is no connection to example.org", "OpenAI"),
        (UnavailableVocabularyError(GPT_2, FormatError("line 3 is no base64")), 503, "line 3 is no base64", "OpenAI"),
        (WAITING, 202, "0.5 of 2.0 MB received.", '<meta http-equiv="refresh"'),
    ],
)
def test_a_vocabulary_that_is_not_here(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, sentence: str, has: str
) -> None:
    def fail(name: str) -> None:
        raise error

    monkeypatch.setattr(found, "tokenizer_of", fail)
    page, part = client.get("/vocabularies/gpt2"), client.get("/vocabularies/gpt2", headers=HTMX)
    assert page.status_code == part.status_code == status
    assert sentence in words(page)
    assert sentence in words(part)
    assert has in page.text
    assert ("<html" in part.text) == (status == 202)


def test_a_hostile_vocabulary_is_drawn(app: Flask, client: FlaskClient) -> None:
    pieces = ["<unk>", "x" * 300_000, "\u202eabc", "<script>alert(1)</script>", "\x00", "\n" * 3000]
    document = {
        "added_tokens": [{"id": 6, "content": "<i>" * 2500, "special": True}],
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "<script>alert(1)</script>"},
        "model": {"type": "WordLevel", "vocab": {piece: id for id, piece in enumerate(pieces)}, "unk_token": "<unk>"},
    }
    with app.app_context():
        entry = library().store(json.dumps(document).encode())
    answer = client.get(f"/vocabularies/{entry.name}")
    assert answer.status_code == 200
    assert "<script>alert" not in answer.text
    assert len(answer.text) < 60_000
    assert "⟨202E⟩abc" in words(answer)
    assert "7 tokens highest id 6" in words(answer)


# --- n-grams

NGRAMS = "/vocabularies/ngram"


def test_ngrams_have_their_orders_and_what_follows_a_word(client: FlaskClient) -> None:
    page = client.get(f"{NGRAMS}?lang=en&after=宝玉").text
    for title in ("Words", "Pairs", "Triples"):
        assert re.search(rf'id="order-\d">{title} <span class="quiet num">[\d,]+<', page)
    assert re.search(r"D₂ = [\d,]+ / \([\d,]+ \+ 2 · [\d,]+\) = 0\.\d+", page)
    assert "“宝玉” was counted" in page
    partial = client.get(f"{NGRAMS}?lang=en&after=宝玉", headers=HTMX)
    assert "<html" not in partial.text
    assert "After it" in partial.text


def test_the_words_of_whole_books_have_the_chart_to_which_short_texts_lead(client: FlaskClient) -> None:
    link = re.search(r'href="([^"]+#frequencies)">All words and files', client.get("/?text=a&frequencies=1").text)
    assert link
    page = client.get(link[1].partition("#")[0]).text
    shown = re.search(r'<details class="fold" id="frequencies" open>.*?</details>\s*</div>', page, re.DOTALL)
    assert shown
    for sentence in (
        "1,404,298 words were counted, 56,652 different ones.",
        "Water Margin",
        "Here the slope is −1.05,",
    ):
        assert sentence in shown[0]
    files = {kind: client.get(f"{NGRAMS}/frequencies.{kind}") for kind in ("svg", "csv", "json", "png", "nope")}
    assert files["svg"].text.count("<circle") == shown[0].count("<circle") > 100
    assert files["csv"].text.splitlines()[1].startswith("1,，,")
    assert len(files["csv"].text.splitlines()) == 1 + files["json"].get_json()["different"] == 1 + 56_652
    assert files["png"].data.startswith(b"\x89PNG")
    assert (files["nope"].status_code, client.get("/vocabularies/jieba/frequencies.svg").status_code) == (404, 404)


def test_a_word_that_is_unknown_empty_or_too_long(client: FlaskClient) -> None:
    assert "is not a word of this vocabulary" in client.get(f"{NGRAMS}?lang=en&after=烎烎烎").text
    hostile = client.get(f"{NGRAMS}?lang=en&after=<script>alert(1)</script>").text
    assert "<script>alert" not in hostile
    assert client.get(f"{NGRAMS}?after={'字' * 65}", headers=HTMX).status_code == 422
    assert client.get(f"{NGRAMS}?after={'字' * 65}").status_code == 200
