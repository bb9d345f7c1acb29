"""Every number of the lesson on evaluation is what the scores of the core say."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.pages.learn.prose import prose
from tests.pages.learn.segmentation_answers import frequency, segmenter
from webapp.core.evaluation.score import Score, score_lines, training_words
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.maximum_probability import MaximumProbability
from webapp.pages.learn.diagrams.words import spans_of
from webapp.pages.learn.lessons import LESSON_BY_SLUG
from webapp.web.localization import LANGUAGES

EACH = pytest.mark.parametrize("language", LANGUAGES)


def score_of(key: str) -> Score:
    example = LESSON_BY_SLUG["evaluation"].by_key[key]
    return score_lines([example.gold], [example.texts["en"].split()], frozenset(example.known))


@EACH
def test_two_different_mistakes_have_the_same_f1(client: FlaskClient, language: str) -> None:
    name, horse = score_of("name"), score_of("horse")
    assert (name.precision, name.recall) == (3 / 5, 3 / 4)
    assert (horse.precision, horse.recall) == (3 / 4, 3 / 5)
    assert name.f1 == pytest.approx(6 / 9) == horse.f1
    assert (name.oov_recall, name.iv_recall) == (0, 1)
    assert (horse.unknown, horse.iv_recall) == (0, 3 / 5)
    text = prose(client, "evaluation", language)
    for number in ("2 · 3 / (4 + 5) = 6/9 = 0.667", "0.750", "0.600", "0.667", "0/1", "3/3", "3/5", "0–3", "3–5"):
        assert number in text, number
    assert f"{2 * 1.0 * 0.1 / 1.1:.2f}" == "0.18"
    assert pytest.approx(0.55) == (1.0 + 0.1) / 2


@EACH
def test_the_table_has_the_scores_of_the_official_script(client: FlaskClient, language: str, shared: Path) -> None:
    text = prose(client, "evaluation", language)
    zero = "0" if language == "zh" else ""
    for direction in ("fmm", "bmm"):
        lines = (shared / "sighan" / f"pku_{direction}.score").read_text(encoding="utf-8")
        found = dict(re.findall(r"=== ([A-Z a-z]+):\t(\S+)", lines))
        wanted = [
            zero + found[name].removeprefix("0")
            for name in (
                "TOTAL TEST WORDS PRECISION",
                "TOTAL TRUE WORDS RECALL",
                "F MEASURE",
                "OOV Recall Rate",
                "IV Recall Rate",
            )
        ]
        assert " ".join((direction.upper(), *wanted)) in text
        assert f"{int(found['TOTAL TRUE WORD COUNT']):,}" in text
        assert found["OOV Rate"] == "0.058"


@pytest.mark.exhaustive
def test_the_table_has_the_scores_of_maximum_probability(client: FlaskClient, shared: Path) -> None:
    text = prose(client, "evaluation", "en")
    sighan = shared / "sighan"
    known = training_words((sighan / "pku_training_words.utf8").read_text(encoding="utf-8"))
    gold = [line.split() for line in (sighan / "pku_test_gold.utf8").read_text(encoding="utf-8").splitlines()]
    words = sorted(known)
    own = Dictionary(words, frequencies=[max(frequency(word), 1) for word in words])
    for label, model in (
        ("maximum probability", MaximumProbability(own, hmm=False)),
        ("the same, with HMM", MaximumProbability(own)),
        ("jieba's dictionary", segmenter(hmm=False)),
        ("jieba with HMM", segmenter()),
    ):
        score = score_lines(gold, [model.words("".join(line)) for line in gold], known)
        figures = (score.precision, score.recall, score.f1, score.oov_recall, score.iv_recall)
        shown = " ".join(f"{figure:.3f}".removeprefix("0") for figure in figures if figure is not None)
        assert f"{label} {shown}" in text


@EACH
def test_what_the_test_set_contains(client: FlaskClient, language: str, shared: Path) -> None:
    sighan = shared / "sighan"
    gold = [line.split() for line in (sighan / "pku_test_gold.utf8").read_text(encoding="utf-8").splitlines()]
    split = sum(pair == ("才", "能") for line in gold for pair in pairwise(line))
    assert (split, sum(line.count("才能") for line in gold)) == (17, 2)
    assert any(pair == ("陈", "祖德") for line in gold for pair in pairwise(line))
    text = prose(client, "evaluation", language)
    assert "17" in text
    known = set((sighan / "pku_training_words.utf8").read_text(encoding="utf-8").split())
    output = [line.split() for line in (sighan / "pku_fmm.utf8").read_text(encoding="utf-8").splitlines()]
    unknown, found = 0, Counter[str]()
    for words, others in zip(gold, output, strict=True):
        same = set(spans_of(others))
        unknown += sum(word not in known for word in words)
        found.update(
            word for word, span in zip(words, spans_of(words), strict=True) if word not in known and span in same
        )
    assert (unknown, found.total()) == (6_006, 412)
    assert all(len(word) == 1 for word in found)
    assert sum(count for word, count in found.items() if word.isdecimal()) > 412 / 2
    assert "6,006" in text
    assert "412" in text


def test_a_reader_scores_an_own_segmentation(client: FlaskClient) -> None:
    page = client.get("/learn/evaluation?lang=en&name=方成功 考上 了 北大").text
    part = page[page.index('id="example-name"') : page.index('id="example-horse"')]
    assert part.count("1.000") == 5
    assert 'class="u"' not in part
    refused = client.get("/learn/evaluation?lang=en&name=方成功 考上")
    assert refused.status_code == 422
    assert "Only the spaces may change" in refused.text
    assert 'value="方成功 考上"' in refused.text


def test_the_scores_follow_the_segmentation_with_htmx(client: FlaskClient) -> None:
    headers = {"HX-Request-Type": "partial", "HX-Target": "div#name"}
    answer = client.get("/learn/evaluation?lang=en&name=方成功 考上了 北大", headers=headers).text
    assert '<hx-partial hx-target="#facts-name"' in answer
    assert "2/3 = 0.667" in answer  # precision
    assert "2/4 = 0.500" in answer  # recall
