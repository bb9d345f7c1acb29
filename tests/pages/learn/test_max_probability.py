"""Every number of the lesson on maximum probability is what the core computes."""

from __future__ import annotations

from fractions import Fraction
from math import log

import pytest
from flask.testing import FlaskClient

from tests.pages.learn.prose import product, prose
from tests.pages.learn.segmentation_answers import dictionary, frequency, segmenter, total
from webapp.core.analysis.suggested_frequency import joined_frequency, split_frequency
from webapp.core.formats.dictionary import read_dictionary
from webapp.core.models.word_graph import WordGraph
from webapp.pages.learn.lessons import LESSON_BY_SLUG
from webapp.web.localization import LANGUAGES

EACH = pytest.mark.parametrize("language", LANGUAGES)
TEXT = "有意见分歧"
GRAPH = WordGraph(read_dictionary(LESSON_BY_SLUG["max-probability"].by_key["opinion"].choices["dictionary"]))


def tens(score: float) -> str:
    """A natural logarithm to base 10, as the lesson writes it; all of them are whole numbers."""
    exponent = score / log(10)
    assert exponent == pytest.approx(round(exponent))
    return f"−{-round(exponent)}" if round(exponent) else "0"


def test_the_dictionary_of_the_lesson_has_a_thousand_words() -> None:
    assert GRAPH.total == 1_000


@EACH
def test_the_two_paths(client: FlaskClient, language: str) -> None:
    text = prose(client, "max-probability", language)
    for words in (("有", "意见", "分歧"), ("有意", "见", "分歧")):
        shares = [Fraction(GRAPH.frequency_of(word), GRAPH.total) for word in words]
        factors = " · ".join(f"{GRAPH.frequency_of(word)}/1,000" for word in words)
        assert f"P({' / '.join(words)}) = {factors} = 1/{product(shares).denominator:,}" in text


@EACH
def test_the_sums_from_the_right(client: FlaskClient, language: str) -> None:
    text = prose(client, "max-probability", language)
    best = [0.0] * (len(TEXT) + 1)
    arcs = 0
    for start in reversed(range(len(TEXT))):
        sums = []
        for arc in GRAPH.arcs(TEXT, start):
            sums.append(arc.score + best[arc.end])
            after = tens(best[arc.end])
            shown = f"− {after[1:]}" if after != "0" else "+ 0"
            assert f"{TEXT[arc.start : arc.end]} {tens(arc.score)} {shown} = {tens(sums[-1])}" in text
            arcs += 1
        best[start] = max(sums)
    assert arcs == 7
    assert f"{best[0]:.2f}".replace("-", "−") == "−13.82"
    assert "−13.82" in text
    assert GRAPH.path(TEXT) == [1, 3, 5]


@EACH
def test_the_figures_of_the_dictionary_of_jieba(client: FlaskClient, language: str) -> None:
    text = prose(client, "max-probability", language)
    assert f"{len(dictionary().words):,}" in text
    assert f"{total():,}" in text
    right, wrong = (frequency(a) * frequency(b) for a, b in (("研究", "生命"), ("研究生", "命")))
    assert 11 < right / wrong < 12
    for a, b in (("研究", "生命"), ("研究生", "命")):
        assert f"{frequency(a):,} · {frequency(b):,}" in text
    assert segmenter().words("研究生命科学") == ["研究", "生命科学"]


@EACH
def test_the_frequencies_that_correct_a_segmentation(client: FlaskClient, language: str) -> None:
    text = prose(client, "max-probability", language)
    graph = segmenter().graph
    assert joined_frequency(graph, "台中") == 69
    assert split_frequency(graph, ["中", "将"]) == 494
    lowest = frequency("中") * frequency("将") / total()
    assert f"{frequency('中'):,} · {frequency('将'):,} / {total():,} = {lowest:.1f}" in text
    assert str(frequency("中将")) in text
    assert segmenter().words("如果放到旧字典中将出错") == ["如果", "放到", "旧", "字典", "中将", "出错"]
    assert segmenter().words("我住在台中")[-2:] == ["台", "中"]
    assert segmenter().words("这个人才能干活") == ["这个", "人才", "能", "干活"]
    assert segmenter().words("乒乓球拍卖完了") == ["乒乓球", "拍卖", "完", "了"]
