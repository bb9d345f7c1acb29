"""Every statement of the lesson on ambiguity is what the core computes."""

from __future__ import annotations

from itertools import pairwise

import pytest
from flask.testing import FlaskClient

from tests.pages.learn.prose import prose
from webapp.core.reference.matching import backward, forward
from webapp.pages.learn.diagrams.words import BATS, MOLECULES, occurrences
from webapp.pages.learn.lessons import LESSON_BY_SLUG
from webapp.web.localization import LANGUAGES

EACH = pytest.mark.parametrize("language", LANGUAGES)
PEOPLE = ("为人", "人民", "民工", "工作")


def chain_length(text: str, words: list[str]) -> int:
    """How many characters of a text are shared by two words, one of which begins inside the other."""
    spans = occurrences(text, words)
    return sum(right > start for (_left, right), (start, _end) in pairwise(spans))


@EACH
def test_the_lengths_of_the_chains(client: FlaskClient, language: str) -> None:
    assert chain_length("为人民工作", list(PEOPLE)) == 3
    assert chain_length("和尚未", ["和尚", "尚未"]) == 1
    assert chain_length("结合成分子时", MOLECULES.split()) == 4
    text = prose(client, "ambiguity", language)
    assert all(word in text for word in (*PEOPLE, "结合 / 成 / 分子 / 时"))


def test_directions_differ_on_odd_chains_and_agree_on_even_ones() -> None:
    for length in range(1, 12):
        text = "".join(chr(ord("一") + at) for at in range(length + 2))
        words = {text[at : at + 2] for at in range(length + 1)}
        assert chain_length(text, sorted(words)) == length
        assert (forward(words, text) == backward(words, text)) == (length % 2 == 0)


def test_both_directions_take_the_longer_word() -> None:
    words = LESSON_BY_SLUG["ambiguity"].by_key["handle"].choices["dictionary"].split()
    assert forward(words, "请把手放下") == backward(words, "请把手放下") == ["请", "把手", "放下"]
    for pair in ("马上", "将来", "才能"):
        assert forward({pair, *pair}, pair) == backward({pair, *pair}, pair) == [pair]


def test_both_readings_of_the_bats_consist_of_words() -> None:
    words = set(BATS.split())
    assert words.issuperset({"乒乓球拍", "卖完", "了"} | {"乒乓球", "拍卖", "完", "了"})
    assert chain_length("乒乓球拍卖完了", ["乒乓球拍", "拍卖", "卖完"]) == 2
    assert forward(words, "乒乓球拍卖完了") == backward(words, "乒乓球拍卖完了") == ["乒乓球拍", "卖完", "了"]


@EACH
def test_the_published_counts_agree_with_each_other(client: FlaskClient, language: str) -> None:
    text = prose(client, "ambiguity", language)
    assert all(number in text for number in ("518", "42", "48,092", "86"))
    assert round(518 / 42) == 12
    assert round(48_092 / (518 + 42)) == 86
