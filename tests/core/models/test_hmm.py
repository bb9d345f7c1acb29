"""The hidden Markov model: jieba's tables, and its words and states."""

from __future__ import annotations

import jieba.finalseg as theirs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.models.hmm import IMPOSSIBLE, jieba_hmm
from webapp.core.reference import hmm as reference
from webapp.core.traces.word_graph import hmm_traces

han = st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FD5), min_size=1, max_size=8)


def test_the_tables_are_those_of_the_package() -> None:
    model = jieba_hmm()
    assert dict(model.start) == theirs.start_P
    assert dict(model.emission) == theirs.emit_P
    pairs = {(before, after): value for before, row in theirs.trans_P.items() for after, value in row.items()}
    assert dict(model.transition) == pairs


@given(run=st.lists(st.one_of(han, st.sampled_from(["a", "B2", "3.14%", "+#", "_", "-"])), max_size=5).map("".join))
def test_the_words_are_those_of_jieba(run: str) -> None:
    assert list(jieba_hmm().words(run)) == list(theirs.cut(run))


@given(run=han)
def test_the_table_and_the_reference_find_the_same_states(run: str) -> None:
    model = jieba_hmm()
    _score, states = theirs.viterbi(run, "BMES", theirs.start_P, theirs.trans_P, theirs.emit_P)
    assert model.states(model.table(run)) == states
    assert reference.viterbi(run, theirs.start_P, theirs.trans_P, theirs.emit_P) == states
    assert "".join(reference.words(run, theirs.start_P, theirs.trans_P, theirs.emit_P)) == run


@given(run=han)
def test_each_number_of_the_trace_can_be_computed_from_the_others(run: str) -> None:
    (trace,) = hmm_traces(jieba_hmm(), run)
    for before, column in zip([None, *trace.columns], trace.columns, strict=False):
        for cell in column:
            if before is None:
                assert cell.total == jieba_hmm().start[cell.state] + cell.emission
                continue
            sums = {each.state: each.total for each in before}
            for candidate in cell.candidates:
                assert candidate.score == sums[candidate.before]
                assert candidate.total == pytest.approx(candidate.score + candidate.transition + cell.emission)
            assert cell.total == max(candidate.total for candidate in cell.candidates)
    assert "".join(trace.words) == run


def test_what_was_never_seen_is_finite() -> None:
    assert jieba_hmm().words("龥龥") == tuple(theirs.cut("龥龥"))
    assert jieba_hmm().table("龥")[0]["E"].score < IMPOSSIBLE
