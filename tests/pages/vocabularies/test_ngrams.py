"""The page of an n-gram vocabulary: orders, the most frequent n-grams, and what follows a word."""

from __future__ import annotations

import re

from flask.testing import FlaskClient

PAGE = "/vocabularies/ngram"


def test_the_page_has_the_orders_and_the_most_frequent_words(client: FlaskClient) -> None:
    page = client.get(f"{PAGE}?lang=en").text
    for title in ("Words", "Pairs", "Triples"):
        assert re.search(rf'id="order-\d">{title} <span class="quiet num">[\d,]+<', page)
    assert "Interpolated Kneser–Ney smoothing" in page
    assert re.search(r"D₂ = [\d,]+ / \([\d,]+ \+ 2 · [\d,]+\) = 0\.\d+", page)
    assert ">Count<" in page  # the column of the tokens


def test_what_follows_and_precedes_a_word(client: FlaskClient) -> None:
    page = client.get(f"{PAGE}?lang=en&after=宝玉").text
    assert "“宝玉” was counted" in page
    assert "After it" in page
    assert 'href="/vocabularies/ngram?after=' in page
    partial = client.get(f"{PAGE}?lang=en&after=宝玉", headers={"HX-Request-Type": "partial"})
    assert partial.status_code == 200
    assert "<html" not in partial.text
    assert "After it" in partial.text
    assert "after=" in partial.headers["HX-Replace-Url"]


def test_a_word_that_is_unknown_empty_or_too_long(client: FlaskClient) -> None:
    assert "is not a word of this vocabulary" in client.get(f"{PAGE}?lang=en&after=烎烎烎").text
    assert "Type a word" in client.get(f"{PAGE}?lang=en&after=").text
    hostile = client.get(f"{PAGE}?lang=en&after=<script>alert(1)</script>").text
    assert "<script>alert" not in hostile
    assert client.get(f"{PAGE}?after={'字' * 65}", headers={"HX-Request-Type": "partial"}).status_code == 422
    assert client.get(f"{PAGE}?after={'字' * 65}").status_code == 200


def test_other_vocabularies_have_no_ngrams(client: FlaskClient) -> None:
    page = client.get("/vocabularies/unigram?after=the&lang=en").text
    assert "What follows a word" not in page
