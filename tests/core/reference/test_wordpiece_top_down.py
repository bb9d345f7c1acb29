from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.reference import wordpiece as greedy
from webapp.core.reference import wordpiece_top_down as reference
from webapp.core.trainers import wordpiece_top_down

words = st.dictionaries(st.text("abc", min_size=1, max_size=12), st.integers(1, 9), min_size=1, max_size=12)


@given(words, st.integers(0, 40))
def test_training_equals_the_reference(counts: dict[str, int], longer: int) -> None:
    size = len(reference.symbols(counts)) + longer
    trained = wordpiece_top_down.train(counts, size + 1)
    wanted = reference.train(counts, size)
    assert sorted(trained.alphabet) == wanted[: len(trained.alphabet)]
    assert list(trained.longer) == wanted[len(trained.alphabet) :]


def test_a_longest_piece_is_a_limit() -> None:
    counts = {"a" * 30: 5, "ab" * 15: 3}
    trained = wordpiece_top_down.train(counts, 40)
    assert list(trained.longer) == reference.train(counts, 39)[len(trained.alphabet) :]
    assert max(map(len, trained.longer)) <= reference.LONGEST + 2


@given(words, st.integers(0, 20))
def test_every_word_of_the_corpus_can_be_encoded(counts: dict[str, int], longer: int) -> None:
    trained = wordpiece_top_down.train(counts, len(reference.symbols(counts)) + 1 + longer)
    assert len(trained.model.pieces) <= len(reference.symbols(counts)) + 1 + longer
    for word in counts:
        ids = trained.model.ids(word)
        assert trained.model.unknown_id not in ids
        assert [trained.model.pieces[id] for id in ids] == greedy.encode(word, trained.model.pieces)


def test_worked_example() -> None:
    """A threshold of 10 keeps "hug" (15) and takes it from "hu" and "h"; what is left of "##ug" is "pug" (5)."""
    counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    all_substrings = reference.count(counts, [])
    assert (all_substrings["hug"], all_substrings["hugs"], all_substrings["##ug"]) == (15, 5, 20)
    kept = reference.keep(all_substrings, 10)
    assert kept == {"hug": 15, "pun": 12, "##ug": 20, "##un": 16, "##g": 20, "##n": 16}
    assert reference.vocabulary(counts, 10)[7:] == ["hug", "pun"]


def test_characters_outside_the_coverage_are_unknown() -> None:
    trained = wordpiece_top_down.train({"abab": 50, "aяb": 1}, 12, coverage=0.99)
    assert not any("я" in piece for piece in trained.model.pieces)
    assert list(trained.model.ids("aяb")) == [trained.model.unknown_id]


def test_impossible_options_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown"):
        wordpiece_top_down.train({"ab": 1}, 10, special_tokens=["[PAD]"])
    with pytest.raises(ValueError, match="special tokens of 3"):
        wordpiece_top_down.train({"ab": 1}, 2)


def test_a_word_that_is_too_long_for_the_model_is_not_counted() -> None:
    counts = {"ab": 2, "abc" * 400_000: 9, "x" * 1_000_000: 1}
    assert wordpiece_top_down.train(counts, 30) == wordpiece_top_down.train({"ab": 2}, 30)
    assert reference.train(counts, 29) == reference.train({"ab": 2}, 29)


def test_many_long_words_of_few_letters() -> None:
    random = Random(1)
    counts = {"".join(random.choices("ab", k=100)): 1 for _ in range(300)}
    assert len(wordpiece_top_down.train(counts, 300).model.pieces) == 300
