"""Word bigrams: the table equals the reference's, whose segmentation is the best of all."""

from itertools import pairwise
from math import isclose, log

from hypothesis import given
from hypothesis import strategies as st

from webapp.core.models.bigrams import END, START
from webapp.core.reference import ngram as reference
from webapp.core.reference.ngram import EDGE
from webapp.core.reference.unigram import segmentations
from webapp.core.traces.bigrams import columns, segmentation
from webapp.core.trainers.bigrams import train

# The textbooks' marks for the edges of a sentence may be words like any other.
words = st.one_of(st.text("ab", min_size=1, max_size=3), st.sampled_from(["<s>", "</s>", "a<s>"]))
sentences = st.lists(st.lists(words, min_size=1, max_size=5), max_size=5)
few_sentences = st.lists(st.lists(st.text("ab", min_size=1, max_size=2), min_size=1, max_size=3), max_size=4)
texts = st.lists(st.one_of(st.text("abc", max_size=4), st.sampled_from(["<s>", "</s>"])), max_size=3).map("".join)


@given(st.one_of(st.tuples(sentences, texts), st.tuples(few_sentences, st.text("ab", max_size=8))))
def test_the_table_and_the_words_equal_the_reference(drawn: tuple[list[list[str]], str]) -> None:
    given_sentences, text = drawn
    counts = reference.train(given_sentences)
    bigrams = train(given_sentences)
    assert {before: sum(following.values()) for before, following in counts.items() if before} == {
        word: bigrams.context_count(word) for word in bigrams.words
    }
    found = columns(bigrams, text)
    for column, row in zip(found[:-1], reference.table(text, counts)[1:], strict=True):
        best = [column.candidates[at] for at in column.best]
        told = {one.word: (one.total, EDGE if one.previous == START else one.previous) for one in best}
        assert list(told.items()) == list(row.items())
    assert segmentation(found) == reference.segment(text, counts)


@given(sentences)
def test_probabilities_equal_the_reference_and_sum_to_one(given_sentences: list[list[str]]) -> None:
    counts = reference.train(given_sentences)
    bigrams = train(given_sentences)
    for before in (EDGE, *bigrams.words, "never seen"):
        found = {word: reference.probability(word, before, counts) for word in (*bigrams.words, EDGE)}
        assert isclose(sum(found.values()), 1)
        for word, probability in found.items():
            assert bigrams.probability(before or START, word or END) == probability


@given(sentences, st.text("abc", max_size=7))
def test_the_reference_finds_the_best_of_all_segmentations(given_sentences: list[list[str]], text: str) -> None:
    counts = reference.train(given_sentences)

    def value(way: list[str]) -> float:
        return sum(log(reference.probability(word, before, counts)) for before, word in pairwise([EDGE, *way, EDGE]))

    found = reference.segment(text, counts)
    assert "".join(found) == text
    known = dict.fromkeys([word for word in counts if word] + list(text), 1.0)
    assert isclose(value(found), max(map(value, segmentations(text, known))), abs_tol=1e-12)


def test_a_text_with_textbook_edge_marks_loses_no_characters() -> None:
    for given_sentences in ([["a", "b"]], [["<s>", "a"], ["</s>"]]):
        counts, bigrams = reference.train(given_sentences), train(given_sentences)
        for text in ("<s>a", "a</s>", "<s></s>", "a<s>b</s>a"):
            assert "".join(reference.segment(text, counts)) == text
            words = segmentation(columns(bigrams, text))
            assert "".join(words) == text
            assert words == bigrams.segment(text)
