"""Every number of the lesson on smoothing is what the n-gram model computes with the lesson's parameters."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.pages.learn.computed import ADD_ONE, COMPANY, COUNTS, product, prose, site_model
from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import END, START
from webapp.core.models.smoothing import AbsoluteDiscounting, JelinekMercer, KneserNey
from webapp.web.localization import LANGUAGES

EACH = pytest.mark.parametrize("language", LANGUAGES)
SENTENCE = ["戏", "如", "人生"]
# The parameters of the lesson are round, and single words are not smoothed, so that figures can be checked by hand.
JELINEK_MERCER = NGram(COUNTS, JelinekMercer((1.0, 0.9)))
ABSOLUTE_DISCOUNTING = NGram(COUNTS, AbsoluteDiscounting((0.0, 0.75)))
KNESER_NEY = NGram(COUNTS, KneserNey((0.0, 0.75)))
MODELS = (ADD_ONE, JELINEK_MERCER, ABSOLUTE_DISCOUNTING, KNESER_NEY)


def perplexity(model: NGram) -> float:
    return float(product(factors(model))) ** (-1 / 4)


def fraction(model: NGram, word: str, before: str = "人生") -> Fraction:
    return Fraction(model.probability(word, [before])).limit_denominator(10_000)


def factors(model: NGram) -> list[Fraction]:
    return [fraction(model, word, before) for before, word in pairwise((START, *SENTENCE, END))]


def shown(fractions: list[Fraction]) -> str:
    return " · ".join(map(str, fractions))


@EACH
def test_add_one(client: FlaskClient, language: str) -> None:
    unseen = [word for word in COUNTS.words if COUNTS.count("人生", word) == 0]
    assert len(unseen) == 4
    assert {fraction(ADD_ONE, word) for word in unseen} == {Fraction(1, 9)}
    text = prose(client, "smoothing", language)
    assert "4/9" in text
    assert "50,100" in text
    assert pytest.approx(0.002, rel=0.01) == 100 / 50_100


@EACH
def test_interpolation(client: FlaskClient, language: str) -> None:
    text = prose(client, "smoothing", language)
    assert COUNTS.context_count() == 14
    assert "0.9 · 2/3 + 0.1 · 3/14 = 0.621" in text
    assert f"{JELINEK_MERCER.probability('如', ['人生']):.3f}" == "0.621"
    assert "0.1 · 2/14 = 0.014" in text
    assert f"{JELINEK_MERCER.probability('梦境', ['人生']):.3f}" == "0.014"
    assert fraction(JELINEK_MERCER, "梦境") == 2 * fraction(JELINEK_MERCER, "戏")


@EACH
def test_absolute_discounting_and_kneser_ney(client: FlaskClient, language: str) -> None:
    text = prose(client, "smoothing", language)
    assert COUNTS.types_after("人生") == 2
    assert f"(2 − 3/4) / 3 + 1/2 · 3/14 = 5/12 + 3/28 = {fraction(ABSOLUTE_DISCOUNTING, '如')}" in text
    assert f"1/2 · 1/14 = {fraction(ABSOLUTE_DISCOUNTING, '戏')}" in text
    assert len(list(COUNTS.ngrams(2))) == 12
    assert [COUNTS.levels[0].continuations[COUNTS.number(word)] for word in ("如", END)] == [2, 4]
    assert "2/12" in text
    assert "4/12" in text
    assert f"P(如 | 人生) = 5/12 + 1/2 · 2/12 = {fraction(KNESER_NEY, '如')}" in text
    assert f"P(戏 | 人生) = 0 + 1/2 · 1/12 = {fraction(KNESER_NEY, '戏')}" in text


@pytest.mark.parametrize("model", [ADD_ONE, JELINEK_MERCER, ABSOLUTE_DISCOUNTING, KNESER_NEY])
def test_each_method_shares_out_exactly_one(model: NGram) -> None:
    for before in (*COUNTS.words, START):
        assert sum(model.probability(word, [before]) for word in (*COUNTS.words, END)) == pytest.approx(1)


@EACH
def test_perplexity(client: FlaskClient, language: str) -> None:
    text = prose(client, "smoothing", language)
    assert COUNTS.count(START, "戏") == 0
    assert product(factors(ADD_ONE)) == Fraction(2, 2835)
    assert "1/10 · 1/7 · 2/9 · 2/9 = 2/2835" in text
    assert f"{perplexity(ADD_ONE):.2f}" == f"{(2835 / 2) ** 0.25:.2f}" == "6.14"
    assert "6.14" in text
    assert shown(factors(KNESER_NEY)) in text
    assert f"{perplexity(KNESER_NEY):.2f}" == "7.57"
    assert "7.57" in text
    page = client.get(f"/learn/smoothing?lang={language}").text
    assert (
        "".join(f'<td class="end">{value}</td>' for value in ["∞", *(f"{perplexity(each):.2f}" for each in MODELS)])
        in page
    )


@EACH
def test_the_table_of_shares(client: FlaskClient, language: str) -> None:
    page = client.get(f"/learn/smoothing?lang={language}").text
    for word in (*COUNTS.words, END):
        shares = [COUNTS.count("人生", word) / COUNTS.context_count("人生")]
        shares += [model.probability(word, ["人生"]) for model in MODELS]
        cells = "".join(f'<td class="end">{f"{each:.3f}" if each else "0"}</td>' for each in shares)
        assert f"</th>{cells}</tr>" in page
    for word, *counts in COMPANY:
        assert f'<th scope="row">{word}</th>' + "".join(f'<td class="end">{each}</td>' for each in counts) in page


def test_the_company_of_two_words(shared: Path) -> None:
    text = (shared / "corpora" / "zh_luxun.txt").read_text(encoding="utf-8").lower()
    for name, count, kinds in COMPANY:
        word = name.lower()
        before = Counter(text[at - 1] for at in range(1, len(text)) if text.startswith(word, at))
        assert (before.total(), len(before)) == (count, kinds)
        if word == "q":
            assert before["阿"] == 299
        else:
            assert {"的", "么", "小"} <= set(before)


@EACH
def test_smoothing_decides_with_the_same_counts(client: FlaskClient, language: str) -> None:
    page = client.get(f"/learn/smoothing?lang={language}").text
    assert f"{len(site_model().counts.words):,}" in page
    for key, words in (("by-add-one", ["人生如梦", "境"]), ("by-kneser-ney", ["人生", "如", "梦境"])):
        part = page[page.index(f'id="example-{key}"') :]
        assert re.findall(r"<i[^>]*>([^<]*)</i>", part[: part.index("</figure>")]) == words
