"""Ambiguities of dictionary segmentation: their kinds, the words that cross, and words that consist of words."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from webapp.core.analysis.ambiguity import divisible_words, find_ambiguities, kind_of
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import disagreements

# Few characters and short words, so that words overlap and contain each other.
WORDS = st.lists(st.text("研究生命科学", min_size=1, max_size=4), unique=True, max_size=20)
TEXTS = st.text("研究生命科学", max_size=20)


@given(WORDS, TEXTS)
def test_fmm_and_bmm_differ_only_in_overlapping_ambiguities(words: list[str], text: str) -> None:
    """The longest word of one direction is found by the other too, unless a longer one crosses it."""
    for place in disagreements(Dictionary(words), text):
        assert kind_of(place) == "overlapping"


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
