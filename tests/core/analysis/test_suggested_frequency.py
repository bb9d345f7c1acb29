"""The frequency that a word would need: the numbers of jieba's suggest_freq, and what they do."""

from __future__ import annotations

import jieba
import pytest

from webapp.core.analysis.suggested_frequency import joined_frequency
from webapp.core.formats.dictionary import jieba_dictionary
from webapp.core.models.dictionary_edits import edited
from webapp.core.models.maximum_probability import MaximumProbability, WordGraph

WORDS = [
    "江大桥", "台中", "杭研", "研究生命", "的人", "中出", "乘客", "李小福", "八一双鹿", "创新办", "C++", "今天天气",
]  # fmt: skip


@pytest.fixture(scope="module")
def theirs() -> jieba.Tokenizer:
    jieba.setLogLevel(60)
    jieba.initialize()
    return jieba.dt


@pytest.mark.parametrize("word", WORDS)
def test_joined_words_need_what_jieba_suggests(theirs: jieba.Tokenizer, word: str) -> None:
    assert joined_frequency(WordGraph(jieba_dictionary()), word) == theirs.suggest_freq(word)


@pytest.mark.parametrize("word", ["的人", "台中", "江大桥"])
def test_with_the_frequency_the_word_alone_is_one_token(word: str) -> None:
    dictionary = jieba_dictionary()
    frequency = joined_frequency(WordGraph(dictionary), word)
    assert MaximumProbability(edited(dictionary, f"{word} {frequency}"), hmm=False).words(word) == [word]
