"""The fast trainer and the model of WordPiece produce the same merges and pieces as the reference."""

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.models.wordpiece import WordPiece
from webapp.core.reference import wordpiece as reference
from webapp.core.trainers import wordpiece

words = st.dictionaries(st.text("abc", max_size=12), st.integers(1, 4), max_size=12)
pieces = st.lists(st.text("abcé研", min_size=1, max_size=4), unique=True, max_size=12)


def scored(counts: dict[str, int], minimum: int) -> Iterator[tuple[str, str, str, int, float]]:
    """Yield all merges of the reference, each with its piece, the count of its pair and its score."""
    corpus = {reference.split(word): count for word, count in counts.items()}
    for pair in reference.train(corpus, 10_000, minimum):
        count, score = reference.count_pairs(corpus)[pair], reference.scores(corpus)[pair]
        yield (*pair, reference.join(*pair), count, score)
        corpus = {reference.merge(symbols, pair): count for symbols, count in corpus.items()}


@given(words, st.integers(1, 4))
def test_training_equals_the_reference(counts: dict[str, int], minimum: int) -> None:
    assert list(wordpiece.merges(counts, minimum_pair_frequency=minimum)) == list(scored(counts, minimum))


@given(st.dictionaries(st.text("abcd", max_size=8), st.integers(1, 300), max_size=25))
def test_training_on_frequent_words_equals_the_reference(counts: dict[str, int]) -> None:
    """Frequent symbols lose a small share of their count in a merge, which must not leave scores out of date."""
    assert list(wordpiece.merges(counts)) == list(scored(counts, 1))


@pytest.mark.parametrize("seed", range(3))
def test_training_on_many_words_equals_the_reference(seed: int) -> None:
    random = Random(seed)
    counts = {"".join(random.choices("abcdefgh", k=random.randrange(1, 25))): random.randrange(1, 6) for _ in range(60)}
    slow = list(scored(counts, 2))
    assert list(wordpiece.merges(counts, minimum_pair_frequency=2)) == slow
    assert len(slow) > 100


@given(vocabulary=pieces, inner=pieces, text=st.text("abcé研", max_size=12), longest=st.integers(1, 14))
def test_the_model_encodes_as_the_reference(vocabulary: list[str], inner: list[str], text: str, longest: int) -> None:
    every = ["[UNK]", *vocabulary, *("##" + piece for piece in inner)]
    model = WordPiece(every, max_word_length=longest)
    expected = reference.encode(text, every, longest_word=longest)
    assert [model.pieces[id] for id in model.ids(text)] == expected
    assert [model.pieces[id] for id, _, _ in model.segment(text)] == expected
