"""The steps of maximum matching end in the words of the model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.texts import any_text
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Direction, Matching
from webapp.core.traces.longest_match import matching_steps
from webapp.vocabularies.shipped_vocabularies import jieba_words

directions = st.sampled_from(["forward", "backward"])
small_text = st.text("研究生命科学a1B \n", max_size=20)
small_dictionary = st.lists(st.text("研究生命科学a1B ", min_size=1, max_size=6), unique=True, max_size=12).map(
    Dictionary
)


def _agree(dictionary: Dictionary, text: str, direction: Direction, keep_runs: bool) -> None:
    steps = list(matching_steps(dictionary, text, direction, keep_runs))
    if direction == "backward":
        steps.reverse()
    model = Matching(dictionary, direction, keep_runs)
    assert [(taken.id, taken.start, taken.end) for taken in steps] == list(model.segment(text))
    for taken in steps:
        lengths = [tried.end - tried.start for tried in taken.tried]
        assert lengths == list(range(lengths[0], lengths[-1] - 1, -1))
        assert lengths[0] <= max(dictionary.longest, 1)
        assert [tried.outcome for tried in taken.tried].count("word") == (taken.kind == "word")
        assert taken.kind in ("word", "space") or taken.id == dictionary.unknown_id
        assert (taken.kind == "space") == (taken.id > dictionary.unknown_id)


@given(dictionary=small_dictionary, text=small_text, direction=directions, keep_runs=st.booleans())
def test_the_steps_end_in_the_words(dictionary: Dictionary, text: str, direction: Direction, keep_runs: bool) -> None:
    _agree(dictionary, text, direction, keep_runs)


@given(text=any_text, direction=directions, keep_runs=st.booleans())
def test_the_steps_of_the_shipped_dictionary(text: str, direction: Direction, keep_runs: bool) -> None:
    _agree(jieba_words(), text, direction, keep_runs)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [("用A4纸", ["word", "run", "word"]), ("", []), ("\n", ["space"]), ("人", ["character"])],
)
def test_runs_and_characters_are_distinguished(text: str, kinds: list[str]) -> None:
    steps = matching_steps(Dictionary(["用", "纸"]), text, "forward")
    assert [taken.kind for taken in steps] == kinds
