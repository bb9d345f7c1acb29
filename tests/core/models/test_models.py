"""What every model does, and what none accepts."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webapp.core.formats.dictionary import jieba_dictionary, read_dictionary, write_dictionary
from webapp.core.models import dictionary as dictionaries
from webapp.core.models.bpe import BPE, Merge
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.dictionary_edits import (
    MOST_EDITS,
    Edit,
    EditError,
    edited,
    parse_edits,
    scratch,
    with_edit,
    without_edit,
)
from webapp.core.models.matching import Matching
from webapp.core.models.maximum_probability import MaximumProbability
from webapp.core.models.merge_loop import merge, pack
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.recipes import MATCHING

BYTES = [bytes([byte]) for byte in range(256)]


def test_an_empty_piece_is_no_end_of_word_suffix() -> None:
    model = BPE(["a", "b", "ab", ""], [(0, 1)], byte_level=False)
    assert model.segment("aba") == ((2, 0, 2), (0, 2, 3))


def test_end_of_word_attached() -> None:
    glued = BPE(["a", "b</w>", "ab</w>"], [(0, 1)], byte_level=False, end_of_word_suffix="</w>")
    assert list(glued.segment("ab")) == [(2, 0, 2)]
    assert glued.merge_of(2) == Merge(rank=0, left=0, right=1)
    assert glued.merge_of(0) is None


def test_a_long_run_of_one_letter_takes_a_moment() -> None:
    ranks = {pack(at, at): at for at in range(20)}
    began = time.process_time()
    assert len(merge([0] * 200_000, ranks, {pair: at + 1 for pair, at in ranks.items()})) == 6
    assert time.process_time() - began < 6  # about 0.3 s


def test_the_parts_a_piece_of_ranks_is_merged_from() -> None:
    model = RankBPE([*BYTES, b"ab", b"<s>", b"cab", b"xyz"], reserved=[257])
    assert model.merge_of(256) == (256, ord("a"), ord("b"))
    assert model.merge_of(258) == (258, ord("c"), 256)
    assert [model.merge_of(id) for id in (0, 257, 259)] == [None] * 3
    assert model.id_of(b"<s>") is model.id_of("ab") is None
    assert list(model.ids("<s>")) == list(b"<s>")


LETTERS = "研究生命a 　"
WORD = st.text(LETTERS, min_size=1, max_size=4).map(str.strip).filter(bool)
WORDS = st.lists(WORD, unique=True, max_size=12)
EDITS = st.lists(
    st.builds(Edit, WORD, st.booleans(), st.none() | st.integers(0, 99), st.sampled_from(["", "n"])),
    max_size=8,
)


def written(edits: list[Edit]) -> str:
    text = ""
    for edit in edits:
        text = with_edit(text, edit)
    return text


@given(words=WORDS, frequencies=st.booleans(), edits=EDITS, text=st.text(LETTERS, max_size=20), runs=st.booleans())
def test_segmentation_is_that_of_a_dictionary_built_from_the_same_words(
    words: list[str], frequencies: bool, edits: list[Edit], text: str, runs: bool
) -> None:
    base = Dictionary(words, range(len(words)) if frequencies else None)
    dictionary = edited(base, written(edits))
    expected = dict(zip(words, base.frequencies or [0] * len(words), strict=True))
    usual = dict(expected)
    for edit in parse_edits(written(edits)):
        expected.pop(edit.word, None)
        if not edit.removed:
            expected[edit.word] = usual.get(edit.word, 0) if edit.frequency is None else edit.frequency
    # Suggested frequencies and the total, which depend on the order of changes, are compared with jieba's.
    suggested = {edit.word for edit in parse_edits(written(edits)) if edit.frequency is None} if frequencies else set()
    plain = Dictionary(list(expected), list(expected.values()))
    assert set(dictionary.ids) == set(plain.words)
    assert dictionary.longest == plain.longest
    for word, id in dictionary.ids.items():
        assert dictionary.words[id] == word
        assert word in suggested or (dictionary.frequencies or [0] * 99)[id] == expected[word]
        assert id == base.id_of(word) if word in base else id >= len(words)
    for direction in ("forward", "backward", "both"):
        found, wanted = Matching(dictionary, direction, runs), Matching(plain, direction, runs)
        spans = [(start, end, id == dictionary.unknown_id) for id, start, end in found.segment(text)]
        assert spans == [(start, end, id == plain.unknown_id) for id, start, end in wanted.segment(text)]
        shown = [text[start:end] if not unknown else "\ufffd" for start, end, unknown in spans]
        tokenizer = MATCHING.tokenizer(found)
        assert tokenizer.decode(tokenizer.ids(text)) == "".join(shown)
    changed, wanted_words = (MaximumProbability(each, hmm=False).words(text, "full") for each in (dictionary, plain))
    assert changed == wanted_words


@given(edits=EDITS)
def test_changes_are_read_back_as_they_were_written(edits: list[Edit]) -> None:
    expected: dict[str, Edit] = {}
    for edit in edits:
        expected.pop(edit.word, None)
        frequency = 0 if edit.tag and edit.frequency is None else edit.frequency
        expected[edit.word] = Edit(edit.word, True) if edit.removed else Edit(edit.word, False, frequency, edit.tag)
    text = written(edits)
    assert parse_edits(text) == list(expected.values())
    for word in expected:
        assert [edit.word for edit in parse_edits(without_edit(text, word))] == [w for w in expected if w != word]


@given(st.text("研 -\t5n\n　,\x08", max_size=30))
@example("　-")
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        edits = parse_edits(text)
    except EditError:
        return
    assert parse_edits("\n".join(map(str, edits))) == edits


def test_a_wrong_line_is_refused() -> None:
    for text, *place in (
        ("研究 often", 1, "frequency-not-a-number"),
        ("研究\n\n-", 3, "empty-word"),
        ("研究 5 v x", 1, "too-many-fields"),
        ("长" * 65, 1, "word-too-long"),
        ("研\x08究", 1, "control-character"),
        ("人\n" * (MOST_EDITS + 1), MOST_EDITS + 1, "too-many"),
    ):
        with pytest.raises(EditError) as raised:
            edited(Dictionary([]), text)
        assert [raised.value.line_number, raised.value.reason] == place


def test_an_edited_dictionary_is_a_word_list_again() -> None:
    dictionary = edited(read_dictionary("研究 5 v\n研究生 2 n\n生命 3 n"), "-研究生\n研究生命 7\n生命 9")
    assert write_dictionary(scratch(dictionary)) == "研究 5 v\n生命 9 n\n研究生命 7\n"
    assert edited(dictionary, "") is dictionary


def test_a_change_of_a_large_dictionary_builds_no_table_again(monkeypatch: pytest.MonkeyPatch) -> None:
    dictionary = jieba_dictionary()
    for table in (dictionary.lengths_by_beginning, dictionary.lengths_by_ending):
        assert table
    for name in ("lengths_by_beginning", "lengths_by_ending"):
        monkeypatch.setattr(dictionaries, name, None)
    Matching(edited(dictionary, "-研究生\n研究生命 7\n生命科学 9"), "both").ids("研究生命科学" * 10)
