"""Words found by hashes: none is missed, and hashes that collide change no word."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webapp.core.models.dictionary import Dictionary
from webapp.core.models.dictionary_edits import edited
from webapp.core.models.fast.word_hashes import WordHashes, tables_of
from webapp.core.models.maximum_probability import MODES, MaximumProbability, Mode

characters = "研究生命ab1·，\r\n \U00020000\ud800"
more = st.lists(st.text("研究生命ab", min_size=1, max_size=11), max_size=4)
lists = st.lists(st.text(characters, min_size=1, max_size=11), max_size=12, unique=True)


@given(words=lists, text=st.text(characters, max_size=30), places=st.sampled_from([1, 2, 64, None]))
@example(["研究", "·究"], "·究，研究", 1)
@example(["研究" * 5, "究" * 9], "研究" * 12 + "究" * 20, None)
@pytest.mark.parametrize("mode", MODES)
def test_hashes_that_collide_change_no_word(mode: Mode, words: list[str], text: str, places: int | None) -> None:
    model = MaximumProbability(Dictionary(words), hmm=False)
    model._fast._tables = (WordHashes(words, places),)
    assert model._fast.words(text, mode) == model.plain_words(text, mode)


@given(words=lists, added=more, text=st.text(characters))
@pytest.mark.parametrize("mode", MODES)
def test_added_words_are_found_and_removed_ones_are_not(
    mode: Mode, words: list[str], added: list[str], text: str
) -> None:
    removed = [f"-{word}" for word in words[:2] if word.isalnum()]
    dictionary = edited(Dictionary(words), "\n".join([*removed, *(f"{word} 3" for word in added)]))
    model = MaximumProbability(dictionary, hmm=False)
    assert model._fast.words(text, mode) == model.plain_words(text, mode)


def test_a_dictionary_with_changes_shares_the_table_of_its_base() -> None:
    base = Dictionary(["研究", "生命"])
    tables = tables_of(edited(base, "研究生"))
    assert tables[0] is tables_of(base)[0]
    assert tables[1].bytes <= 1 << 12
