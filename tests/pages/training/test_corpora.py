"""How a corpus is read, as text or as words with counts, and the text to encode that goes with it."""

import re
from html import unescape

import pytest
from flask.testing import FlaskClient

from webapp.pages.training.request import MOST_COUNT, read_counts

TEXTBOOK = {"low": 5, "lower": 2, "newest": 6, "widest": 3}


@pytest.mark.parametrize(
    "corpus",
    [
        "low 5\nlower 2\nnewest 6\nwidest 3",
        "low×5\r\nlower × 2\r\nnewest x 6\r\nwidest x3",
        "low*5, lower * 2; newest: 6; widest：3",
        "low\t5\nlower\t2\n\nnewest,6\nwidest = 3\n",
        '[("low", 5), ("lower", 2), ("newest", 6), ("widest", 3)]',
        "{'low': 5, 'lower': 2, 'newest': 6, 'widest': 3}",
        "      5 low\n      2 lower\n      6 newest\n      3 widest",
        "low 4 lower 2 newest 6 low 1 widest 3",
    ],
)
def test_counts_are_read_in_the_forms_of_textbooks(corpus: str) -> None:
    assert read_counts(corpus) == TEXTBOOK


@pytest.mark.parametrize(
    "corpus",
    [
        *("low lower newest", "I have 5 apples and 3 pears", "2020 5 2021 6", "3 cats", "aaabdaaabac", "1 + 1 = 2", ""),
        *("low 5\nlower\nnewest 6", "low 5\nlower 0", "low 5\nlower -1", "low 5\nlower 2.5", "学而时习之，不亦说乎？"),
        *(f"low {MOST_COUNT + 1}", f"low {'9' * 5_000}"),
    ],
)
def test_texts_stay_texts(corpus: str) -> None:
    assert read_counts(corpus) is None


def test_a_pasted_list_of_counts_trains_like_the_paper(client: FlaskClient) -> None:
    query = {"corpus": "low 5 lower 2 newest 6 widest 3", "apart": "1", "size": "5", "lang": "en"}
    answer = client.get("/steps/training/bpe", query_string={**query, "format": "json"}).get_json()
    assert answer["counts"] == TEXTBOOK
    page = client.get("/steps/training/bpe", query_string=query).text
    other = re.search(r'<a href="([^"]+)">Read it as plain text</a>', page)
    assert other is not None
    assert "The corpus has 8 different words." in client.get(unescape(other[1])).text


def test_counts_mean_the_same_to_every_trainer(client: FlaskClient) -> None:
    for kind in ("bpe", "wordpiece", "unigram"):
        listed = client.get(f"/steps/training/{kind}?corpus=hug+10+pug+5+pun+12+bun+4+hugs+5&format=json").get_json()
        last = listed["steps"][-1]["words"]
        assert [word["count"] for word in last] == [10, 5, 12, 4, 5]


def test_without_a_text_words_of_the_corpus_are_encoded(client: FlaskClient) -> None:
    for corpus, text in (("low 5 lower 2", "low lower"), ("the cat sat on the mat", "the cat sat on mat")):
        query = {"corpus": corpus, "format": "json"}
        assert client.get("/steps/training/bpe", query_string=query).get_json()["text"] == text


def test_a_corpus_that_is_far_too_long_is_kept_in_the_form_and_its_links_stay_short(client: FlaskClient) -> None:
    corpus = " ".join(f"{number:x}" for number in range(150_000))
    answer = client.post("/steps/training/bpe", data={"corpus": corpus})
    assert answer.status_code == 413
    assert corpus in answer.text
    assert max(map(len, re.findall(r'href="([^"]*)"', answer.text))) < 100_000
