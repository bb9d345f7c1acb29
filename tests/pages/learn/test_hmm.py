"""Every number of the lesson on hidden Markov models is what the core computes with jieba's tables."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from itertools import pairwise, product
from math import exp

import pytest
from flask import Flask
from flask.testing import FlaskClient
from markupsafe import Markup

from tests.pages.learn.prose import prose, signed
from tests.pages.learn.segmentation_answers import frequency, segmenter, tag_score, total
from webapp.core.analysis.suggested_frequency import joined_frequency
from webapp.core.models.hmm import IMPOSSIBLE, jieba_hmm
from webapp.pages.learn.diagrams.tagging import RUN, states, trellis
from webapp.pages.learn.smoothed import SENTENCES
from webapp.rendering.pictures.figure import FigureLabel
from webapp.web.localization import LANGUAGES

EACH = pytest.mark.parametrize("language", LANGUAGES)


def tags_of(word: str) -> str:
    return "S" if len(word) == 1 else "B" + "M" * (len(word) - 2) + "E"


def labels(shapes: object) -> list[str]:
    return [shape.text for shape in shapes if isinstance(shape, FigureLabel)]  # type: ignore[attr-defined]


@EACH
def test_the_tables_counted_by_hand(client: FlaskClient, language: str) -> None:
    text = prose(client, "hmm", language)
    tagged = ["".join(map(tags_of, sentence.split())) for sentence in SENTENCES]
    for tags in tagged:
        assert " ".join(tags) in text
    after = Counter(right for tags in tagged for left, right in pairwise(tags) if left == "B")
    assert after == {"E": 5, "M": 1}
    characters = Counter(
        character
        for tags, sentence in zip(tagged, SENTENCES, strict=True)
        for tag, character in zip(tags, sentence.replace(" ", ""), strict=True)
        if tag == "B"
    )
    assert characters == {"人": 3, "梦": 2, "生": 1}
    assert "P(E | B) = 5/6" in text
    assert "P(M | B) = 1/6" in text
    for character, count in characters.items():
        assert f"P({character} | B) = {count}/6" in text
    assert sum(Fraction(count, 6) for count in characters.values()) == 1


@EACH
def test_the_two_tag_sequences_of_two_characters(client: FlaskClient, language: str) -> None:
    page = client.get(f"/learn/hmm?lang={language}").text
    table = page[page.index("<table>") : page.index("</table>")]
    cells = [
        [Markup(cell).striptags() for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)] for row in table.split("<tr>")
    ]
    columns = list(zip(*filter(None, cells), strict=True))
    model = jieba_hmm()
    for tags, column in zip(("BE", "SS"), columns, strict=True):
        first, second = tags
        steps = [
            model.start[first],  # type: ignore[index]
            model.emission[first]["杭"],  # type: ignore[index]
            model.transition[first, second],  # type: ignore[index]
            model.emission[second]["研"],  # type: ignore[index]
        ]
        assert column == (*(signed(step, 2) for step in steps), signed(tag_score("杭研", tags), 1))
    difference = tag_score("杭研", "BE") - tag_score("杭研", "SS")
    assert f"{difference:.1f}" == "5.1"
    assert 150 < exp(difference) < 170


def test_each_further_character_doubles_the_number_of_tag_sequences() -> None:
    follows = {pair for pair, score in jieba_hmm().transition.items() if score > IMPOSSIBLE}
    for length in range(2, 7):
        found = [
            tags
            for tags in product("BMES", repeat=length)
            if tags[0] in "BS" and tags[-1] in "ES" and follows.issuperset(pairwise(tags))
        ]
        assert len(found) == 2 ** (length - 1)


def test_the_diagrams_have_the_numbers_of_the_tables(app: Flask) -> None:
    model = jieba_hmm()
    with app.test_request_context("/?lang=en"):
        shown, table_labels = labels(states().shapes), labels(trellis().shapes)
    assert all(f"{exp(score):.2f}" in shown for score in model.transition.values())
    table = model.table(RUN)
    assert model.states(table) == list("BMES")
    best = tag_score(RUN, "BMES")
    assert best == pytest.approx(table[-1]["S"].score)
    assert signed(best, 1) in table_labels


@EACH
def test_names_that_are_cut_and_their_correction(client: FlaskClient, language: str) -> None:
    text = prose(client, "hmm", language)
    assert segmenter().words("他来到了网易杭研大厦")[-2:] == ["杭研", "大厦"]
    assert segmenter(hmm=False).words("他来到了网易杭研大厦")[-3:] == ["杭", "研", "大厦"]
    assert segmenter().words("李小福是创新办主任")[0] == "李小福"
    assert frequency("李小福") == frequency("杭研") == 0
    assert joined_frequency(segmenter().graph, "赵春") == 1
    assert joined_frequency(segmenter().graph, "方成功") == 3
    lowest = frequency("方") * frequency("成功") / total()
    assert f"{frequency('方'):,} · {frequency('成功'):,} / {total():,} = {lowest:.2f}" in text
