"""The pages that train word n-grams: the counting, the probabilities of each smoothing, and the segmentation."""

import csv
import json
import re
from html import unescape
from math import exp, isclose
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from webapp.core.models.smoothing import SMOOTHINGS
from webapp.web.addresses import packed

ADDRESS = "/steps/training/ngram"
WORKED = "人生 如 梦境\n人生 如 戏\n生如夏花\n梦境 如 人生"


def steps_of(client: FlaskClient, **query: Any) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = client.get(ADDRESS, query_string={**query, "format": "json"}).get_json()["steps"]
    return steps


def page_of(client: FlaskClient, **query: Any) -> str:
    answer = client.get(ADDRESS, query_string={"lang": "en", **query})
    assert answer.status_code == 200
    return answer.text


def table_rows(page: str, label: str) -> list[list[str]]:
    part = page[page.index(f'aria-label="{label}"') :]
    part = part[: part.index("</table>")]
    return [
        [" ".join(unescape(re.sub("<[^>]+>", " ", cell)).split()) for cell in re.findall(r"<t[hd].*?</t[hd]>", row)]
        for row in re.findall(r"<tr.*?</tr>", part, re.DOTALL)
    ]


def test_the_sentences_of_the_preset_are_those_of_the_worked_example(client: FlaskClient, shared: Path) -> None:
    worked = json.loads((shared / "examples" / "worked_examples.json").read_text(encoding="utf-8"))["ngram_viterbi"]
    corpus = "\n".join(" ".join(sentence) for sentence in worked["sentences"])
    assert f">\n{corpus}</textarea>" in client.get(ADDRESS).text
    assert steps_of(client, corpus=corpus, text=worked["text"])[-1]["words"] == worked["segmentation"]


def test_every_number_of_the_worked_example_can_be_followed(client: FlaskClient) -> None:
    page = page_of(client, step=11)
    assert "P = 3/10 · 3/9 · 2/9 · 2/8 = 1/180" in page
    rows = table_rows(page, "The words of the best path")
    assert [row[2] for row in rows[1:3]] == ["(2 + 1) / (4 + 6) = 0.300", "(2 + 1) / (3 + 6) = 0.333"]
    assert rows[-1][-1] == "−5.19"
    assert table_rows(page, "The best segmentations")[2][1] == "−8.08"


def test_sentences_are_counted_one_by_one(client: FlaskClient) -> None:
    steps = steps_of(client)
    assert [step["kind"] for step in steps[:5]] == ["count"] * 4 + ["estimate"]
    assert steps[0]["ngrams"] == [["<s>", "人生"], ["人生", "如"], ["如", "梦境"], ["梦境", "</s>"]]
    first = table_rows(page_of(client, step=0), "Counts so far")
    assert first[1] == ["the beginning", "1", "0", "0", "0", "1"]  # 人生, 如, 梦境, the end, their sum


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_the_parts_of_a_probability_are_its_sum(client: FlaskClient, order: int, smoothing: str) -> None:
    steps = steps_of(client, corpus=WORKED, text="人生如戏", order=order, smoothing=smoothing)
    candidates = [one for step in steps if step.get("kind") == "position" for one in step["candidates"]]
    assert candidates
    for one in candidates:
        parts = one["contributions"]
        assert isclose(sum(part["probability"] for part in parts), one["probability"], rel_tol=1e-12)
        assert all(isclose(part["weight"] * part["share"], part["probability"], rel_tol=1e-12) for part in parts)
        assert isclose(exp(one["log_probability"]), one["probability"])
        assert len(one["context"]) < order
    assert steps[-1]["words"] == ["人生", "如", "戏"]
    assert "<script>" not in page_of(client, corpus="<script> a", text="a<script>\x07", order=order, step=3)


def test_a_longer_corpus_is_counted_in_batches(client: FlaskClient) -> None:
    corpus = "\n".join(f"a{number} b" for number in range(100))
    steps = steps_of(client, corpus=corpus, text="a1b")
    counting = [step for step in steps if step["kind"] == "count"]
    assert len(counting) == 12
    assert sum(len(step["sentences"]) for step in counting) == 100


def test_all_positions_are_one_table(client: FlaskClient) -> None:
    rows = list(csv.reader(client.get(f"{ADDRESS}/rounds?format=csv&lang=en").text.lstrip("\ufeff").splitlines()))
    assert rows[0][:4] == ["Position", "Word", "Previous word", "Probability"]
    assert rows[2][:4] == ["2", "人生", "the beginning", "(2 + 1) / (4 + 6)"]
    assert rows[-1][:3] == ["5", "the end", "梦境"]


@pytest.mark.parametrize("parameter", [{"corpus": WORKED}, {"packed": packed(WORKED)}, {}])
def test_old_addresses_of_bigrams_open_the_page_of_ngrams(client: FlaskClient, parameter: dict[str, str]) -> None:
    answer = client.get("/steps/training/bigrams", query_string={**parameter, "text": "人生如梦境", "step": "3"})
    assert answer.status_code == 308
    assert 'data-step="3"' in client.get(answer.headers["Location"]).text
    rounds = client.get("/steps/training/bigrams/rounds", query_string={**parameter, "format": "csv"})
    assert client.get(rounds.headers["Location"]).mimetype == "text/csv"


@pytest.mark.parametrize("view", ["", "/rounds"])
def test_a_word_that_no_model_can_have_is_refused(client: FlaskClient, view: str) -> None:
    corpus = f"short {'a' * 65}"
    answer = client.get(f"/steps/training/ngram{view}", query_string={"corpus": corpus})
    assert answer.status_code == 422
    assert "The corpus cannot be counted: the word" in answer.text
    assert "at most 64 are allowed" in answer.text
    assert corpus in answer.text  # the visitor's text is kept


@pytest.mark.parametrize(
    ("corpus", "text", "words"),
    [
        ("人生/如/梦境\n人生/如/戏", "人生如戏", "人生 如 戏"),
        ("the table down there\nthe men own the table\ntheta bled", "thetabledownthere", "the table down there"),
        ("人生 如 戏\n人生 如 梦", "", "人生 如 戏"),  # without a text, the first sentence
        # The marks of textbooks lose no characters.
        *((corpus, text, "") for corpus in ("a b", "<s> a\n<s> b") for text in ("<s>a", "a</s>b", "<s><s>")),
    ],
)
def test_a_text_without_spaces_is_segmented(client: FlaskClient, corpus: str, text: str, words: str) -> None:
    found = steps_of(client, corpus=corpus, text=text)[-1]["words"]
    assert found == words.split() if words else "".join(found) == text


def test_the_formula_of_each_smoothing_gives_its_probability(client: FlaskClient) -> None:
    for smoothing in SMOOTHINGS:
        page = page_of(client, corpus=WORKED, text="人生如戏", smoothing=smoothing, step=8)
        for row in table_rows(page, "Words that end here")[1:]:
            formula, value = row[2].translate(str.maketrans("·−", "*-")).rsplit(" = ", 1)
            assert re.fullmatch(r"[\d\s.()+*/-]+", formula), formula
            assert abs(eval(formula) - float(value)) < 0.006, (smoothing, formula)
