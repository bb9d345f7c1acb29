"""N-gram models as vocabularies: the visitor's own sentences, the built-in model, orders and smoothings."""

from pathlib import Path

import pytest

from webapp.core.models.ngram import NGram
from webapp.tokenization.result import prepare
from webapp.tokenization.state import State
from webapp.vocabularies import count_books, jieba_words, ngram_tokenizer
from webapp.vocabularies.shipped_ngram import read


def words(state: State) -> list[str]:
    model = prepare(state, corpus_limit=10_000).tokenizer.model
    assert isinstance(model, NGram)
    return model.words(state.text)


def test_own_sentences_are_those_of_the_lesson_or_the_visitors() -> None:
    lesson = State("ngram", "learned-ngram", "人生如梦境", smoothing="add-one")
    assert words(lesson) == ["人生", "如", "梦境"]
    assert words(State("ngram", "learned-ngram", "人生如梦境", corpus="人/生/如梦境")) == ["人", "生", "如梦境"]


def test_the_built_in_model_was_counted_with_the_installed_dictionary() -> None:
    assert list(ngram_tokenizer().model.pieces[: len(jieba_words())]) == list(jieba_words().words)


def test_counting_keeps_frequent_words_that_the_dictionary_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dictionary = jieba_words()
    sentences = [["他", "烎烎", "说", "。"], ["他", "烎烎", "说", "。"], ["她", "烎烎", "笑", "。"]]
    monkeypatch.setattr(count_books, "LEAST_NGRAMS", 1)
    (tmp_path / "counts").write_bytes(count_books.count(sentences, dictionary))
    model = read(tmp_path / "counts", dictionary)
    assert model.counts.words[len(dictionary) :] == ("烎烎", "。")
    assert model.counts.count("烎烎", "说") == 2
    assert model.characters.counts == {}
