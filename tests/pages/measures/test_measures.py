"""The page of measures: definitions, the table, its files, and what is wrong with a request."""

from __future__ import annotations

import csv
import io
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient

from webapp.core.analysis.measures import MEASURES, measures_of
from webapp.core.analysis.words import words_of
from webapp.tokenization.measures.definitions import DEFINITIONS
from webapp.tokenization.parallel_article import passages
from webapp.vocabularies import shipped_tokenizer
from webapp.vocabularies.chinese_words import chinese_words
from webapp.vocabularies.uploads import number_of_ids

TWO = ["wordpiece:wordpiece", "bpe:bpe-bytes"]
TEXT = "Unbelievable birds: 研究生命科学 ☃☃"


def text_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def table_of(page: str) -> str:
    return text_of(page[page.index('<table class="measures-table">') : page.index("</table>")])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_measure_has_a_definition_with_an_anchor(client: FlaskClient, language: str) -> None:
    page = client.get("/measures", query_string={"lang": language}).text
    assert re.findall(r'<article id="([^"]+)" class="definition">', page) == list(MEASURES)
    for measure, definition in DEFINITIONS.items():
        assert f'href="#{measure}"' in page
        for source in definition.sources:
            assert source.address in page


def test_the_example_is_measured_with_the_shipped_vocabularies(client: FlaskClient) -> None:
    shown = table_of(client.get("/measures?lang=en").text)
    assert "1 Demo: byte-level BPE, 32k" in shown
    assert "Your text Tokens 68 72 75 68 Characters per token 3.15" in shown
    assert "The same article in 39 languages Premium of Chinese times the tokens of English 0.86×" in shown
    assert "gold" not in shown


def test_the_files_have_the_measures_of_the_core(client: FlaskClient) -> None:
    query = {"with": TWO, "text": TEXT, "gold": "研究 生命 科学", "lang": "en"}
    found = client.get("/measures.json", query_string=query).get_json()
    words = words_of(TEXT, chinese_words)
    assert (found["characters"], found["words"], found["han_words"]) == (len(TEXT), len(words), 2)
    assert "jieba" in found["words_by"]
    for each in found["tokenizers"]:
        tokenizer = shipped_tokenizer(each["vocabulary"])
        expected = measures_of(tokenizer.encode(TEXT), words, number_of_ids(tokenizer))
        for name in ("tokens", "fertility", "whole_words", "unknown", "renyi_efficiency", "vocabulary_used"):
            assert each[name] == getattr(expected, name)
        counts = {one.key: len(tokenizer.ids(one.text)) for one in passages() if one.comparable}
        assert all(value == counts[key] / counts["en"] for key, value in each["languages"]["premiums"].items())
    assert found["tokenizers"][0]["gold"] == {
        "gold_boundaries": 2,
        "boundaries": 5,
        "both": 2,
        "precision": 0.4,
        "recall": 1.0,
        "f1": pytest.approx(4 / 7),
    }
    table = client.get("/measures.csv", query_string=query)
    rows = list(csv.reader(io.StringIO(table.get_data(as_text=True).lstrip("\ufeff"))))
    assert [len(row) for row in rows] == [2 + len(MEASURES)] * 3
    assert rows[1][:3] == ["wordpiece", "wordpiece", str(found["tokenizers"][0]["tokens"])]
    assert rows[2][rows[0].index("gini")] == str(found["tokenizers"][1]["languages"]["gini"])


def test_a_short_form_is_redirected_and_a_long_one_is_shown(client: FlaskClient) -> None:
    answer = client.post("/measures", data={"with": TWO, "text": TEXT, "gold": "un break able"})
    assert answer.status_code == 303
    query = parse_qs(urlsplit(answer.location).query)
    assert (query["with"], query["text"], query["gold"]) == (TWO, [TEXT], ["un break able"])
    shown = client.get(answer.location + "&lang=en").text
    assert "The gold segmentation Boundary precision" in table_of(shown)
    long = client.post("/measures", data={"with": TWO, "text": "low " * 1000, "lang": "en"})
    assert long.status_code == 200
    assert 'formaction="/measures.csv"' in long.text


