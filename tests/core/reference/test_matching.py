"""The fast matchers find the words that the reference finds."""

from hypothesis import example, given
from hypothesis import strategies as st

from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Matching, backward, forward, verdict
from webapp.core.recipes import MATCHING
from webapp.core.reference import matching as reference

# With few characters, most words of the dictionary occur in the text, and the directions disagree.
texts = st.one_of(st.text("研究", max_size=9), st.text("研究生命ab1的\0😀 \n\u3000", max_size=12))
words_of = st.one_of(st.text("研究", min_size=1, max_size=3), st.text("研究生命ab1的\0 ", min_size=1, max_size=4))
# A dictionary has no words of white space: its readers strip them.
dictionaries = st.lists(words_of.filter(lambda word: not word.isspace()), unique=True, max_size=12)


@given(words=dictionaries, text=texts, keep_runs=st.booleans())
def test_forward_and_backward_equal_the_reference(words: list[str], text: str, keep_runs: bool) -> None:
    dictionary = Dictionary(words)
    units = reference.keep_runs(text) if keep_runs else text
    for function, plain in ((forward, reference.forward), (backward, reference.backward)):
        ids, ends = function(dictionary, text, keep_runs)
        found = plain(words, units)
        assert [text[start:end] for start, end in zip([0, *ends], ends, strict=False)] == found
        spaces = dictionary.space_ids
        assert ids == [words.index(word) if word in words else spaces.get(word, len(words)) for word in found]


@given(words=dictionaries, text=texts, keep_runs=st.booleans())
@example(words=["研究", "研究生", "生命", "科学"], text="研究生命科学", keep_runs=False)
@example(words=["和尚", "尚未"], text="和尚未", keep_runs=False)
def test_both_directions_equal_the_reference(words: list[str], text: str, keep_runs: bool) -> None:
    dictionary = Dictionary(words)
    units = reference.keep_runs(text) if keep_runs else text
    left, right = reference.forward(words, units), reference.backward(words, units)
    expected = reference.bidirectional(words, units)
    encoding = MATCHING.tokenizer(Matching(dictionary, "both", keep_runs)).encode(text)
    assert [text[token.start : token.end] for token in encoding] == expected
    found = verdict(dictionary, text, keep_runs)
    assert (left if found.direction == "forward" else right) == expected
    assert (found.forward_words, found.forward_single_characters) == reference.cost(left)
    assert (found.backward_words, found.backward_single_characters) == reference.cost(right)
    assert found.differ == (left != right)
