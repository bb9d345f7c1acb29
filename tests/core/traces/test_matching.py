"""The steps of maximum matching and of WordPiece end in the pieces of the model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.texts import any_text
from tests.core.traces import ids_of
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Direction, Matching
from webapp.core.models.wordpiece import WordPiece
from webapp.core.traces.matching import matching_steps
from webapp.core.traces.wordpiece import tokens_of, wordpiece_steps
from webapp.vocabularies.shipped_vocabularies import jieba_words, shipped_tokenizer

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


# --- WordPiece

pieces = st.lists(st.text("ab研#", min_size=1, max_size=5), unique=True, max_size=15)


@given(pieces=pieces, word=st.text("ab研#c", max_size=12), prefix=st.sampled_from(["##", "", "a"]))
def test_the_steps_end_in_the_pieces(pieces: list[str], word: str, prefix: str) -> None:
    model = WordPiece([*pieces, "[UNK]"], continuing_subword_prefix=prefix, max_word_length=10)
    assert tokens_of(wordpiece_steps(model, word)) == list(model.segment(word))
    for decision in wordpiece_steps(model, word):
        lengths = [looked.end - looked.start for looked in decision.tried]
        assert lengths == list(range(len(lengths[:1]) and lengths[0], len(lengths[:1]) and lengths[-1] - 1, -1))
        assert [looked.id is None for looked in decision.tried] == [
            decision.kind != "piece" or at + 1 < len(lengths) for at in range(len(lengths))
        ]


@given(text=any_text, lowercase=st.booleans())
def test_the_steps_of_wordpiece_s_shipped_vocabulary(text: str, lowercase: bool) -> None:
    tokenizer = shipped_tokenizer("wordpiece", lowercase=lowercase)
    model = tokenizer.model
    assert isinstance(model, WordPiece)
    found = ids_of(tokenizer, text, lambda word: (id for id, _, _ in tokens_of(wordpiece_steps(model, word))))
    assert found == tokenizer.ids(text)