def test_a_dictionary_has_no_premium(client: FlaskClient) -> None:
    found = client.get("/measures.json", query_string={"with": "fmm:jieba", "text": "研究生命"}).get_json()
    assert "languages" not in found["tokenizers"][0]
    shown = table_of(client.get("/measures", query_string={"with": "fmm:jieba", "text": "研究生命", "lang": "en"}).text)
    assert "Premium" not in shown
    both = {"with": ["fmm:jieba", "bpe:bpe-bytes"], "text": "研究生命", "lang": "en"}
    shown = table_of(client.get("/measures", query_string=both).text)
    assert "Premium of Chinese times the tokens of English – 0.86×" in shown


@pytest.mark.parametrize(
    ("data", "status", "message", "field"),
    [
        ({"text": TEXT}, 422, "Choose at least one tokenizer.", "with"),
        ({"text": TEXT, "with": [f"bpe:{name}" for name in "abcdefg"]}, 422, "choose at most 6", "with"),
        ({"text": TEXT, "with": TWO, "gold": "没有空格的金标准"}, 422, "No line has a space", "gold"),
        ({"text": "a" * 1_100_000, "with": TWO}, 413, "The text has 1,100,000 bytes", "text"),
        ({"text": TEXT, "with": TWO, "gold": "a b " * 300_000}, 413, "The gold segmentation has", "gold"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(
    client: FlaskClient, data: dict[str, object], status: int, message: str, field: str
) -> None:
    answer = client.post("/measures?lang=en", data=data)
    assert answer.status_code == status
    error = re.search(rf'<p class="error" role="alert" id="{field}-error">(.*?)</p>', answer.text)
    assert error is not None
    assert message in error[1]
    assert str(data["text"])[:20] in answer.text
    assert client.post("/measures.json", data=data).status_code == status


def test_an_unknown_vocabulary_does_not_prevent_the_others(client: FlaskClient) -> None:
    answer = client.get("/measures", query_string={"with": ["bpe:nope", *TWO], "text": TEXT, "lang": "en"})
    assert answer.status_code == 200
    assert "There is no vocabulary “bpe:nope”" in answer.text
    assert "Your text Tokens" in table_of(answer.text)
    assert client.get("/measures", query_string={"with": "bpe:nope", "text": TEXT}).status_code == 404
    assert client.get("/measures.csv", query_string={"with": "bpe:nope", "text": TEXT}).status_code == 404


@pytest.mark.parametrize("text", ["   ", "\ud800", "\0", "a" * 1_000_000, "研" * 300_000, "😀" * 1000])
def test_hostile_texts(client: FlaskClient, text: str) -> None:
    sent = {"with": TWO, "text": text.encode("utf-8", "surrogatepass"), "gold": "un break able"}
    answer = client.post("/measures?lang=en", data=sent, follow_redirects=True)
    assert answer.status_code == 200
    assert client.post("/measures.json", data=sent).status_code == 200


def test_without_a_text_there_are_only_definitions(client: FlaskClient) -> None:
    answer = client.get("/measures?text=&lang=en")
    assert answer.status_code == 200
    assert "Type or paste a text to measure its tokens." in answer.text
    assert "measures-table" not in answer.text
    assert client.get("/measures.csv?text=").status_code == 422


def test_the_limit_of_the_gold_text_is_that_of_texts(
    client: FlaskClient, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.config, "MAX_TEXT_BYTES", 20)
    answer = client.get("/measures", query_string={"text": "low", "gold": "low er " * 4, "lang": "en"})
    assert answer.status_code == 413


@pytest.mark.parametrize("text", ["研究生命", "人人生而自由，在尊严和权利上一律平等。\n研究a所", "𠀀𠀁研究々〇生命"])
def test_chinese_words_spell_the_runs(text: str) -> None:
    found = words_of(text, chinese_words)
    assert "".join(found.of(text)) == "".join(re.findall(r"\w", text))
    assert found.han == sum(not word.isascii() for word in found.of(text))
