from collections import Counter
from itertools import islice
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.reference import bpe as reference
from webapp.core.trainers import bpe

# Few letters make many ties, overlaps and pieces that two merges produce.
words = st.dictionaries(st.text("abc", max_size=14), st.integers(1, 4), max_size=12)


def test_ties_go_to_the_pair_that_comes_first_in_the_current_corpus() -> None:
    # (b, c) starts out before (x, y); merging (a, b) consumes its first occurrences, so the tie goes to (x, y).
    counts = {"abc": 5, "ab": 5, "xy": 3, "bc": 3}
    merges = [merge.left + merge.right for merge in bpe.merges(counts, form="bytes")]
    assert merges == [b"ab", b"abc", b"xy", b"bc"]


def test_worked_example_end_of_word(worked_examples: dict[str, Any]) -> None:
    first, second = worked_examples["bpe_end_of_word"]
    counts = Counter(first["corpus"])
    merges = list(bpe.merges(counts, form="characters", suffix_apart=True))
    assert [[merge.left, merge.right] for merge in merges] == first["pairs"]
    trained = bpe.train_characters(counts, first["vocabulary_size"], suffix_apart=True)
    assert first["stops_because"] == "no pair is left"
    assert len(trained.merges) == len(first["pairs"])
    assert len(trained.model.pieces) < first["vocabulary_size"]
    for text, pieces in first["encode"].items():
        assert [trained.model.pieces[id] for id in trained.model.ids(text)] == pieces

    merges = list(islice(bpe.merges(second["word_counts"], form="characters", suffix_apart=True), second["merges"]))
    assert [[merge.left, merge.right] for merge in merges] == second["pairs"]
    assert [merge.count for merge in merges] == second["pair_counts"]


def test_worked_example_bytes(worked_examples: dict[str, Any]) -> None:
    worked = worked_examples["bpe_bytes"]
    trained = bpe.train_bytes({worked["text"]: 1}, 256 + worked["merges"])
    assert list(trained.model.ids(worked["text"])) == worked["ids"]


@given(words, st.integers(0, 30), st.sampled_from(["bytes", "glued", "apart"]))
def test_training_to_fewer_merges_gives_the_first_of_them(counts: dict[str, int], number: int, form: str) -> None:
    if form == "bytes":
        whole, part = bpe.train_bytes(counts), bpe.train_bytes(counts, merges_at_most=number)
        assert part.first(number).pieces == whole.first(number).pieces
        assert part.model.merges == whole.first(number).merges
    else:
        apart = form == "apart"
        everything = bpe.train_characters(counts, suffix_apart=apart)
        some = bpe.train_characters(counts, merges_at_most=number, suffix_apart=apart)
        assert some.model.pieces == everything.first(number).pieces
        assert some.model.merges == everything.first(number).merges


@given(words, st.booleans())
def test_the_model_segments_the_corpus_as_training_left_it(counts: dict[str, int], apart: bool) -> None:
    trained = bpe.train_characters(counts, merges_at_most=6, suffix_apart=apart)
    for word in filter(None, counts):
        symbols = reference.characters(word, glued=not apart)
        for left, right, _count in trained.merges:
            symbols = reference.merge(symbols, (left, right))
        assert tuple(trained.model.pieces[id] for id in trained.model.ids(word)) == symbols


def test_size_counts_bytes_merges_and_special_tokens() -> None:
    counts = {"the cat sat on the mat": 1, "the dog": 4}
    trained = bpe.train_bytes(counts, 270, ["<|endoftext|>"])
    assert len(trained.model.pieces) == 269
    assert trained.special_tokens == {"<|endoftext|>": 269}
    assert len(trained.merges) == 13


def test_size_counts_alphabet_merges_unknown_and_special_tokens() -> None:
    trained = bpe.train_characters({"low": 5, "lower": 2, "newest": 6}, 16, special_tokens=["<s>"])
    assert len(trained.model.pieces) == 15
    assert trained.special_tokens == {"<unk>": 0, "<s>": 15}
    assert trained.model.unknown_id == 0


def test_characters_outside_the_coverage_are_unknown_and_never_merged() -> None:
    counts = {"abab": 50, "aяb": 1}
    trained = bpe.train_characters(counts, coverage=0.99)
    assert not any("я" in piece for piece in trained.model.pieces)
    assert [trained.model.pieces[id] for id in trained.model.ids("aяb")] == ["a", "<unk>", "b</w>"]


@pytest.mark.parametrize("counts", [{}, {"": 3}, {"a": 1}])
def test_nothing_to_merge(counts: dict[str, int]) -> None:
    assert list(bpe.merges(counts, form="bytes")) == []
    assert bpe.train_characters(counts).merges == ()


def test_a_word_that_contains_the_suffix_is_skipped() -> None:
    assert bpe.train_characters({"a</w>b": 9, "ab": 2}).alphabet == ("<unk>", "a", "b</w>")


def test_pairs_below_the_minimum_count_are_not_merged() -> None:
    counts = {"ab": 3, "cd": 2}
    assert [merge.count for merge in bpe.merges(counts, form="bytes", minimum_count=3)] == [3]


def test_too_small_a_size_and_an_empty_suffix_are_refused() -> None:
    with pytest.raises(ValueError, match="256"):
        bpe.train_bytes({"a": 1}, 255)
    with pytest.raises(ValueError, match="alphabet of 4"):
        bpe.train_characters({"abc": 1}, 3)
    with pytest.raises(ValueError, match="suffix"):
        next(bpe.merges({"abc": 1}, form="characters", end_of_word_suffix=""))


def test_one_long_word_without_a_space() -> None:
    """Recounting, or keeping a list per word, would take minutes here."""
    random = Random(1)
    letters = "".join(random.choices("abcdefghij", k=200_000))
    merges = list(islice(bpe.merges({letters: 1}, form="bytes"), 1_000))
    assert len(merges) == 1_000
    assert [merge.count for merge in merges] == sorted((merge.count for merge in merges), reverse=True)
    runs = list(bpe.merges({"a" * 2**20: 1}, form="bytes"))
    assert [merge.left + merge.right for merge in runs] == [b"a" * 2**n for n in range(1, 21)]


def test_refused_pairs_do_not_hide_rare_ones() -> None:
    found = bpe.merges_of_symbols(
        {"abc": 1_000, "de": 1, "fg": 1}, list("abcdefg"), accepts=lambda piece: len(piece) < 3
    )
    assert [merge.left + merge.right for merge in found] == ["ab", "de", "fg"]
