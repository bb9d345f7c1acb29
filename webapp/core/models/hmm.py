"""A hidden Markov model that finds words in a run of Chinese characters.

Each character has one of four states: it begins a word (B), is in the middle of one (M), ends one (E), or is a word by
itself (S). The model knows the log-probability of each state at the start, of each step from one state to the next, and
of each character in each state; the Viterbi algorithm finds the most probable states (Rabiner 1989, "A Tutorial on
Hidden Markov Models", section III.B; Xue 2003, "Chinese Word Segmentation as Character Tagging", for the four states).

The hidden Markov model that jieba ships for words that its dictionary lacks.
"""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

State = Literal["B", "M", "E", "S"]
STATES: tuple[State, ...] = ("B", "M", "E", "S")
IMPOSSIBLE = -3.14e100
"""The log-probability of what training did not see, as in jieba: finite, so that every run has a best path."""
BEFORE: Mapping[State, tuple[State, State]] = {"B": ("E", "S"), "M": ("M", "B"), "E": ("B", "M"), "S": ("S", "E")}
"""The states that may stand before each state."""

_HAN = re.compile("([\u4e00-\u9fd5]+)")
_ONLY_HAN = re.compile("[\u4e00-\u9fd5]+").fullmatch
_UNSEEN = (IMPOSSIBLE,) * 4
_LATIN = re.compile(r"([a-zA-Z0-9]+(?:\.\d+)?%?)")


@dataclass(frozen=True, slots=True)
class HMMCell:
    """A state at a character: the best log-probability of all paths to it, and the state before it on that path."""

    score: float
    before: State | None


