from collections import Counter
from itertools import islice
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.reference import wordpiece as reference
from webapp.core.trainers import wordpiece

words = st.dictionaries(st.text("abc", max_size=12), st.integers(1, 4), max_size=12)


def test_worked_example_scores(worked_examples: dict[str, Any]) -> None:
    worked = worked_examples["wordpiece_scores"]
    counts = Counter(worked["corpus"])
    splits = {word: reference.split(word) for word in counts}
    for word, symbols in worked["initial_split"].items():
        assert list(splits[word]) == symbols
    merges = wordpiece.merges(counts)
    while len({symbol for symbols in splits.values() for symbol in symbols}) > 7:
        left, right, *_ = next(merges)
        splits = {word: reference.merge(symbols, (left, right)) for word, symbols in splits.items()}
    wanted = worked["final_splits_when_the_pieces_in_use_reach_7"]
    assert {word: list(symbols) for word, symbols in splits.items()} == wanted


def test_pairs_below_the_minimum_frequency_are_not_merged() -> None:
    counts = {"the": 100, "then": 50, "xq": 1}
    assert next(wordpiece.merges(counts)).piece == "xq"
    assert all(merge.count >= 2 for merge in wordpiece.merges(counts, minimum_pair_frequency=2))
    assert "xq" not in {merge.piece for merge in wordpiece.merges(counts, minimum_pair_frequency=2)}


def test_size_counts_special_tokens_alphabet_and_merges() -> None:
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trained = wordpiece.train({"hug": 10, "pug": 5, "pun": 12, "hugs": 5}, 14, special_tokens=specials)
    assert len(trained.model.pieces) == 14
    assert trained.special_tokens == {name: index for index, name in enumerate(specials)}
    assert trained.model.unknown_id == 1


@given(words, st.integers(0, 20))
def test_training_to_fewer_merges_gives_the_first_of_them(counts: dict[str, int], number: int) -> None:
    whole, part = wordpiece.train(counts), wordpiece.train(counts, merges_at_most=number)
    assert part.model.pieces == whole.first(number).pieces


@given(words)
def test_every_word_of_the_corpus_can_be_encoded(counts: dict[str, int]) -> None:
    model = wordpiece.train(counts).model
    for word in counts:
        assert model.unknown_id not in model.ids(word)


def test_characters_outside_the_coverage_are_unknown() -> None:
    trained = wordpiece.train({"abab": 50, "aяb": 1}, coverage=0.99)
    assert not any("я" in piece for piece in trained.model.pieces)
    assert list(trained.model.ids("aяb")) == [trained.model.unknown_id]


def test_a_word_that_begins_with_the_prefix_is_skipped() -> None:
    assert wordpiece.train({"##ab": 9, "ab": 2}).alphabet == ("a", "##b")


def test_impossible_options_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown"):
        wordpiece.train({"ab": 1}, 10, special_tokens=["[PAD]"])
    with pytest.raises(ValueError, match="special tokens of 3"):
        wordpiece.train({"ab": 1}, 2)


def test_one_long_word_without_a_space() -> None:
    letters = "".join(Random(1).choices("abcdefghij", k=100_000))
    assert len(list(islice(wordpiece.merges({letters: 1}), 300))) == 300
    assert len(list(islice(wordpiece.merges({"a" * 1_000_000: 1}), 300))) == 300
