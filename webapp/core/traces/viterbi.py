"""Trace of the Viterbi algorithm as textbooks do it by hand: products of the probabilities in three tables."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from webapp.core.traces.word_graph import StateCandidate, StateCell

LONGEST = 20  # characters of a name
NUMBER = r"[01]|[01]?\.\d{1,20}|\d{1,9}/[1-9]\d{0,8}"
Table = Mapping[tuple[str, ...], float]


@dataclass(frozen=True)
class HMMTables:
    """Observations, and the probabilities of each state at the start, of each (state, next) and (state, observation).

    What a table leaves out has the probability 0.
    """

    observed: tuple[str, ...]
    start: Table
    transition: Table
    emission: Table

    @property
    def states(self) -> list[str]:
        """The states, in the order of the start."""
        return [state for (state,) in self.start]


@dataclass(frozen=True)
class ViterbiTrace:
    """A column of cells for each observation, one for each state, and the states of the best path.

    A cell's `total` is the probability of the best path to it, and a candidate's that of the best path through `before`
    to it. The first column has a single candidate, which comes from nowhere: its `transition` is the start.
    """

    text: tuple[str, ...]
    columns: tuple[tuple[StateCell, ...], ...]
    states: tuple[str, ...]


def separated(written: str) -> list[str]:
    """Return what commas, arrows, white space and the like separate.

    >>> separated("3, 1→3")
    ['3', '1', '3']
    """
    return re.split(r"[\s,;:=→|，；：、]+", written.strip())


def read_table(written: str, names: int) -> Table:
    """Return a table from rows of so many names and a probability; commas, arrows and ends of lines only separate.

    >>> read_table("H → C 0.4, C → H 0.5", 2)
    {('H', 'C'): 0.4, ('C', 'H'): 0.5}
    >>> read_table("B 3/6", 1)
    {('B',): 0.5}

    Raises ValueError with the first row that is none; names have at most `LONGEST` characters.
    """
    parts = separated(written)
    rows = [parts[at : at + names + 1] for at in range(0, len(parts), names + 1)]
    table: dict[tuple[str, ...], float] = {}
    for *key, value in rows:
        is_named = len(key) == names and all(len(name) <= LONGEST for name in key)
        if not is_named or not re.fullmatch(NUMBER, value) or Fraction(value) > 1:
            raise ValueError(" ".join([*key, value]))
        table[tuple(key)] = float(Fraction(value))
    return table


def viterbi_trace(tables: HMMTables) -> ViterbiTrace:
    """Return the table of the best paths. Source: Jurafsky and Martin, appendix A, figure A.9.

    >>> start, transition = read_table("H 0.8 C 0.2", 1), read_table("H H 0.6 H C 0.4 C H 0.5 C C 0.5", 2)
    >>> emission = read_table("H 1 0.2 H 2 0.4 H 3 0.4 C 1 0.5 C 2 0.4 C 3 0.1", 2)
    >>> trace = viterbi_trace(HMMTables(("3", "1", "3"), start, transition, emission))
    >>> [round(cell.total, 4) for column in trace.columns for cell in column], trace.states
    ([0.32, 0.02, 0.0384, 0.064, 0.0128, 0.0032], ('H', 'C', 'H'))
    """
    columns: list[tuple[StateCell, ...]] = []
    for observation in tables.observed:
        cells = []
        for state in tables.states:
            emitted = tables.emission.get((state, observation), 0.0)
            ways = [("", 1.0, tables.start[state,])]
            if columns:
                ways = [(one.state, one.total, tables.transition.get((one.state, state), 0.0)) for one in columns[-1]]
            candidates = tuple(StateCandidate(*way, way[1] * way[2] * emitted) for way in ways)
            best, score, step = max(ways, key=lambda way: way[1] * way[2])  # of equal ones the first
            cells.append(StateCell(state, emitted, candidates, best, score * step * emitted))
        columns.append(tuple(cells))
    path = [max(columns[-1], key=lambda cell: cell.total)]
    for column in columns[-2::-1]:
        path.append(next(cell for cell in column if cell.state == path[-1].before))
    return ViterbiTrace(tables.observed, tuple(columns), tuple(cell.state for cell in reversed(path)))
