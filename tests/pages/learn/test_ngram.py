"""Every number in the lesson on word bigrams is what the core computes, in both languages."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise
from math import log

import pytest
from flask.testing import FlaskClient
from markupsafe import Markup

from tests.pages.learn.prose import prose
from tests.pages.learn.segmentation_answers import segmenter, site_model
from tests.pages.learn.test_questions import COUNTS, MODEL, factor
from webapp.core.models.ngram_counts import END, START
from webapp.core.traces.ngram import columns
from webapp.pages.learn.smoothed import SENTENCES
from webapp.pages.training.presets import DREAMS
from webapp.web.localization import LANGUAGES

EACH = pytest.mark.parametrize("language", LANGUAGES)
BEST = ("人生", "如", "梦境")
SECOND = ("人生", "如", "梦", "境")


def counted(*words: str) -> list[tuple[int, int]]:
    """The count of each pair of a sentence and of its first word: the factors without smoothing."""
    return [(COUNTS.count(*pair), COUNTS.context_count(pair[0])) for pair in pairwise((START, *words, END))]


def smoothed(*words: str) -> list[tuple[int, int]]:
    return [factor(*pair) for pair in pairwise((START, *words, END))]


def product(factors: list[tuple[int, int]]) -> str:
    """The factors and their product, as the lesson writes them."""
    result = Fraction(1)
    for numerator, denominator in factors:
        result *= Fraction(numerator, denominator)
    return f"{' · '.join(f'{a}/{b}' for a, b in factors)} = {result}"


def logarithm(words: tuple[str, ...]) -> str:
    return f"{sum(log(a / b) for a, b in smoothed(*words)):.2f}".replace("-", "−")


def test_the_corpus_is_the_preset_of_the_training_page() -> None:
    assert "\n".join(SENTENCES) == DREAMS.corpus


@EACH
def test_the_table_has_every_count(client: FlaskClient, language: str) -> None:
    page = client.get(f"/learn/ngram?lang={language}").text
    table = page[page.index('<table class="counts">') : page.index("</table>")]
    rows = [
        [Markup(cell).striptags() for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
        for row in table.split("<tr>")[1:]
    ]
    words = list(COUNTS.words)
    assert rows[0][1:-2] == [row[0] for row in rows[2:]] == words
    for before, row in zip([START, *words], rows[1:], strict=True):
        expected = [*(COUNTS.count(before, word) for word in (*words, END)), COUNTS.context_count(before)]
        assert row[1:] == [str(number) for number in expected]


@EACH
def test_the_probabilities(client: FlaskClient, language: str) -> None:
    text = prose(client, "ngram", language)
    assert "P(如 | 人生) = 2/3" in text
    assert f"P({' '.join(BEST)}) = {product(counted(*BEST))}" in text
    assert product(counted("梦境", "如", "戏")) in text
    assert counted("戏", "如", "人生")[0] == (0, 4)  # the zero
    assert product(smoothed("戏", "如", "人生")) in text
    assert (factor("人生", "如"), factor("人生", END), factor("人生", "戏")) == ((3, 9), (2, 9), (1, 9))
    assert factor("夏", "花") == (1, 6)


@EACH
def test_the_best_path_and_the_second(client: FlaskClient, language: str) -> None:
    text = prose(client, "ngram", language)
    last = sorted(columns(MODEL, "人生如梦境")[-1].candidates, key=lambda one: -one.total)
    assert [one.context[-1] for one in last] == ["梦境", "境"]
    assert product(smoothed(*BEST)) in text
    assert product(smoothed(*SECOND)).partition(" = ")[2] in text
    assert logarithm(BEST) in text
    assert logarithm(SECOND) in text
    assert [f"{one.total:.2f}".replace("-", "−") for one in last] == [logarithm(BEST), logarithm(SECOND)]


@EACH
def test_the_model_of_the_site_and_what_it_inherited(client: FlaskClient, language: str) -> None:
    page = client.get(f"/learn/ngram?lang={language}").text
    assert "请把手放下" in page
    assert site_model().words("请把手放下") == segmenter().words("请把手放下") == ["请", "把手", "放下"]
    assert segmenter().words("这个人才能干活") == ["这个", "人才", "能", "干活"]
    assert site_model().words("这个人才能干活") == ["这个", "人", "才能", "干活"]


def test_the_figure_begins_with_all_words_of_the_text(client: FlaskClient) -> None:
    page = client.get("/learn/ngram?positions=0").text
    figure = page[page.index('id="positions"') :].partition("</figure>")[0]
    assert "3/10" in figure
