"""How a corpus is read, as text or as words with counts, and the text to encode that goes with it."""

from __future__ import annotations

import re
from html import unescape

import pytest
from flask.testing import FlaskClient

from webapp.pages.training.request import MOST_COUNT, read_counts

TEXTBOOK = {"low": 5, "lower": 2, "newest": 6, "widest": 3}


@pytest.mark.parametrize(
    "corpus",
    [
        "low 5 lower 2 newest 6 widest 3",
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


def test_large_counts_may_have_separators() -> None:
    assert read_counts(f"the 1,234\nof {MOST_COUNT}") == {"the": 1234, "of": MOST_COUNT}


def test_a_pasted_list_of_counts_trains_like_the_paper(client: FlaskClient) -> None:
    query = {"corpus": "low 5 lower 2 newest 6 widest 3", "apart": "1", "size": "5", "lang": "en"}
    answer = client.get("/steps/training/bpe", query_string={**query, "format": "json"}).get_json()
    assert answer["counts"] == TEXTBOOK
    pairs = [step["pairs"][0] for step in answer["steps"][1:-1]]
    assert [f"{pair['left']} {pair['right']} {pair['count']}" for pair in pairs] == [
        *("e s 9", "es t 9", "est </w> 9", "l o 7", "lo w 7")
    ]
    page = client.get("/steps/training/bpe", query_string=query).text
    assert "Read as 4 words with their counts: low × 5, lower × 2, newest × 6, widest × 3." in page
    other = re.search(r'<a href="([^"]+)">Read it as plain text</a>', page)
    assert other is not None
    text = client.get(unescape(other[1])).text
    assert "Read as plain text." in text
    assert "The corpus has 8 different words." in text


def test_counts_mean_the_same_to_every_trainer(client: FlaskClient) -> None:
    for kind in ("bpe", "wordpiece", "unigram"):
        listed = client.get(f"/steps/training/{kind}?corpus=hug+10+pug+5+pun+12+bun+4+hugs+5&format=json").get_json()
        last = listed["steps"][-1]["words"]
        assert [word["count"] for word in last] == [10, 5, 12, 4, 5]


def test_without_a_text_words_of_the_corpus_are_encoded(client: FlaskClient) -> None:
    for corpus, text in (
        ("low 5 lower 2 newest 6", "low lower newest"),
        ("the cat sat on the mat", "the cat sat on mat"),
        ("学而时习之", "学而时习之"),
    ):
        query = {"corpus": corpus, "lang": "en"}
        assert client.get("/steps/training/bpe", query_string={**query, "format": "json"}).get_json()["text"] == text
        assert "These are words of the corpus." in client.get("/steps/training/bpe", query_string=query).text
    written = client.get("/steps/training/bpe?corpus=low+lower&text=slow&lang=en").text
    assert "These are words of the corpus." not in written


def test_a_corpus_that_is_far_too_long_is_kept_in_the_form_and_its_links_stay_short(client: FlaskClient) -> None:
    corpus = " ".join(f"{number:x}" for number in range(150_000))
    answer = client.post("/steps/training/bpe", data={"corpus": corpus})
    assert answer.status_code == 413
    assert corpus in answer.text
    assert max(map(len, re.findall(r'href="([^"]*)"', answer.text))) < 100_000
