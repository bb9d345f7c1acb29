"""N-gram models as vocabularies: the visitor's own sentences, the built-in model, orders and smoothings."""

from webapp.core.models.ngram import NGram
from webapp.tokenization.result import prepare
from webapp.tokenization.state import State
from webapp.vocabularies import jieba_words, ngram_tokenizer
from webapp.vocabularies.shipped_ngram import fingerprint
from webapp.vocabularies.train import count_ngrams


def words(state: State) -> list[str]:
    model = prepare(state, corpus_limit=10_000).tokenizer.model
    assert isinstance(model, NGram)
    return model.words(state.text)


def test_own_sentences_are_those_of_the_lesson_or_the_visitors() -> None:
    lesson = State("ngram", "learned-ngram", "人生如梦境", smoothing="add-one")
    assert words(lesson) == ["人生", "如", "梦境"]
    assert words(State("ngram", "learned-ngram", "人生如梦境", corpus="人/生/如梦境")) == ["人", "生", "如梦境"]


def test_the_built_in_model_was_counted_with_the_installed_dictionary() -> None:
    model = ngram_tokenizer().model
    assert isinstance(model, NGram)
    assert list(model.pieces[: len(jieba_words())]) == list(jieba_words().words)
    assert len(fingerprint(jieba_words())[1]) == 64


def test_training_keeps_frequent_words_that_the_dictionary_lacks() -> None:
    dictionary = jieba_words()
    sentences = [["他", "烎烎", "说", "。"], ["他", "烎烎", "说", "。"], ["她", "烎烎", "笑", "。"]]
    counts, characters = count_ngrams(sentences, dictionary, least=1)
    assert counts.words[len(dictionary) :] == ("烎烎", "。")
    assert counts.count("烎烎", "说") == 2
    assert characters.counts == {}
