"""The reference of n-grams: its table equals that of the model's trace, and no character of a text is lost."""

from hypothesis import given
from hypothesis import strategies as st

from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import START
from webapp.core.reference import ngram as reference
from webapp.core.traces.ngram import columns, segmentation
from webapp.core.trainers.ngram import train

# The textbooks' marks for the edges of a sentence may be words like any other.
words = st.one_of(st.text("ab", min_size=1, max_size=3), st.sampled_from(["<s>", "</s>", "a<s>"]))
sentences = st.lists(st.lists(words, min_size=1, max_size=5), min_size=1, max_size=5)
few_sentences = st.lists(
    st.lists(st.text("ab", min_size=1, max_size=2), min_size=1, max_size=3), min_size=1, max_size=4
)
texts = st.lists(st.one_of(st.text("abc", max_size=4), st.sampled_from(["<s>", "</s>"])), max_size=3).map("".join)


@given(st.one_of(st.tuples(sentences, texts), st.tuples(few_sentences, st.text("ab", max_size=8))))
def test_the_table_and_the_words_equal_the_reference(drawn: tuple[list[list[str]], str]) -> None:
    given_sentences, text = drawn
    counts = reference.train(given_sentences)
    model = NGram(train(given_sentences, 2), "add-one", keep_runs=False)
    found = columns(model, text)
    for column, row in zip(found[:-1], reference.table(text, counts)[1:], strict=True):
        best = [column.candidates[at] for at in column.best]
        told = {(one.word,): (one.total, ("" if one.previous is START else one.previous,)) for one in best}
        assert list(told.items()) == list(row.items())
    assert segmentation(found) == model.words(text) == reference.segment(text, counts)


def test_a_text_with_textbook_edge_marks_loses_no_characters() -> None:
    for given_sentences in ([["a", "b"]], [["<s>", "a"], ["</s>"]]):
        for order in (1, 2, 3):
            counts = reference.train(given_sentences, order)
            model = NGram(train(given_sentences, order), "kneser-ney", keep_runs=False)
            for text in ("<s>a", "a</s>", "<s></s>", "a<s>b</s>a"):
                assert "".join(reference.segment(text, counts, reference.kneser_ney)) == text
                assert "".join(model.words(text)) == text
