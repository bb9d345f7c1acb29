"""Trace of maximum probability: the word graph of each block, the sums from the right, and the HMM's table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from webapp.core.models.hmm import BEFORE, IMPOSSIBLE, STATES, HiddenMarkovModel, State
from webapp.core.models.maximum_probability import BLOCK, MaximumProbability, WordArc, WordGraph

RunKind = Literal["hmm", "is a word", "joined"]


@dataclass(frozen=True, slots=True)
class GraphCandidate:
    """A word at a position: the best sum after it, and its own log-probability added."""

    arc: WordArc
    after: float
    total: float


@dataclass(frozen=True, slots=True)
class GraphColumn:
    """The words that start at a position, the longest first, and the number of the best."""

    start: int
    candidates: tuple[GraphCandidate, ...]
    winner: int

    @property
    def best(self) -> GraphCandidate:
        """The word that the best path takes here."""
        return self.candidates[self.winner]


@dataclass(frozen=True, slots=True)
class CharacterRun:
    """Single characters in a row on the best path, and the words that come of them.

    `hmm` divides them; they are a word of the dictionary, `is a word`, and stay single; or, without the HMM, letters
    and digits are `joined`.
    """

    start: int
    end: int
    kind: RunKind
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BlockTrace:
    """A block of the text that starts at `offset`; all positions inside count from its beginning.

    `columns` are those of the positions, from the left; they were filled from the right. `path` are the words of the
    best path, `tables` those of the HMM, `words` the final ones.
    """

    offset: int
    text: str
    columns: tuple[GraphColumn, ...]
    path: tuple[WordArc, ...]
    runs: tuple[CharacterRun, ...]
    tables: tuple[HMMTrace, ...]
    words: tuple[str, ...]


def block_traces(model: MaximumProbability, text: str) -> Iterator[BlockTrace]:
    """Yield the trace of each block; characters outside of blocks are tokens of their own without a decision.

    >>> from webapp.core.models.dictionary import Dictionary
    >>> model = MaximumProbability(Dictionary(["研究", "研究生", "生命"], [50, 5, 40]), hmm=False)
    >>> (trace,) = block_traces(model, "研究生命!")
    >>> [round(column.best.total, 2) for column in trace.columns], trace.words
    ([-1.51, -5.42, -0.86, -4.55], ('研究', '生命'))
    """
    for found in BLOCK.finditer(text):
        block = found[0]
        columns = tuple(graph_columns(model.graph, block))
        path = []
        at = 0
        while at < len(block):
            path.append(columns[at].best.arc)
            at = path[-1].end
        runs = tuple(_runs(model, block, path))
        tables = tuple(
            table
            for run in runs
            if run.kind == "hmm" and model.hmm is not None
            for table in hmm_traces(model.hmm, block[run.start : run.end], run.start)
        )
        yield BlockTrace(found.start(), block, columns, tuple(path), runs, tables, tuple(model.block_words(block)))


def graph_columns(graph: WordGraph, block: str) -> list[GraphColumn]:
    """The words at each position with their sums, filled from the right."""
    columns: list[GraphColumn] = []
    sums = [0.0] * (len(block) + 1)
    for start in range(len(block) - 1, -1, -1):
        candidates = tuple(
            GraphCandidate(arc, sums[arc.end], arc.score + sums[arc.end]) for arc in graph.arcs(block, start)
        )
        winner = max(range(len(candidates)), key=lambda at: (candidates[at].total, candidates[at].arc.end))
        columns.append(GraphColumn(start, candidates, winner))
        sums[start] = candidates[winner].total
    return columns[::-1]


def _runs(model: MaximumProbability, block: str, path: list[WordArc]) -> Iterator[CharacterRun]:
    start = end = 0
    for arc in path:
        if not _joins(model, block, arc) or arc.start != end:
            yield from _run(model, block, start, end)
            start = arc.start
        if _joins(model, block, arc):
            end = arc.end
    yield from _run(model, block, start, end)


def _joins(model: MaximumProbability, block: str, arc: WordArc) -> bool:
    """Whether an arc is a single character that goes to the HMM or, without it, to its neighbours."""
    character = block[arc.start : arc.end]
    return len(character) == 1 and (model.hmm is not None or (character.isascii() and character.isalnum()))


def _run(model: MaximumProbability, block: str, start: int, end: int) -> Iterator[CharacterRun]:
    if end - start > 1:
        run = block[start:end]
        known = model.graph.id_of(run) is not None
        kind: RunKind = "joined" if model.hmm is None else "is a word" if known else "hmm"
        yield CharacterRun(start, end, kind, model.run_words(run))


_HAN = re.compile("[\u4e00-\u9fd5]+")


@dataclass(frozen=True, slots=True)
class StateCandidate:
    """A state before, its sum, the transition from it, and the new sum: sum + transition + emission."""

    before: str
    score: float
    transition: float
    total: float


@dataclass(frozen=True, slots=True)
class StateCell:
    """A state of a character: its emission, the candidates, and the best sum; at the start there are no candidates."""

    state: str
    emission: float
    candidates: tuple[StateCandidate, ...]
    before: str | None
    total: float


@dataclass(frozen=True, slots=True)
class HMMTrace:
    """Han characters in a row, from `offset` of a text: a column of four states for each, and the best states."""

    offset: int
    text: str
    columns: tuple[tuple[StateCell, ...], ...]
    states: tuple[State, ...]
    words: tuple[str, ...]


def hmm_traces(model: HiddenMarkovModel, run: str, offset: int = 0) -> Iterator[HMMTrace]:
    """Yield the trace of each part of a run, which begins at `offset`, that consists of Han characters.

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
                emission = model.emission[state].get(text[at], IMPOSSIBLE)
                candidates = []
                for before in BEFORE[state] if at else ():
                    score, transition = table[at - 1][before].score, model.transition.get((before, state), IMPOSSIBLE)
                    candidates.append(StateCandidate(before, score, transition, score + transition + emission))
                cells.append(StateCell(state, emission, tuple(candidates), row[state].before, row[state].score))
            columns.append(tuple(cells))
        yield HMMTrace(offset + found.start(), text, tuple(columns), tuple(model.states(table)), model.words(text))
