from itertools import islice
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from webapp.core.trainers import bpe

# Few letters make many ties, overlaps and pieces that two merges produce.
words = st.dictionaries(st.text("abc", max_size=14), st.integers(1, 4), max_size=12)


def test_ties_go_to_the_pair_that_comes_first_in_the_current_corpus() -> None:
    # (b, c) starts out before (x, y); merging (a, b) consumes its first occurrences, so the tie goes to (x, y).
    counts = {"abc": 5, "ab": 5, "xy": 3, "bc": 3}
    merges = [merge.left + merge.right for merge in bpe.byte_merges(counts)]
    assert merges == [b"ab", b"abc", b"xy", b"bc"]


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


def test_a_word_that_contains_the_suffix_is_skipped() -> None:
    assert bpe.train_characters({"a</w>b": 9, "ab": 2}).alphabet == ("<unk>", "a", "b</w>")


def test_pairs_below_the_minimum_count_are_not_merged() -> None:
    counts = {"ab": 3, "cd": 2}
    assert [merge.count for merge in bpe.byte_merges(counts, minimum_count=3)] == [3]


def test_one_long_word_without_a_space() -> None:
    """Recounting, or keeping a list per word, would take minutes here."""
    random = Random(1)
    letters = "".join(random.choices("abcdefghij", k=200_000))
    merges = list(islice(bpe.byte_merges({letters: 1}), 1_000))
    assert len(merges) == 1_000
    assert [merge.count for merge in merges] == sorted((merge.count for merge in merges), reverse=True)
    runs = list(bpe.byte_merges({"a" * 2**20: 1}))
    assert [merge.left + merge.right for merge in runs] == [b"a" * 2**n for n in range(1, 21)]


def test_refused_pairs_do_not_hide_rare_ones() -> None:
    found = bpe.character_merges(
        {"abc": 1_000, "de": 1, "fg": 1},
        end_of_word_suffix="",
        symbols=list("abcdefg"),
        accepts=lambda piece: len(piece) < 3,
    )
    assert [merge.left + merge.right for merge in found] == ["ab", "de", "fg"]
