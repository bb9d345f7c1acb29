from math import exp, fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.reference import unigram as reference
from webapp.core.trainers import unigram
from webapp.core.trainers.corpus_lattice import LONGEST_SPAN
from webapp.core.trainers.word_trie import frequent_substrings, seed_pieces

words = st.dictionaries(st.text("abcd", min_size=1, max_size=10), st.integers(1, 9), min_size=1, max_size=15)


@given(words, st.integers(1, 4))
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


@given(words, st.integers(0, 12))
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


def test_one_long_word_without_a_space() -> None:
    trained = unigram.train({"a" * 1_000_000: 1, "ab" * 50_000: 1}, 20)
    assert max(map(len, trained.scores)) == 16
    assert LONGEST_SPAN == 32


def test_probabilities_of_improbable_words_do_not_underflow() -> None:
    """The product of 32 probabilities at the floor is still a number above 0."""
    rare = "".join(chr(0x4E00 + n) for n in range(LONGEST_SPAN))
    trained = unigram.train({rare: 2, "a": 10**15}, 40)
    assert fsum(map(exp, trained.scores.values())) == pytest.approx(1)