@dataclass(frozen=True, eq=False)
class HiddenMarkovModel:
    """Log-probabilities: `start` of each state, `transition` of each pair of states, `emission` of characters by state.

    >>> start = {"B": -0.5, "M": IMPOSSIBLE, "E": IMPOSSIBLE, "S": -1.0}
    >>> transition = {("B", "E"): -0.2, ("B", "M"): -2.0, ("E", "B"): -0.5, ("E", "S"): -0.9, ("M", "E"): -0.3,
    ...     ("M", "M"): -1.0, ("S", "B"): -0.7, ("S", "S"): -0.7}
    >>> emission = {"B": {"杭": -1.0}, "M": {}, "E": {"研": -1.0}, "S": {"杭": -8.0, "研": -8.0}}
    >>> HiddenMarkovModel(start, transition, emission).words("杭研")
    ('杭研',)
    """

    start: Mapping[State, float]
    transition: Mapping[tuple[State, State], float]
    emission: Mapping[State, Mapping[str, float]]
    _emissions: Mapping[str, tuple[float, float, float, float]] = field(init=False, repr=False)
    _steps: tuple[float, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Put the four log-probabilities of each character together."""
        b, m, e, s = (self.emission[state].get for state in STATES)
        characters = set().union(*self.emission.values())
        each = {
            one: (b(one, IMPOSSIBLE), m(one, IMPOSSIBLE), e(one, IMPOSSIBLE), s(one, IMPOSSIBLE)) for one in characters
        }
        object.__setattr__(self, "_emissions", each)
        steps = (self.transition.get(pair, IMPOSSIBLE) for pair in _STEPS)
        object.__setattr__(self, "_steps", (*(self.start[state] for state in STATES), *steps))

    def words(self, run: str) -> tuple[str, ...]:
        """The words of a run without a word of the dictionary: Han characters by the model, Latin by its form."""
        if _ONLY_HAN(run):
            return tuple(self._han(run))
        words: list[str] = []
        for at, part in enumerate(_HAN.split(run)):
            if at % 2:
                words += self._han(part)
            elif part:
                words += filter(None, _LATIN.split(part))
        return tuple(words)

    def table(self, run: str) -> list[dict[State, HMMCell]]:
        """The Viterbi table: for each character of a run the best score of each state.

        The sums are built in jieba's order, and of equal scores the later letter wins, so that all words equal jieba's.
        """
        first = {
            state: HMMCell(self.start[state] + self.emission[state].get(run[0], IMPOSSIBLE), None) for state in STATES
        }
        rows = [first]
        for character in run[1:]:
            last = rows[-1]
            row: dict[State, HMMCell] = {}
            for state in STATES:
                emitted = self.emission[state].get(character, IMPOSSIBLE)
                score, before = max(
                    (last[each].score + self.transition.get((each, state), IMPOSSIBLE) + emitted, each)
                    for each in BEFORE[state]
                )
                row[state] = HMMCell(score, before)
            rows.append(row)
        return rows

    def states(self, table: Sequence[Mapping[State, HMMCell]]) -> list[State]:
        """The most probable states, read from the end of the table, which is E or S."""
        last: tuple[State, State] = ("E", "S")
        _score, state = max((table[-1][each].score, each) for each in last)
        found = [state]
        for row in reversed(table[1:]):
            before = row[found[-1]].before
            assert before is not None
            found.append(before)
        return found[::-1]

    def _han(self, run: str) -> list[str]:
        """The words of a run of Han characters: `table` and `states` in one pass."""
        emissions = self._emissions.get
        start_b, start_m, start_e, start_s, bm, be, mm, me, eb, es, sb, ss = self._steps
        b, m, e, s = emissions(run[0], _UNSEEN)
        b, m, e, s = start_b + b, start_m + m, start_e + e, start_s + s
        # For each character the best state before it, if its own state is B, M, E, S: 0 to 3.
        arrows: list[tuple[int, int, int, int]] = []
        for character in run[1:]:
            in_b, in_m, in_e, in_s = emissions(character, _UNSEEN)
            # Of equal scores the later letter wins.
            after_e, after_s = e + eb + in_b, s + sb + in_b
            best_b, from_b = (after_e, 2) if after_e > after_s else (after_s, 3)
            after_b, after_m = b + bm + in_m, m + mm + in_m
            best_m, from_m = (after_b, 0) if after_b > after_m else (after_m, 1)
            after_b, after_m = b + be + in_e, m + me + in_e
            best_e, from_e = (after_b, 0) if after_b > after_m else (after_m, 1)
            after_e, after_s = e + es + in_s, s + ss + in_s
            best_s, from_s = (after_e, 2) if after_e > after_s else (after_s, 3)
            arrows.append((from_b, from_m, from_e, from_s))
            b, m, e, s = best_b, best_m, best_e, best_s
        state = 2 if e > s else 3
        # From the right: a word ends where the state is E or S, and begins after the one before it.
        words: list[str] = []
        end = at = len(run)
        for arrow in reversed(arrows):
            at -= 1
            if state == 0 or state == 3:
                words.append(run[at:end])
                end = at
            state = arrow[state]
        words.append(run[:end])
        words.reverse()
        return words


_STEPS: tuple[tuple[State, State], ...] = (
    *(("B", "M"), ("B", "E"), ("M", "M"), ("M", "E")),
    *(("E", "B"), ("E", "S"), ("S", "B"), ("S", "S")),
)


@cache
def jieba_hmm() -> HiddenMarkovModel:
    """Return jieba's hidden Markov model, read from the installed package without running its code.

    The tables are the files `finalseg/prob_start.py`, `prob_trans.py` and `prob_emit.py`, each one assignment of a
    literal. Raises FileNotFoundError if jieba is not installed.
    """
    spec = find_spec("jieba")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("the hidden Markov model comes with the package jieba, which is not installed")
    folder = Path(spec.origin).parent / "finalseg"
    start, transition, emission = (
        _table((folder / f"prob_{name}.py").read_text(encoding="utf-8")) for name in ("start", "trans", "emit")
    )
    return HiddenMarkovModel(
        {state: start[state] for state in STATES},
        {
            (before, after): transition[before][after]
            for before in STATES
            for after in STATES
            if after in transition[before]
        },
        {state: emission[state] for state in STATES},
    )


def _table(source: str) -> dict[str, Any]:
    """The literal after the first `=` of a module.

    >>> _table("from __future__ import unicode_literals\\n\\nP={'B': -0.3}\\n")
    {'B': -0.3}
    """
    table: dict[str, Any] = ast.literal_eval(source.partition("=")[2].strip())
    return table
