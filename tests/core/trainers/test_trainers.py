"""Every trainer of subwords, and what only one of them has."""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import islice
from math import exp, fsum
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core import recipes
from webapp.core.reference import unigram as reference
from webapp.core.trainers import bpe, unigram, wordpiece
from webapp.core.trainers.corpus_lattice import LONGEST_SPAN
from webapp.core.trainers.word_counts import alphabet
from webapp.core.trainers.word_trie import frequent_substrings, grouped, seed_pieces

TRAINERS: dict[str, Any] = {
    "characters": bpe.train_characters,
    "mark apart": partial(bpe.train_characters, suffix_apart=True),
    "wordpiece": wordpiece.train,
    "unigram": unigram.train,
}
words = st.dictionaries(st.text("abc", min_size=1, max_size=12), st.integers(1, 4), min_size=1, max_size=12)


@pytest.mark.parametrize("train", TRAINERS.values(), ids=TRAINERS)
@given(counts=words, more=st.integers(0, 20))
def test_every_word_of_the_corpus_can_be_encoded(train: Any, counts: dict[str, int], more: int) -> None:
    try:
        model = train(counts, 8 + more).model
    except ValueError:  # more pieces than the words have, or fewer than letters
        return
    assert len(model.pieces) <= 8 + more
    assert all(model.unknown_id not in model.ids(word) for word in counts)


@pytest.mark.parametrize("train", TRAINERS.values(), ids=TRAINERS)
def test_characters_outside_the_coverage_are_unknown(train: Any) -> None:
    model = train({"abab": 50, "aяbaяb": 2}, 7, coverage=0.97).model
    assert not any("я" in piece for piece in model.pieces)
    assert model.unknown_id in model.ids("aяb")


@pytest.mark.parametrize(
    ("train", "size", "specials"),
    [
        (bpe.train_bytes, 262, ["<|endoftext|>"]),
        (bpe.train_characters, 16, ["<s>"]),
        (wordpiece.train, 12, ["[PAD]", "[UNK]", "[CLS]"]),
        (unigram.train, 12, ["<s>", "<unk>"]),
    ],
)
def test_the_size_counts_all_pieces(train: Any, size: int, specials: list[str]) -> None:
    trained = train({"low": 5, "lower": 2, "newest": 6}, size, special_tokens=specials)
    assert len({*trained.model.pieces, *trained.special_tokens}) == size
    assert trained.special_tokens.keys() >= set(specials)


