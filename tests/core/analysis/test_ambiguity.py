"""Ambiguities of dictionary segmentation: their kinds, the words that cross, and words that consist of words."""

from __future__ import annotations

import re
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.analysis.ambiguity import Divisible, crossing_words, divisible_words, find_ambiguities, kind_of
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Disagreement, disagreements

# Few characters and short words, so that words overlap and contain each other.
WORDS = st.lists(st.text("研究生命科学", min_size=1, max_size=4), unique=True, max_size=20)
TEXTS = st.text("研究生命科学", max_size=20)


def spans(words: tuple[str, ...]) -> dict[tuple[int, int], str]:
    """Return each word by its start and end."""
    ends = list(accumulate(map(len, words)))
    return {(end - len(word), end): word for word, end in zip(words, ends, strict=True)}


def split(lengths: list[int], text: str) -> tuple[str, ...]:
    ends = list(accumulate(lengths))
    return tuple(text[end - length : end] for length, end in zip(lengths, ends, strict=True))


@given(WORDS, TEXTS)
def test_fmm_and_bmm_differ_only_in_overlapping_ambiguities(words: list[str], text: str) -> None:
    """The longest word of one direction is found by the other too, unless a longer one crosses it."""
    for place in disagreements(Dictionary(words), text):
        assert kind_of(place) == "overlapping"
        assert crossing_words(place) is not None


@given(WORDS, TEXTS)
def test_crossing_words_share_characters_and_neither_contains_the_other(words: list[str], text: str) -> None:
    for place in disagreements(Dictionary(words), text):
        found = crossing_words(place)
        assert found is not None
        pairs = [
            (one, other)
            for one, word in spans(place.forward).items()
            for other, rival in spans(place.backward).items()
            if (word, rival) == found
        ]
        assert any(
            one[0] < other[0] < one[1] < other[1] or other[0] < one[0] < other[1] < one[1] for one, other in pairs
        )


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5), st.lists(st.integers(1, 4), min_size=1, max_size=5))
def test_words_cross_exactly_where_neither_side_is_one_word(left: list[int], right: list[int]) -> None:
    """A disagreement has no boundary inside that both sides share."""
    total = sum(left)
    inside = set(accumulate(left[:-1])) & set(accumulate(right[:-1]))
    if total != sum(right) or inside or left == right:
        return
    text = "".join(chr(0x4E00 + at) for at in range(total))
    place = Disagreement(0, total, split(left, text), split(right, text))
    assert (crossing_words(place) is None) == (kind_of(place) == "combinational") == (1 in (len(left), len(right)))


@given(WORDS, st.lists(st.text("研究生命科学", min_size=1, max_size=4), max_size=12))
def test_divisible_words_are_joined_words_of_the_dictionary(known: list[str], words: list[str]) -> None:
    found = divisible_words(Dictionary(known), words)
    for each in found:
        assert "".join(each.parts) == each.word
        assert set(each.parts) <= set(known)
        if each.word in known:  # /ambiguity divides it the same way
            assert each.parts in [one.parts for one in find_ambiguities(Dictionary(known), each.word).combinations()]
    several = f"(?:{'|'.join(map(re.escape, known))}){{2,}}"
    divisible = [word for word in dict.fromkeys(words) if known and re.fullmatch(several, word)]
    assert [each.word for each in found] == divisible


@pytest.mark.parametrize(
    ("words", "text", "found"),
    [
        (["将", "来", "将来"], ["将来"], [Divisible("将来", ("将", "来"))]),
        (["研", "究生", "研究", "生", "研究生"], ["研究生"], [Divisible("研究生", ("研", "究生"))]),
        (["马", "上"], ["马上"], [Divisible("马上", ("马", "上"))]),
        (["马"], ["马上", "马"], []),
        (["研", "究", "生"], ["研究生"], [Divisible("研究生", ("研", "究", "生"))]),
        ([], ["马上"], []),
    ],
)
def test_divisible_words_by_hand(words: list[str], text: list[str], found: list[Divisible]) -> None:
    assert divisible_words(Dictionary(words), text) == found
