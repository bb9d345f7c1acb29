"""N-gram models as vocabularies: the visitor's own sentences, the built-in model, orders and smoothings."""

from flask import Flask

from webapp.core.models.ngram import NGram
from webapp.tokenization.result import prepare
from webapp.tokenization.state import State
from webapp.vocabularies import jieba_words, ngram_tokenizer
from webapp.vocabularies.shipped_ngram import fingerprint
from webapp.vocabularies.train_ngram import count, segmented
from webapp.vocabularies.vocabulary_files import file_of


def words(state: State) -> list[str]:
    model = prepare(state, corpus_limit=10_000).tokenizer.model
    assert isinstance(model, NGram)
    return model.words(state.text)


def test_own_sentences_are_those_of_the_lesson_or_the_visitors() -> None:
    lesson = State("ngram", "learned-ngram", "人生如梦境", smoothing="add-one")
    assert words(lesson) == ["人生", "如", "梦境"]
    assert words(State("ngram", "learned-ngram", "人生如梦境", corpus="人/生/如梦境")) == ["人", "生", "如梦境"]


def test_order_and_smoothing_are_those_of_the_state(app: Flask) -> None:
    for order in ("1", "2", "3"):
        for smoothing in ("add-one", "kneser-ney"):
            state = State("ngram", "learned-ngram", "人生", order=order, smoothing=smoothing)
            model = prepare(state, corpus_limit=0).tokenizer.model
            assert isinstance(model, NGram)
            assert str(model.order) == order
            assert model.vocabulary_size == 6


def test_the_built_in_model_finds_modern_words(app: Flask) -> None:
    with app.app_context():
        assert words(State("ngram", "ngram", "研究生命科学。人生如梦境")) == [
            "研究",
            "生命科学",
            "。",
            "人生",
            "如",
            "梦境",
        ]
        assert words(State("ngram", "ngram", "结婚的和尚未结婚的")) == ["结婚", "的", "和", "尚未", "结婚", "的"]


def test_the_built_in_model_was_counted_with_the_installed_dictionary() -> None:
    model = ngram_tokenizer().model
    assert isinstance(model, NGram)
    assert list(model.pieces[: len(jieba_words())]) == list(jieba_words().words)
    assert len(fingerprint(jieba_words())[1]) == 64


def test_training_keeps_frequent_words_that_the_dictionary_lacks() -> None:
    dictionary = jieba_words()
    sentences = list(segmented("他说。他说。她笑。", lambda text: [*text[:1], "烎烎", *text[1:]]))
    counts, characters = count(sentences, dictionary, (1, 1))
    assert counts.words[len(dictionary) :] == ("烎烎", "。")
    assert counts.count("烎烎", "说") == 2
    assert characters.counts == {}


def test_a_shared_result_stores_the_counts() -> None:
    state = State("ngram", "learned-ngram", "人生如梦境")
    file = file_of(prepare(state, corpus_limit=0).tokenizer)
    assert file.format == "ngram-counts"
    assert list(file.algorithms) == ["ngram"]
