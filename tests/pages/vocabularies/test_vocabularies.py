"""The page of each vocabulary."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest
from flask import Flask
from flask.testing import FlaskClient
from markupsafe import Markup
from werkzeug.test import TestResponse

from tests.site import HTMX
from webapp.core.formats.fields import FormatError
from webapp.pages.vocabularies import found
from webapp.vocabularies import (
    CATALOGUE,
    StillFetchingError,
    UnavailableVocabularyError,
    find,
    jieba_words,
    library,
    shipped_tokenizer,
)
from webapp.vocabularies.https_download import FetchError
from webapp.web.localization import LANGUAGES

SHIPPED = [entry.name for entry in CATALOGUE.values() if entry.origin == "shipped"]


def words(answer: TestResponse) -> str:
    """Return the text that a reader sees."""
    return " ".join(unescape(re.sub("<[^>]*>", " ", answer.text)).split())


def rows(answer: TestResponse) -> list[list[str]]:
    """Return the cells of the list of tokens."""
    body = answer.text.partition('id="tokens"')[2].partition("<tbody>")[2].partition("</tbody>")[0]
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
        assert answer.status_code == 200
        assert ids(answer) == list(range(100))
        assert " style=" not in answer.text
        assert f'href="/?algorithm={CATALOGUE[name].algorithms[0]}&amp;vocabulary={name}"' in answer.text


def test_the_composition_of_a_vocabulary(client: FlaskClient) -> None:
    seen = words(client.get("/vocabularies/wordpiece"))
    assert "Demo: WordPiece, 32k" in seen
    assert "32,000 tokens" in seen
    assert "How it splits tokenization 分词 tokeniz ation 分 词 Pipeline" in seen
    assert "Normalizer BertNormalizer keeps case Pre-tokenizer BertPreTokenizer Model WordPiece" in seen
    assert "20 ContentTooShortError" in seen
    assert "4 [MASK] special token" in seen
    assert re.search(r"Latin 24,\d\d\d 75\.\d%", seen)


def test_scripts_have_names_in_the_language_of_the_page(client: FlaskClient) -> None:
    assert "拉丁文" in words(client.get("/vocabularies/wordpiece?lang=zh"))
    assert "汉字" in words(client.get("/vocabularies/jieba?lang=zh"))


def test_a_dictionary_shows_frequencies_and_tags(client: FlaskClient) -> None:
    answer = client.get("/vocabularies/jieba?query=研究")
    dictionary = jieba_words()
    assert dictionary.frequencies
    assert dictionary.tags
    assert ids(answer)[0] == dictionary.id_of("研究")
    for row in rows(answer):
        id = int(row[0])
        assert row[1:4] == [dictionary.words[id], f"{dictionary.frequencies[id]:,}", dictionary.tags[id]]
    assert rows(answer)[0][4:] == ["E7 A0 94 E7 A9 B6", "U+7814 U+7A76"]


def test_columns_of_each_model(client: FlaskClient) -> None:
    (row, *_others) = rows(client.get("/vocabularies/unigram?query=▁the"))
    assert row[1:] == ["▁the", row[2], "E2 96 81 74 68 65", "U+2581 U+0074 U+0068 U+0065"]
    assert float(row[2]) < 0
    (row, *_others) = rows(client.get("/vocabularies/bpe-bytes?query= the"))
    assert row[1] == "·the"
    assert "·" in row[3]
    assert " + " in row[3]
    assert row[4:] == ["20 74 68 65", "U+0020 U+0074 U+0068 U+0065"]
    (row,) = rows(client.get("/vocabularies/bpe-bytes?query=E4 B8"))[:1]
    assert row[1] == "⟨E4 B8⟩"
    assert row[5] == ""


def test_searching_by_text_and_by_id(client: FlaskClient) -> None:
    pieces = shipped_tokenizer("wordpiece").model.pieces
    found = ids(client.get("/vocabularies/wordpiece?query=under"))
    assert [pieces[id] for id in found[:2]] in (["under", "##under"], ["##under", "under"], ["under", "understand"])
    assert all("under" in str(pieces[id]) for id in found)
    assert ids(client.get("/vocabularies/wordpiece?query=31999"))[0] == 31_999
    assert ids(client.get("/vocabularies/wordpiece?query=%23%23ing"))[0] == pieces.index("##ing")
    with_dot = ids(client.get("/vocabularies/bpe-bytes?query=·the"))
    assert with_dot == ids(client.get("/vocabularies/bpe-bytes?query= the"))


@pytest.mark.parametrize(
    ("query", "id", "piece"),
    [
        ("U+4E00", None, "一"),
        ("u+7814 U+7A76", None, "研究"),
        ("0x41", 65, "A"),
        ("e4 b8 80", None, "一"),
        ("20 74 68 65", None, "·the"),
        ("e4 b8", None, "⟨E4 B8⟩"),
    ],
)
def test_searching_by_code_points_and_bytes(client: FlaskClient, query: str, id: int | None, piece: str) -> None:
    answer = client.get("/vocabularies/bpe-bytes", query_string={"query": query})
    assert rows(answer)[0][1] == piece
    assert id is None or ids(answer)[0] == id
    assert f"tokens contain “{query}”." in words(answer)


def test_only_a_number_is_searched_as_an_id(client: FlaskClient) -> None:
    assert "tokens contain “'”." in words(client.get("/vocabularies/bpe-bytes?query='"))
    assert re.search(
        "tokens? contains? “12” or ha(s|ve) this id", words(client.get("/vocabularies/wordpiece?query=12"))
    )


@pytest.mark.parametrize("page", ["", " ", "1 "])
def test_an_empty_page_number_is_the_first_page(client: FlaskClient, page: str) -> None:
    assert ids(client.get("/vocabularies/unigram", query_string={"page": page})) == list(range(100))


def test_paging(client: FlaskClient) -> None:
    second = client.get("/vocabularies/unigram?page=2")
    assert ids(second) == list(range(100, 200))
    assert "2 of 320" in words(second)
    assert 'href="/vocabularies/unigram?page=3#tokens"' in second.text
    last = client.get("/vocabularies/unigram?page=320")
    assert ids(last) == list(range(31_900, 32_000))
    assert "page=321" not in last.text
    total = len(ids(client.get("/vocabularies/unigram?query=the"))) + len(
        ids(client.get("/vocabularies/unigram?query=the&page=2"))
    )
    assert f"{total} tokens contain “the”" in words(client.get("/vocabularies/unigram?query=the"))


@pytest.mark.parametrize("page", ["321", "0", "-1", "x", "1 2", "1" * 5000, "²"])
def test_a_page_that_does_not_exist(client: FlaskClient, page: str) -> None:
    answer = client.get("/vocabularies/unigram", query_string={"page": page})
    assert answer.status_code == 404
    assert "the last is 320" in words(answer)
    assert 'href="/vocabularies/unigram?page=320#tokens"' in answer.text
    assert "<h2>Pipeline</h2>" in answer.text


def test_nothing_found(client: FlaskClient) -> None:
    answer = client.get("/vocabularies/unigram", query_string={"query": "<b>qqq"})
    assert answer.status_code == 200
    assert "No token contains “<b>qqq”." in words(answer)
    assert "<b>qqq" not in answer.text
    assert 'value="&lt;b&gt;qqq"' in answer.text
    assert 'href="/vocabularies/unigram#tokens"' in answer.text


def test_a_query_that_is_too_long_is_refused(client: FlaskClient) -> None:
    answer = client.get("/vocabularies/unigram", query_string={"query": "x" * 101})
    assert answer.status_code == 422
    assert "Search for at most 100 characters; these are 101." in words(answer)
    assert "x" * 101 in answer.text
    assert client.get("/vocabularies/unigram", query_string={"query": "x" * 100}).status_code == 200


@pytest.mark.parametrize(
    "query",
    [{}, {"query": "the"}, {"query": "the", "page": "2"}, {"query": "qqqqq"}, {"page": "999"}, {"query": "x" * 101}],
)
def test_htmx_gets_the_fragment_that_the_page_includes(client: FlaskClient, query: dict[str, str]) -> None:
    page = client.get("/vocabularies/unigram", query_string=query)
    part = client.get("/vocabularies/unigram", query_string=query, headers=HTMX)
    assert part.status_code == page.status_code
    assert part.text.strip()
    assert part.text.strip() in page.text
    assert "<html" not in part.text
    assert "HX-Request-Type" in part.headers["Vary"]


def test_htmx_updates_the_address(client: FlaskClient) -> None:
    typed = client.get("/vocabularies/unigram?query=the", headers=HTMX)
    assert typed.headers["HX-Replace-Url"] == "/vocabularies/unigram?query=the"
    assert client.get("/vocabularies/unigram?query=", headers=HTMX).headers["HX-Replace-Url"] == "/vocabularies/unigram"
    leafed = client.get("/vocabularies/unigram?page=2&query=the", headers=HTMX)
    assert leafed.headers["HX-Push-Url"] == "/vocabularies/unigram?query=the&page=2"
    assert "HX-Replace-Url" not in leafed.headers


@pytest.mark.parametrize(
    "name", ["wordpeice", "cl100k", "GPT2", "own-dictionary", "learned-bytes", "x" * 500, "\u202e"]
)
def test_an_unknown_vocabulary_is_404(client: FlaskClient, name: str) -> None:
    answer = client.get(f"/vocabularies/{name}")
    assert answer.status_code == 404
    assert "There is no vocabulary “" in words(answer)
    assert 'href="/vocabularies"' in answer.text
    part = client.get(f"/vocabularies/{name}", headers=HTMX)
    assert part.status_code == 404
    assert "<html" not in part.text


def test_similar_names_are_suggested(client: FlaskClient) -> None:
    assert 'href="/vocabularies/wordpiece"' in client.get("/vocabularies/wordpeice").text
    assert 'href="/vocabularies/cl100k_base"' in client.get("/vocabularies/CL100K").text
    assert 'href="/vocabularies/gpt2"' in client.get("/vocabularies/GPT-2").text
    assert 'href="/vocabularies/r50k_base"' in client.get("/vocabularies/gpt3").text
    assert "Similar names" not in client.get("/vocabularies/zzzzzzzzzz").text


def test_an_uploaded_vocabulary_has_a_page(app: Flask, client: FlaskClient) -> None:
    with app.app_context():
        entry = library().store("研究 5 n\n研究生 3 n\n生命 4 n\n".encode())
    answer = client.get(f"/vocabularies/{entry.name}")
    assert answer.status_code == 200
    assert rows(answer)[1][:4] == ["1", "研究生", "3", "n"]
    assert "None: every token stands for text." in words(answer)


WHY = {
    "offline": (FetchError("offline", host="example.org", name="gpt2"), "there is no connection to example.org"),
    "broken": (FormatError("line 3 is no base64"), "line 3 is no base64"),
}


@pytest.mark.parametrize("why", WHY)
def test_a_vocabulary_that_cannot_be_loaded_is_503(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    error, sentence = WHY[why]

    def fail(name: str) -> None:
        entry = find(name)
        assert entry
        raise UnavailableVocabularyError(entry, error)

    monkeypatch.setattr(found, "tokenizer_of", fail)
    answer = client.get("/vocabularies/gpt2")
    assert answer.status_code == 503
    assert sentence in words(answer)
    assert "GPT-2" in words(answer)
    assert 'href="/vocabularies/gpt2"' in answer.text
    part = client.get("/vocabularies/gpt2", headers=HTMX)
    assert part.status_code == 503
    assert "<html" not in part.text


def test_a_vocabulary_being_fetched_is_202(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def wait(name: str) -> None:
        entry = find(name)
        assert entry
        raise StillFetchingError(entry, 500_000, 2_000_000)

    monkeypatch.setattr(found, "tokenizer_of", wait)
    answer = client.get("/vocabularies/gpt2")
    assert answer.status_code == 202
    assert "0.5 of 2.0 MB received." in words(answer)
    assert '<meta http-equiv="refresh"' in answer.text
    assert client.get("/vocabularies/gpt2", headers=HTMX).text.strip() in answer.text


def test_the_highest_id_differs_from_the_number_of_tokens(app: Flask, client: FlaskClient) -> None:
    pieces = {"type": "WordLevel", "vocab": {"<unk>": 0, "a": 1}, "unk_token": "<unk>"}
    document = {"added_tokens": [{"id": 2, "content": "<s>", "special": True}], "model": pieces}
    with app.app_context():
        entry = library().store(json.dumps(document).encode())
    seen = words(client.get(f"/vocabularies/{entry.name}"))
    assert "3 tokens highest id 2" in seen


def test_settings_are_described_in_words(app: Flask, client: FlaskClient) -> None:
    split = {"type": "Split", "pattern": {"Regex": "[a-z]+"}, "behavior": "Removed", "invert": True}
    document = {
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "<b>"},
        "pre_tokenizer": split,
        "model": {"type": "WordLevel", "vocab": {"<unk>": 0}, "unk_token": "<unk>"},
    }
    with app.app_context():
        entry = library().store(json.dumps(document).encode())
    answer = client.get(f"/vocabularies/{entry.name}")
    seen = words(answer).replace(" ,", ",")
    assert "Replace replaces ·, by <b> Pre-tokenizer Split by the pattern [a-z]+, keeps only matches" in seen
    assert "<b></code>" not in answer.text


def test_a_hostile_vocabulary_is_drawn(app: Flask, client: FlaskClient) -> None:
    pieces = ["<unk>", "x" * 300_000, "\u202eabc", "<script>alert(1)</script>", "\x00", "\n" * 3000]
    document = {
        "added_tokens": [{"id": 6, "content": "<i>" * 2500, "special": True}],
        "model": {"type": "WordLevel", "vocab": {piece: id for id, piece in enumerate(pieces)}, "unk_token": "<unk>"},
    }
    with app.app_context():
        entry = library().store(json.dumps(document).encode())
    answer = client.get(f"/vocabularies/{entry.name}")
    assert answer.status_code == 200
    assert "<script>alert" not in answer.text
    assert len(answer.text) < 60_000
    seen = words(answer)
    assert "⟨202E⟩abc" in seen
    assert "300,000" in seen
    assert "x×300,000" in seen
    assert "2–3 0 0.0%" in seen  # lengths without a token share a row
    assert "262,145–524,288 1" in seen
