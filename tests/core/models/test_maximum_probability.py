"""Maximum probability and the HMM: the words of jieba."""

import time
from functools import cache
from itertools import pairwise

import jieba
import jieba.finalseg as hmm_theirs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webapp.core.formats.dictionary import jieba_dictionary
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.dictionary_edits import edited
from webapp.core.models.hmm import IMPOSSIBLE, jieba_hmm
from webapp.core.models.maximum_probability import MODES, MaximumProbability, Mode, WordGraph
from webapp.core.recipes import MATCHING
from webapp.core.reference import hmm as hmm_reference
from webapp.core.reference import maximum_probability as reference
from webapp.core.traces.word_graph import hmm_traces

WORDS = "研究 研究生 生命 科学 南京市 长江大桥 市长 网易 杭研 人工智能 B超 T恤 的 了 哈哈"
OTHERS = "a Z 19 3.14 50% C++ _ - # ， 。 ！？ é 龥 龦 㐀 𠀀"
SPACES = (" ", "\t", "\r\n", "\n", "\r", "\u3000", "\u0301", "\ud800", "\0")
PIECES = (*WORDS.split(), *OTHERS.split(), *SPACES)
hostile = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=14).map("".join)
frequent = st.dictionaries(st.text("研究生命ab1·", min_size=1, max_size=5), st.integers(1, 60), max_size=14)


@cache
def theirs() -> jieba.Tokenizer:
    jieba.setLogLevel(60)
    jieba.initialize()
    return jieba.dt


@cache
def ours(hmm: bool) -> MaximumProbability:
    return MaximumProbability(jieba_dictionary(), hmm)


def words_of_jieba(tokenizer: jieba.Tokenizer, text: str, mode: Mode, hmm: bool) -> list[str]:
    if mode == "search":
        return list(tokenizer.cut_for_search(text, HMM=hmm))
    return list(tokenizer.cut(text, cut_all=mode == "full", HMM=hmm))


@pytest.mark.parametrize("hmm", [True, False])
@pytest.mark.parametrize("mode", MODES)
@given(text=hostile)
@example("他来到了网易杭研大厦")
@example("研究生命科学的人，结婚的和尚未结婚的\r\n小明硕士毕业于中国科学院计算所,后在日本京都大学深造 3.5%")
@example("IBM的T恤B超AT恤 C++ 11个a股hello_world-2")
def test_the_words_equal_those_of_jieba(mode: Mode, hmm: bool, text: str) -> None:
    expected = words_of_jieba(theirs(), text, mode, hmm)
    model = ours(hmm)
    assert model.words(text, mode) == expected
    assert [text[start:end] for start, end in model.spans(text, mode)] == [word for word in expected if word]


def jieba_with(frequencies: dict[str, int]) -> jieba.Tokenizer:
    """jieba with another dictionary, without a file."""
    tokenizer = jieba.Tokenizer()
    beginnings = {word[:end] for word in frequencies for end in range(1, len(word))}
    tokenizer.FREQ = dict.fromkeys(beginnings, 0) | frequencies
    tokenizer.total, tokenizer.initialized = sum(frequencies.values()), True
    return tokenizer


@given(frequencies=frequent.filter(bool), text=st.text("研究生命ab1·，", max_size=14))
@example({"研": 1, "究": 1, "研究": 1, "究生": 1, "生": 1}, "研究生研究生")
@pytest.mark.parametrize("hmm", [True, False])
def test_other_dictionaries_give_the_same_words_in_jieba(hmm: bool, frequencies: dict[str, int], text: str) -> None:
    """Small frequencies are often equal, so this also tries which of two equal paths wins."""
    model = MaximumProbability(Dictionary(list(frequencies), list(frequencies.values())), hmm)
    for mode in MODES:
        expected = words_of_jieba(jieba_with(frequencies), text, mode, hmm)
        assert model.words(text, mode) == expected


@given(frequencies=frequent, text=st.text("研究生命", max_size=12))
def test_the_best_path_is_that_of_the_reference(frequencies: dict[str, int], text: str) -> None:
    dictionary = Dictionary(list(frequencies), list(frequencies.values()))
    assert list(MaximumProbability(dictionary, hmm=False).words(text)) == reference.segment(text, frequencies)


# --- ids and frequencies


