import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.trainers.word_counts import alphabet


def test_alphabet_ranks_by_frequency_and_ties_by_appearance() -> None:
    assert alphabet({"x": 1, "e": 5, "y": 1}) == ["e", "x", "y"]


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