@pytest.mark.parametrize(
    ("train", "message"),
    [
        (lambda: bpe.train_bytes({"a": 1}, 255), "256"),
        (lambda: bpe.train_characters({"abc": 1}, 3), "alphabet of 4"),
        (lambda: bpe.train_characters({"abc": 1}, end_of_word_suffix=""), "suffix"),
        (lambda: unigram.train({"abc": 1}, 3), "alphabet of 3"),
        (lambda: unigram.train({"abc": 1}, 9, special_tokens=["<s>"]), "unknown"),
        (lambda: wordpiece.train({"ab": 1}, 10, special_tokens=["[PAD]"]), "unknown"),
        (lambda: wordpiece.train({"ab": 1}, 2), "special tokens of 3"),
    ],
)
def test_impossible_options_are_refused(train: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        train()


@pytest.mark.parametrize("recipe", [recipes.BYTE_BPE, recipes.CHARACTER_BPE, recipes.WORDPIECE, recipes.UNIGRAM])
@given(text=st.text("ab é研,.' \n", max_size=40))
def test_recipes_count_pretokens_in_order(recipe: recipes.Recipe, text: str) -> None:
    normalized = recipe.normalizer.normalize(text) if recipe.normalizer else text
    assert recipe.pretokenizer
    assert list(recipe.count(text).items()) == list(Counter(recipe.pretokenizer.split(normalized)).items())


# Few letters make many ties, overlaps and pieces that two merges produce.
words_bpe = st.dictionaries(st.text("abc", max_size=14), st.integers(1, 4), max_size=12)


def test_ties_go_to_the_pair_that_comes_first_in_the_current_corpus() -> None:
    # (b, c) starts out before (x, y); merging (a, b) consumes its first occurrences, so the tie goes to (x, y).
    counts = {"abc": 5, "ab": 5, "xy": 3, "bc": 3}
    merges = [merge.left + merge.right for merge in bpe.byte_merges(counts)]
    assert merges == [b"ab", b"abc", b"xy", b"bc"]


@given(words_bpe, st.integers(0, 30), st.sampled_from(["bytes", "glued", "apart"]))
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


words_unigram = st.dictionaries(st.text("abcd", min_size=1, max_size=10), st.integers(1, 9), min_size=1, max_size=15)


@given(words_unigram, st.integers(1, 4))
def test_frequent_substrings_are_those_of_the_reference(counts: dict[str, int], least: int) -> None:
    in_order = list(counts)
    found: dict[str, int] = {}
    for level in frequent_substrings(counts, longest=16, minimum_frequency=least):
        for count, word, begin in zip(level.counts, level.words, level.begins, strict=True):
            piece = in_order[word][begin : begin + level.length]
            assert not any(piece in earlier for earlier in in_order[:word])
            assert in_order[word].index(piece) == begin
            found[piece] = int(count)
    wanted = reference.substrings(counts).items()
    assert found == {piece: count for piece, count in wanted if len(piece) > 1 and count >= least}


@given(words_unigram, st.integers(0, 12))
def test_invariants_of_every_training(counts: dict[str, int], longer: int) -> None:
    alphabet = {character for word in counts for character in word}
    room = len(alphabet) + min(longer, len(seed_pieces(counts, 1_000)))
    trained = unigram.train(counts, room + 1)
    assert len(trained.model.pieces) == room + 1
    assert fsum(map(exp, trained.scores.values())) == pytest.approx(1)
    assert all(score <= 0 for score in trained.scores.values())
    assert alphabet <= set(trained.scores)
    assert trained == unigram.train(counts, room + 1)
    for word in counts:
        ids = trained.model.ids(word)
        assert trained.model.unknown_id not in ids
        assert "".join(str(trained.model.pieces[id]) for id in ids) == word


def test_reserved_names_never_become_pieces() -> None:
    trained = unigram.train({"<unk>": 9, "<unk>s": 3}, 12)
    assert trained.model.pieces.count("<unk>") == 1  # type: ignore[arg-type]
    assert trained.model.pieces[trained.model.unknown_id] == "<unk>"


def test_one_long_word_without_a_space_in_unigram() -> None:
    trained = unigram.train({"a" * 1_000_000: 1, "ab" * 50_000: 1}, 20)
    assert max(map(len, trained.scores)) == 16
    assert LONGEST_SPAN == 32


def test_probabilities_of_improbable_words_do_not_underflow() -> None:
    """The product of 32 probabilities at the floor is still a number above 0."""
    rare = "".join(chr(0x4E00 + n) for n in range(LONGEST_SPAN))
    trained = unigram.train({rare: 2, "a": 10**15}, 40)
    assert fsum(map(exp, trained.scores.values())) == pytest.approx(1)


words_wordpiece = st.dictionaries(st.text("abc", max_size=12), st.integers(1, 4), max_size=12)


def test_pairs_below_the_minimum_frequency_are_not_merged() -> None:
    counts = {"the": 100, "then": 50, "xq": 1}
    assert next(wordpiece.merges(counts)).piece == "xq"
    assert all(merge.count >= 2 for merge in wordpiece.merges(counts, minimum_pair_frequency=2))
    assert "xq" not in {merge.piece for merge in wordpiece.merges(counts, minimum_pair_frequency=2)}


@given(words_wordpiece, st.integers(0, 20))
def test_training_to_fewer_merges_gives_the_first_of_them_in_wordpiece(counts: dict[str, int], number: int) -> None:
    whole, part = wordpiece.train(counts), wordpiece.train(counts, merges_at_most=number)
    assert part.model.pieces == whole.first(number).pieces


def test_a_word_that_begins_with_the_prefix_is_skipped() -> None:
    assert wordpiece.train({"##ab": 9, "ab": 2}).alphabet == ("a", "##b")


def test_one_long_word_without_a_space_in_wordpiece() -> None:
    letters = "".join(Random(1).choices("abcdefghij", k=100_000))
    assert len(list(islice(wordpiece.merges({letters: 1}), 300))) == 300
    assert len(list(islice(wordpiece.merges({"a" * 1_000_000: 1}), 300))) == 300


@given(
    st.dictionaries(st.characters(), st.integers(1, 100), min_size=1),
    st.floats(0.01, 1.0, allow_nan=False),
)
def test_alphabet_is_the_smallest_that_covers(frequencies: dict[str, int], coverage: float) -> None:
    found = alphabet(frequencies, coverage)
    total = sum(frequencies.values())
    covered = sum(frequencies[character] for character in found)
    assert covered >= total * coverage - 1e-9 * total
    assert set(filter(str.isascii, frequencies)) <= set(found)
    others = [frequencies[character] for character in found if not character.isascii()]
    if others:
        assert covered - min(others) < total * coverage + 1e-9 * total
        assert min(others) >= max((frequencies[c] for c in frequencies if c not in found), default=0)


@pytest.mark.parametrize("coverage", [0.0, -1.0, 1.01])
def test_alphabet_refuses_an_impossible_coverage(coverage: float) -> None:
    with pytest.raises(ValueError, match="coverage"):
        alphabet({"a": 1}, coverage)


small = st.integers(0, 6)
large = st.integers(1 << 62, (1 << 62) + 6)  # too large to be sorted together with their places


@given(st.lists(small) | st.lists(st.one_of(small, st.integers(0, 1 << 40))) | st.lists(large))
def test_groups_are_in_order_and_so_are_their_places(keys: list[int]) -> None:
    order, ranked, begins = grouped(np.array(keys, np.int64))
    assert order.tolist() == sorted(range(len(keys)), key=keys.__getitem__)
    assert ranked.tolist() == sorted(keys)
    assert begins.tolist() == [sorted(keys).index(key) for key in sorted(set(keys))]
