"""What holds for every trainer of subwords."""

from collections import Counter
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core import recipes
from webapp.core.trainers import bpe, unigram, wordpiece

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
