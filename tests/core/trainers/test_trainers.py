"""Every trainer of subwords, and what only one of them has."""

from collections import Counter
from functools import partial
from math import exp, fsum
from random import Random
from time import process_time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core import recipes
from webapp.core.reference import unigram as reference
from webapp.core.trainers import bpe, bpe_variants, unigram, wordpiece
from webapp.core.trainers.corpus_lattice import LONGEST_SPAN
from webapp.core.trainers.word_counts import alphabet
from webapp.core.trainers.word_trie import frequent_substrings, grouped

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
        trained = train(counts, 8 + more)
    except ValueError:  # more pieces than the words have, or fewer than letters
        return
    assert len(trained.model.pieces) <= 8 + more
    assert all(trained.model.unknown_id not in trained.model.ids(word) for word in counts)
    if train is unigram.train:
        assert fsum(map(exp, trained.scores.values())) == pytest.approx(1)
        assert max(trained.scores.values()) <= 0


MERGING = {name: trainer for name, trainer in TRAINERS.items() if trainer is not unigram.train}


@pytest.mark.parametrize("train", [bpe.train_bytes, *MERGING.values()])
@given(counts=words, number=st.integers(0, 30))
def test_training_to_fewer_merges_gives_the_first_of_them(train: Any, counts: dict[str, int], number: int) -> None:
    first, some = train(counts).first(number), train(counts, merges_at_most=number).model
    assert some.pieces == first.pieces
    assert getattr(some, "merges", None) == getattr(first, "merges", None)


def test_reserved_spellings_and_rare_pairs() -> None:
    assert bpe.train_characters({"a</w>b": 9, "ab": 2}).alphabet == ("<unk>", "a", "b</w>")
    assert wordpiece.train({"##ab": 9, "ab": 2}).alphabet == ("a", "##b")
    model = unigram.train({"<unk>": 9, "<unk>s": 3}, 12).model
    assert [id for id, piece in enumerate(model.pieces) if piece == "<unk>"] == [model.unknown_id]
    assert [merge.count for merge in bpe.byte_merges({"ab": 3, "cd": 2}, minimum_count=3)] == [3]


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
        (lambda: unigram.train({"abc": 1}, 3), "alphabet of 3"),
        (lambda: unigram.train({"abc": 1}, 9, special_tokens=["<s>"]), "unknown"),
        (lambda: wordpiece.train({"ab": 1}, 10, special_tokens=["[PAD]"]), "unknown"),
        (lambda: wordpiece.train({"ab": 1}, 2), "special tokens of 3"),
        (lambda: bpe_variants.train_bytes({"ab": 1}, 256, ["<s>"]), "cannot hold"),
        (lambda: bpe_variants.train_bytes({"ab": 1}, 300, share=2), "between 0 and 1"),
        (lambda: alphabet({"a": 1}, 0.0), "coverage"),
        (lambda: alphabet({"a": 1}, 1.01), "coverage"),
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


@pytest.mark.exhaustive
@pytest.mark.parametrize("train", [bpe.train_bytes, *TRAINERS.values()])
def test_long_words_without_a_space_take_a_moment(train: Any) -> None:
    """Recounting, or keeping a list per word, would take minutes here."""
    letters = "".join(Random(1).choices("abcdefghij", k=100_000))
    began = process_time()
    model = train({letters: 1, "a" * 1_000_000: 1, "ab" * 50_000: 1}, 500).model
    assert len(model.pieces) == 500
    assert process_time() - began < 20


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


def test_probabilities_of_improbable_words_do_not_underflow() -> None:
    """The product of 32 probabilities at the floor is still a number above 0."""
    rare = "".join(chr(0x4E00 + n) for n in range(LONGEST_SPAN))
    trained = unigram.train({rare: 2, "a": 10**15}, 40)
    assert fsum(map(exp, trained.scores.values())) == pytest.approx(1)


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


small = st.integers(0, 6)
large = st.integers(1 << 62, (1 << 62) + 6)  # too large to be sorted together with their places


@given(st.lists(small) | st.lists(st.one_of(small, st.integers(0, 1 << 40))) | st.lists(large))
def test_groups_are_in_order_and_so_are_their_places(keys: list[int]) -> None:
    order, ranked, begins = grouped(np.array(keys, np.int64))
    assert order.tolist() == sorted(range(len(keys)), key=keys.__getitem__)
    assert ranked.tolist() == sorted(keys)
    assert begins.tolist() == [sorted(keys).index(key) for key in sorted(set(keys))]


def test_alphabet_ranks_by_frequency_and_ties_by_appearance() -> None:
    assert alphabet({"x": 1, "e": 5, "y": 1}) == ["e", "x", "y"]
