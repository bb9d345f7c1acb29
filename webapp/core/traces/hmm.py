"""Trace of the hidden Markov model: each state of each character with the sums that lead to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from webapp.core.models.hmm import BEFORE, IMPOSSIBLE, STATES, HiddenMarkovModel, State

_HAN = re.compile("[\u4e00-\u9fd5]+")


@dataclass(frozen=True, slots=True)
class StateCandidate:
    """A state before, its sum, the transition from it, and the new sum: sum + transition + emission."""

    before: State
    score: float
    transition: float
    total: float


@dataclass(frozen=True, slots=True)
class StateCell:
    """A state of a character: its emission, the candidates, and the best sum; at the start there are no candidates."""

    state: State
    emission: float
    candidates: tuple[StateCandidate, ...]
    before: State | None
    total: float


@dataclass(frozen=True, slots=True)
class HMMTrace:
    """Han characters in a row, from `offset` of a text: a column of four states for each, and the best states."""

    offset: int
    text: str
    columns: tuple[tuple[StateCell, ...], ...]
    states: tuple[State, ...]
    words: tuple[str, ...]


def hmm_traces(model: HiddenMarkovModel, run: str) -> Iterator[HMMTrace]:
    """Yield the trace of each part of a run that consists of Han characters.

    >>> from webapp.core.models.hmm import jieba_hmm
    >>> (trace,) = hmm_traces(jieba_hmm(), "杭研")
    >>> trace.states, [round(cell.total, 2) for cell in trace.columns[0]][0]
    (('B', 'E'), -8.78)
    """
    for found in _HAN.finditer(run):
        text = found[0]
        table = model.table(text)
        columns = []
        for at, row in enumerate(table):
            cells = []
            for state in STATES:
                candidates = tuple(
                    StateCandidate(
                        each,
                        table[at - 1][each].score,
                        model.transition.get((each, state), IMPOSSIBLE),
                        table[at - 1][each].score
                        + model.transition.get((each, state), IMPOSSIBLE)
                        + model.emission[state].get(text[at], IMPOSSIBLE),
                    )
                    for each in (BEFORE[state] if at else ())
                )
                emission = model.emission[state].get(text[at], IMPOSSIBLE)
                cells.append(StateCell(state, emission, candidates, row[state].before, row[state].score))
            columns.append(tuple(cells))
        yield HMMTrace(found.start(), text, tuple(columns), tuple(model.states(table)), model.words(text))
