"""Words by how they follow each other: the best way is the best of all, and the worked example comes out."""

from __future__ import annotations

import json
from itertools import pairwise
from math import inf, isclose, log
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from webapp.core.models.bigrams import END, START, Bigrams
from webapp.core.traces.bigrams import columns, segmentation
from webapp.core.trainers.bigrams import train

sentences = st.lists(st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=5), min_size=1, max_size=5)


def every_way(bigrams: Bigrams, text: str) -> list[list[str]]:
    """All ways to cut a text into known words and single characters."""
    if not text:
        return [[]]
    ways = []
    for length in range(1, len(text) + 1):
        word = text[:length]
        if length == 1 or word in bigrams.ids:
            ways += [[word, *rest] for rest in every_way(bigrams, text[length:])]
    return ways


def value(bigrams: Bigrams, words: list[str]) -> float:
    return sum(log(bigrams.probability(before, word)) for before, word in pairwise([START, *words, END]))


@given(sentences, st.text("abc", min_size=1, max_size=7))
def test_the_best_way_is_the_best_of_all(given_sentences: list[list[str]], text: str) -> None:
    bigrams = train(given_sentences)
    table = columns(bigrams, text)
    words = segmentation(table)
    assert "".join(words) == text
    assert words == bigrams.segment(text)
    best = max((value(bigrams, way) for way in every_way(bigrams, text)), default=-inf)
    assert isclose(value(bigrams, words), best)
    last = table[-1].candidates[table[-1].best[0]]
    assert isclose(last.total, best)


@given(sentences)
def test_what_follows_a_word_is_certain_to_be_something(given_sentences: list[list[str]]) -> None:
    bigrams = train(given_sentences)
    for before in (START, *bigrams.words):
        assert isclose(sum(bigrams.probability(before, word) for word in (*bigrams.words, END)), 1)


def test_worked_example(shared: Path) -> None:
    path = shared / "examples" / "worked_examples.json"
    worked = json.loads(path.read_text(encoding="utf-8"))["ngram_viterbi"]
    assert segmentation(columns(train(worked["sentences"]), worked["text"])) == worked["segmentation"]


def test_sentence_marks_are_no_words_of_a_text() -> None:
    bigrams = train([["<s>", "a"], ["</s>"]])
    assert bigrams.segment("<s>a</s>") == segmentation(columns(bigrams, "<s>a</s>")) == ["<s>", "a", "</s>"]
