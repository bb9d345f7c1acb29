"""The steps of n-grams: the worked example, the parts of each smoothing, unknown words, files."""

from __future__ import annotations

import csv
import io
import re
from math import exp, isclose
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.site import Page
from webapp.core.models.smoothing import SMOOTHINGS
from webapp.pages.walkthrough.lattice_drawing import MAX_LANES

WORKED = {"vocabulary": "learned-ngram", "smoothing": "add-one", "text": "人生如梦境", "lang": "en"}
PAGE = "/steps/ngram"


def steps_of(client: FlaskClient, **query: Any) -> dict[str, Any]:
    found: dict[str, Any] = client.get(PAGE, query_string={**query, "format": "json"}).get_json()
    return found


def test_each_position_names_counts_and_sums(client: FlaskClient) -> None:
    page = client.get(PAGE, query_string={**WORKED, "step": 5}).text
    assert "(1 + 1) / (3 + 6)" in page
    assert "= 0.222" in page
    for figure in ("−1.50", "−2.30", "−3.81"):
        assert figure in page
    assert ">2/9<" in page  # on the line from 如 to 梦境
    chinese = client.get(PAGE, query_string={**WORKED, "step": 5, "lang": "zh"})
    assert chinese.status_code == 200


def test_the_tokens_are_those_of_the_playground_and_the_best_of_all(client: FlaskClient) -> None:
    found = steps_of(client, **WORKED)
    last = found["steps"][-1]
    (sentence,) = last["sentences"]
    assert sentence["words"] == ["人生", "如", "梦境"]
    assert [one["words"] for one in sentence["n_best"]][:2] == [["人生", "如", "梦境"], ["人生", "如", "梦", "境"]]
    assert isclose(exp(last["sum"]), 1 / 180)
    assert isclose(exp(sentence["n_best"][1]["log_probability"]), 1 / 3240)
    assert isclose(sum(one["share"] for one in sentence["n_best"]), 1)  # there are only four


@pytest.mark.parametrize("order", [pytest.param("1", marks=pytest.mark.exhaustive), "2", "3"])
@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_what_each_order_contributes_adds_up(client: FlaskClient, smoothing: str, order: str) -> None:
    found = steps_of(client, text="研究生命。", order=order, smoothing=smoothing)
    for step in found["steps"]:
        for one in step.get("candidates", ()):
            parts = sum(part["probability"] for part in one["contributions"])
            if one["known"]:
                assert isclose(parts, one["probability"], rel_tol=1e-9)
            else:
                assert parts > one["probability"]  # times the spelling
    page = client.get(
        PAGE, query_string={"text": "研究生命。", "order": order, "smoothing": smoothing, "step": 4, "lang": "en"}
    )
    assert page.status_code == 200
    assert "Where the probability comes from" in page.text


def test_an_unknown_word_shows_the_numbers_of_its_characters(client: FlaskClient) -> None:
    page = client.get(PAGE, query_string={"text": "烎", "lang": "en", "step": 1}).text
    assert "times that of its spelling" in page
    factors = re.search(r"length × characters: ([^=]*) = ([^<]*?)\.<", page)
    assert factors is not None
    assert len(factors[1].split(" · ")) == 2  # the length, and one character


def test_sentences_and_white_space(client: FlaskClient) -> None:
    text = "人生如戏。 人生 如梦！\nabc 12"
    found = steps_of(client, text=text)
    words = [word for sentence in found["steps"][-1]["sentences"] for word in sentence["words"]]
    assert "".join(words) == "".join(text.split())
    assert {"abc", "12"} <= set(words)
    assert client.get(PAGE, query_string={"text": text, "token": len(found["ids"]) - 1}).status_code == 200


def test_a_long_text_stays_bounded(client: FlaskClient) -> None:
    text = "中华人民共和国全国人民代表大会常务委员会" * 10
    found = client.get(PAGE, query_string={"text": text, "order": "3", "step": 100, "lang": "en"})
    assert found.status_code == 200
    assert "only the part around this step is drawn" in found.text
    assert len(found.data) < 400_000
    height = float(re.search(r'<svg class="diagram[^>]*height="([\d.]+)"', found.text)[1])  # type: ignore[index]
    assert height < 70 * (MAX_LANES + 3)


def test_all_rows_are_a_csv_file(client: FlaskClient) -> None:
    answer = client.get(PAGE, query_string={**WORKED, "format": "csv"})
    assert answer.mimetype == "text/csv"
    rows = list(csv.DictReader(io.StringIO(answer.text.removeprefix("\ufeff"))))
    dream = next(row for row in rows if row["Word"] == "梦境")
    assert dream["Formula"] == "(1 + 1) / (3 + 6)"
    assert isclose(float(dream["Probability"]), 2 / 9)
    assert "download>All rows as CSV<" in client.get(PAGE, query_string=WORKED).text


def test_own_sentences_can_be_changed(client: FlaskClient) -> None:
    page = client.get(PAGE, query_string=WORKED).text
    assert re.search(r'<textarea name="corpus" rows[^>]*>\n人生 如 梦境', page)
    moved = client.post(PAGE, data={**WORKED, "corpus": "人 生如 梦境"})
    assert moved.status_code == 303
    found = client.get(f"{moved.headers['Location']}&format=json").get_json()
    assert found["steps"][-1]["sentences"][0]["words"] == ["人", "生如", "梦境"]


@pytest.mark.parametrize("page", ["/steps/ngram", "/steps/unigram"])
@pytest.mark.parametrize("n", ["0", "21", "x", "²"])
def test_an_impossible_number_of_segmentations_is_refused(client: FlaskClient, page: str, n: str) -> None:
    answer = client.get(page, query_string={"text": "hugs", "n": n, "lang": "en"})
    assert answer.status_code == 422
    assert "must be from 1 to 20" in Page(answer.text).problems[0]
    # The form would send the same again.
    out = re.search(r'(?s)role="alert">.*?<a class="btn" href="([^"]+)"', answer.text)
    assert out is not None
    assert client.get(out[1].replace("&amp;", "&")).status_code == 200
