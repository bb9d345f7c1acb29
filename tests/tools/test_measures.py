"""The page of measures: definitions, the table, its files, and what is wrong with a request."""

import re

import pytest
from flask.testing import FlaskClient

from tests.site import rows_of
from webapp.core.analysis.measures import MEASURES, measures_of
from webapp.core.analysis.words import words_of
from webapp.tokenization.measures.measured import passages
from webapp.vocabularies import shipped_tokenizer
from webapp.vocabularies.shipped_vocabularies import chinese_words
from webapp.vocabularies.uploads import number_of_ids

TWO = ["wordpiece:wordpiece", "bpe:bpe-bytes"]
TEXT = "Unbelievable birds: 研究生命科学 ☃☃"


def test_every_measure_has_a_definition_with_an_anchor(client: FlaskClient) -> None:
    page = client.get("/measures").text
    assert re.findall(r'<details id="([^"]+)" class="fold definition">', page) == list(MEASURES)


def test_the_files_have_the_measures_of_the_core(client: FlaskClient) -> None:
    query = {"with": TWO, "text": TEXT, "gold": "研究 生命 科学", "lang": "en"}
    found = client.get("/measures.json", query_string=query).get_json()
    split = words_of(TEXT, chinese_words)
    assert (found["characters"], found["words"], found["han_words"]) == (len(TEXT), len(split), 2)
    for each in found["tokenizers"]:
        tokenizer = shipped_tokenizer(each["vocabulary"])
        expected = measures_of(tokenizer.encode(TEXT), split, number_of_ids(tokenizer))
        for name in ("tokens", "fertility", "whole_words", "unknown", "renyi_efficiency", "vocabulary_used"):
            assert each[name] == getattr(expected, name)
        counts = {one.key: len(tokenizer.ids(one.text)) for one in passages()}
        assert all(value == counts[key] / counts["en"] for key, value in each["languages"]["premiums"].items())
    assert list(found["tokenizers"][0]["gold"].values()) == [2, 5, 2, 0.4, 1.0, pytest.approx(4 / 7)]
    rows = rows_of(client.get("/measures.csv", query_string=query))
    assert [len(row) for row in rows] == [2 + len(MEASURES)] * 3
    assert rows[1][:3] == ["wordpiece", "wordpiece", str(found["tokenizers"][0]["tokens"])]
    languages = found["tokenizers"][1]["languages"]
    assert rows[2][rows[0].index("gini")] == str(languages["gini"])
    assert rows[2][rows[0].index("premium")] == str(languages["premiums"]["zh_Hans"])


def test_an_unknown_vocabulary_does_not_prevent_the_others(client: FlaskClient) -> None:
    answer = client.get("/measures", query_string={"with": ["bpe:nope", *TWO], "text": TEXT, "lang": "en"})
    assert answer.status_code == 200
    assert "There is no vocabulary “bpe:nope”" in answer.text
    assert client.get("/measures.csv", query_string={"with": "bpe:nope", "text": TEXT}).status_code == 404


@pytest.mark.parametrize("text", ["研究生命", "人人生而自由，在尊严和权利上一律平等。\n研究a所", "𠀀𠀁研究々〇生命"])
def test_chinese_words_spell_the_runs(text: str) -> None:
    found = words_of(text, chinese_words)
    assert "".join(found.of(text)) == "".join(re.findall(r"\w", text))
    assert found.han == sum(not word.isascii() for word in found.of(text))


@pytest.mark.parametrize(
    ("methods", "unit"),
    [(["fmm:jieba", "bmm:jieba"], "words"), (["fmm:jieba", *TWO], "words or tokens"), (TWO, "tokens")],
)
def test_words_of_dictionaries_are_counted_as_words(client: FlaskClient, methods: list[str], unit: str) -> None:
    page = client.get("/measures", query_string={"with": methods, "text": "研究生命起源", "lang": "en"}).text
    assert re.search(r'<p class="count"><b>[^<]+</b> ([^<]+)</p>', page)[1] == unit  # type: ignore[index]
