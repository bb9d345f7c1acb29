"""Word lists: what is read, and what is refused with which reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.formats.dictionary import DictionaryError, read_dictionary
from webapp.core.models.dictionary import Dictionary


@pytest.mark.parametrize(
    ("text", "words", "frequencies", "tags"),
    [
        ("", (), None, None),
        ("\n \n", (), None, None),
        ("研究\n生命", ("研究", "生命"), None, None),
        ("\ufeff研究\r\n生命\r\n", ("研究", "生命"), None, None),
        ("研究 5\n生命", ("研究", "生命"), (5, 0), None),
        ("研究 5 v\n生命 3\n\n人", ("研究", "生命", "人"), (5, 3, 0), ("v", "", "")),
        ("New York\t7\tns\nAT&T\t3", ("New York", "AT&T"), (7, 3), ("ns", "")),
        ("研究\t\t\n", ("研究",), None, None),
        ("研究 5\n研究 9\n", ("研究",), (5,), None),
    ],
)
def test_read(text: str, words: object, frequencies: object, tags: object) -> None:
    dictionary = read_dictionary(text)
    assert (dictionary.words, dictionary.frequencies, dictionary.tags) == (words, frequencies, tags)


@pytest.mark.parametrize(
    ("text", "line_number", "reason"),
    [
        ("研究 5\n生命 often", 2, "frequency-not-a-number"),
        ("研究 -5", 1, "frequency-not-a-number"),
        ("研究 1.5", 1, "frequency-not-a-number"),
        ("研究 ５", 1, "frequency-not-a-number"),
        ("研究\t\tv", 1, "frequency-not-a-number"),
        ("\n\na 1 b c", 3, "too-many-fields"),
        ("a\t1\tb\tc", 1, "too-many-fields"),
        ("\t5\tn", 1, "empty-word"),
    ],
)
def test_refuse(text: str, line_number: int, reason: str) -> None:
    with pytest.raises(DictionaryError) as raised:
        read_dictionary(text)
    assert (raised.value.line_number, raised.value.reason) == (line_number, reason)
    assert str(line_number) in str(raised.value)
    assert isinstance(raised.value, ValueError)


@given(text=st.text(st.characters(exclude_categories=("Cs",))))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        dictionary = read_dictionary(text)
    except DictionaryError:
        return
    assert all(dictionary.id_of(word) == id for id, word in enumerate(dictionary.words))


@pytest.mark.parametrize(
    ("words", "frequencies", "message"),
    [(["a", "a"], None, "twice"), ([""], None, "empty"), (["a"], [1, 2], "2 frequencies")],
)
def test_a_dictionary_that_contradicts_itself(words: list[str], frequencies: list[int] | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Dictionary(words, frequencies)
