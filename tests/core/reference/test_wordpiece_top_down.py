from random import Random

from hypothesis import given
from hypothesis import strategies as st

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


def test_a_word_that_is_too_long_for_the_model_is_not_counted() -> None:
    counts = {"ab": 2, "abc" * 400_000: 9, "x" * 1_000_000: 1}
    assert wordpiece_top_down.train(counts, 30) == wordpiece_top_down.train({"ab": 2}, 30)
    assert reference.train(counts, 29) == reference.train({"ab": 2}, 29)


def test_many_long_words_of_few_letters() -> None:
    random = Random(1)
    counts = {"".join(random.choices("ab", k=100)): 1 for _ in range(300)}
    assert len(wordpiece_top_down.train(counts, 300).model.pieces) == 300