@given(
    frequent.filter(bool),
    st.lists(
        st.tuples(st.text("研究生命ab1", min_size=2, max_size=4), st.sampled_from(["-", "", "1", "70"])), max_size=6
    ),
    st.text("研究生命网易杭ab1·，", max_size=14),
)
@example(
    {}, [("研究生", "-"), ("杭研", "-"), ("来到了", ""), ("到了", "-"), ("来到", "")], "他来到了网易杭研大厦，研究生"
)
@example({}, [("11", "-"), ("上海", "70000"), ("上海", "")], "11个研究 上海")
def test_changes_give_the_words_and_frequencies_that_they_give_in_jieba(
    frequencies: dict[str, int], changes: list[tuple[str, str]], text: str
) -> None:
    """Of jieba's own dictionary where none is given."""
    tokenizer = jieba_with(frequencies or dict(theirs().FREQ))
    base = Dictionary(list(frequencies), list(frequencies.values())) if frequencies else jieba_dictionary()
    tokenizer.total = base.total
    before, last = set(hmm_theirs.Force_Split_Words), dict(changes)
    lines = [f"-{word}" if change == "-" else f"{word}\t{change}" for word, change in last.items()]
    try:
        for word, change in last.items():
            if change == "-":
                tokenizer.del_word(word)
            else:
                tokenizer.add_word(word, int(change) if change else None)
        dictionary = edited(base, "\n".join(lines))
        for mode in MODES:
            assert MaximumProbability(dictionary).words(text, mode) == words_of_jieba(tokenizer, text, mode, True)
    finally:
        hmm_theirs.Force_Split_Words.clear()
        hmm_theirs.Force_Split_Words.update(before)
    assert dictionary.frequencies is not None
    found = {word: dictionary.frequencies[dictionary.ids[word]] if word in dictionary else 0 for word in last}
    assert found == {word: tokenizer.FREQ[word] for word in last}
    assert dictionary.total == tokenizer.total


def test_words_have_their_ids_white_space_and_punctuation_their_own_and_the_rest_is_unknown() -> None:
    dictionary = Dictionary(["研究", "生命"], [5, 4])
    model = MaximumProbability(dictionary)
    space, line, back, mark = (dictionary.other_ids[each] for each in " \n\r!")
    assert model.segment("研究 生命\r\n杭研!") == (
        (0, 0, 2), (space, 2, 3), (1, 3, 5), (back, 5, 6), (line, 6, 7), (2, 7, 9), (mark, 9, 10),
    )  # fmt: skip
    encoding = MATCHING.tokenizer(model).encode("研究 生命\r\n杭研!")
    assert encoding.unknown == frozenset({5})
    assert (encoding.piece(5), encoding.piece(6)) == ("杭研", "!")
    assert (model.id_of("生命"), model.id_of("杭研"), model.id_of(b"x")) == (1, None, None)


def test_a_word_without_a_frequency_counts_once() -> None:
    assert WordGraph(Dictionary(["研究", "生命"])).frequency_of("研究") == 1
    partly = WordGraph(Dictionary(["研究", "生命"], [7, 0]))
    assert (partly.frequency_of("生命"), partly.frequency_of("命"), partly.total) == (1, 0, 8)
    # Without frequencies the fewest words win.
    words = MaximumProbability(Dictionary(["研究", "研究生", "生命", "科学", "生命科学"]), hmm=False).words(
        "研究生命科学"
    )
    assert words == ["研究", "生命科学"]
    # An empty dictionary leaves single characters.
    assert MaximumProbability(Dictionary([]), hmm=False).words("研究ab") == ["研", "究", "ab"]
    assert MaximumProbability(Dictionary([])).words("") == []


# --- long texts


@pytest.mark.parametrize("text", ["a" * 300_000, "哈" * 100_000, "的" * 100_000, "杭研" * 60_000, "龥" * 100_000])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.exhaustive
def test_time_does_not_grow_faster_than_the_text(text: str, mode: Mode) -> None:
    model = MaximumProbability(jieba_dictionary())
    short = text[: len(text) // 4]
    started = time.process_time()
    model.words(short, mode)
    quarter = time.process_time() - started
    started = time.process_time()
    words = model.words(text, mode)
    assert time.process_time() - started < 12 * quarter + 0.5
    assert mode != "precise" or "".join(words) == text


han = st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FD5), min_size=1, max_size=8)


def test_the_tables_are_those_of_the_package() -> None:
    model = jieba_hmm()
    assert dict(model.start) == hmm_theirs.start_P
    assert dict(model.emission) == hmm_theirs.emit_P
    pairs = {(before, after): value for before, row in hmm_theirs.trans_P.items() for after, value in row.items()}
    assert dict(model.transition) == pairs


@given(run=st.lists(han | st.sampled_from(["a", "B2", "3.14%", "+#", "_", "-"]), max_size=5).map("".join))
@example("龥龥")
def test_the_words_are_those_of_jieba(run: str) -> None:
    assert list(jieba_hmm().words(run)) == list(hmm_theirs.cut(run))
    assert jieba_hmm().table("龥")[0]["E"].score < IMPOSSIBLE  # what was never seen is finite


@given(run=han)
def test_the_table_the_reference_and_the_trace_find_the_same_states(run: str) -> None:
    model = jieba_hmm()
    tables = hmm_theirs.start_P, hmm_theirs.trans_P, hmm_theirs.emit_P
    score, states = hmm_theirs.viterbi(run, "BMES", *tables)
    assert model.states(model.table(run)) == states == hmm_reference.viterbi(run, *tables)
    assert "".join(hmm_reference.words(run, *tables)) == run
    (trace,) = hmm_traces(model, run)
    assert "".join(trace.words) == run
    assert max(cell.total for cell in trace.columns[-1] if cell.state in "ES") == pytest.approx(score)
    for before, column in pairwise(trace.columns):
        sums = {each.state: each.total for each in before}
        for cell in column:
            totals = [sums[each.before] + each.transition + cell.emission for each in cell.candidates]
            assert cell.total == pytest.approx(max(totals))
