from itertools import islice
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from webapp.core.trainers import wordpiece

words = st.dictionaries(st.text("abc", max_size=12), st.integers(1, 4), max_size=12)


def test_pairs_below_the_minimum_frequency_are_not_merged() -> None:
    counts = {"the": 100, "then": 50, "xq": 1}
    assert next(wordpiece.merges(counts)).piece == "xq"
    assert all(merge.count >= 2 for merge in wordpiece.merges(counts, minimum_pair_frequency=2))
    assert "xq" not in {merge.piece for merge in wordpiece.merges(counts, minimum_pair_frequency=2)}


@given(words, st.integers(0, 20))
def test_training_to_fewer_merges_gives_the_first_of_them(counts: dict[str, int], number: int) -> None:
    whole, part = wordpiece.train(counts), wordpiece.train(counts, merges_at_most=number)
    assert part.model.pieces == whole.first(number).pieces


def test_a_word_that_begins_with_the_prefix_is_skipped() -> None:
    assert wordpiece.train({"##ab": 9, "ab": 2}).alphabet == ("a", "##b")


def test_one_long_word_without_a_space() -> None:
    letters = "".join(Random(1).choices("abcdefghij", k=100_000))
    assert len(list(islice(wordpiece.merges({letters: 1}), 300))) == 300
    assert len(list(islice(wordpiece.merges({"a" * 1_000_000: 1}), 300))) == 300
