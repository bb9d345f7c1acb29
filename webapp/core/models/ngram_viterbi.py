"""The most probable words of a sentence under an n-gram model (Viterbi 1967).

The best continuation of a path depends on its last words only, so each position keeps the best path for each state:
the word that ends there, for trigrams the last two. An unseen n-gram has the probability left(h) · P(w | shorter h), so
the best word before an unseen one does not depend on it, and is found once for each position; only n-grams that were
counted are looked at one by one, which always have more than what is left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Protocol

MOST_STATES = 32
"""At a position. More than so many words (or pairs) never end at one in ordinary text; the best of them are kept."""

MOST_CONTEXTS = 200_000
"""Of two words; their scores take up to 30 MB, then they start again. A text of random words has millions of them."""

BEGINNING = -1
"""In place of the word before START."""

Scores = tuple[float, Mapping[int, float] | None]
"""The logarithm of what a context leaves to the shorter one, and the scores of the words that were counted after it."""

Arc = tuple[int, int, float]
"""A word of the lattice: its end, its number, and what its spelling adds to its score; white space has number -1."""

State = tuple[float, int, int, int, int]
"""The sum of the best path, its last word and the one before, the last word's start, and the state before it there."""

States = list[list[State] | None]


class Scored(Protocol):
    """Natural logarithms of probabilities, by numbers of words."""

    order: int
    interpolates: bool
    """Whether unseen n-grams ask every shorter context, not order 0 at once."""
    dominates: bool
    """Whether a word that was counted after a context is never less probable than an unseen one in its place."""

    def lowest_scores(self) -> Sequence[float]:
        """The score of each word without a context: what all contexts come down to."""

    def scores(self, context: tuple[int, ...]) -> Scores:
        """The scores after a context of one word or more."""


class ScoreTables:
    """The scores of a model, computed for each context when it first occurs."""

    def __init__(self, scored: Scored) -> None:
        self.scored = scored
        self.lowest = scored.lowest_scores()
        self.pairs: Mapping[int, Scores] = _Pairs(scored)
        self.triples: Mapping[tuple[int, int], Scores] = _Triples(scored)

    def extended(self, before: float, words: tuple[int, int], word: int, further: float) -> float:
        """Return the sum of a path after another word, added up in the same order as the segmentation does.

        `words` are the last two of the path, of which the first may be `BEGINNING`.
        """
        if self.scored.order > 2:
            left, counted = self.triples[words]
            if counted is not None and word in counted:
                return before + counted[word] + further
            before += left
        left, counted = self.pairs[words[1]]
        if self.scored.order > 2:
            score = counted.get(word) if counted is not None else None
            return before + (left + self.lowest[word] if score is None else score) + further
        if counted is not None and word in counted:
            return before + counted[word] + further
        return before + left + self.lowest[word] + further

    def reach(self, before: float, words: tuple[int, int], word: int) -> float | None:
        """Return the sum that says which word before an unseen one is best; None after a context that it was seen with.

        The segmentation compares these sums before it adds the rest, so rounding decides near-ties there.
        """
        if not self.scored.dominates:
            return None
        left, counted = self.triples[words] if self.scored.order > 2 else self.pairs[words[1]]
        return None if counted is not None and word in counted else before + left


class _Pairs(dict[int, Scores]):
    """The scores after one word."""

    __slots__ = ("_scored",)

    def __init__(self, scored: Scored) -> None:
        self._scored = scored

    def __missing__(self, word: int) -> Scores:
        scored = self._scored
        asked = scored.order == 2 or (scored.order > 2 and scored.interpolates)
        found = self[word] = scored.scores((word,)) if asked else (0.0, None)
        return found


class _Triples(dict[tuple[int, int], Scores]):
    """The scores after two words, of `MOST_CONTEXTS` at most; after START alone, those of a sentence's beginning."""

    __slots__ = ("_scored",)

    def __init__(self, scored: Scored) -> None:
        self._scored = scored

    def __missing__(self, words: tuple[int, int]) -> Scores:
        scored = self._scored
        if words[0] != BEGINNING:
            found = scored.scores(words)
        else:
            found = (0.0, None) if scored.interpolates else scored.scores(words[1:])
        if len(self) >= MOST_CONTEXTS:
            self.clear()
        self[words] = found
        return found


def best_path(
    tables: ScoreTables, arcs: Sequence[Sequence[Arc]], start_mark: int, end_mark: int
) -> list[tuple[int, int, int]]:
    """Return `(number, start, end)` of each word of the best path of a sentence.

    `arcs` has the words that start at each position; where white space is, a single one leads on. On a tie the longer
    word wins, then the one after the word that was found first.
    """
    length = len(arcs)
    states: States = [None] * (length + 1)
    states[0] = [(0.0, start_mark, BEGINNING, 0, 0)]
    advance = _triples if tables.scored.order > 2 else _pairs if tables.scored.dominates else _every_pair
    for at in range(length):
        here = states[at]
        if here is not None:
            if len(here) > MOST_STATES:
                here = states[at] = sorted(here, key=_sum, reverse=True)[:MOST_STATES]
            following = arcs[at]
            if following[0][1] < 0:
                states[following[0][0]] = here
            else:
                advance(tables, here, following, at, states)
    last: States = [None]
    advance(tables, states[length] or [], ((0, end_mark, 0.0),), length, last)
    _, _, _, at, index = max(last[0] or [], key=_sum)
    words: list[tuple[int, int, int]] = []
    while True:
        _, word, _, start, before = (states[at] or [])[index]
        if word == start_mark:
            return words[::-1]
        while arcs[at - 1] and arcs[at - 1][0][1] < 0:
            at -= 1
        words.append((word, start, at))
        at, index = start, before


def _pairs(tables: ScoreTables, here: list[State], following: Sequence[Arc], at: int, states: States) -> None:
    """Add the best way to each word that starts here, whatever the word before it."""
    pairs, lowest = tables.pairs, tables.lowest
    best, best_at = -inf, 0
    seen: list[tuple[int, float, Mapping[int, float]]] = []
    for index, state in enumerate(here):
        left, counted = pairs[state[1]]
        value = state[0] + left
        if value > best:
            best, best_at = value, index
        if counted is not None:
            seen.append((index, state[0], counted))
    for end, word, further in following:
        value, where = best + lowest[word] + further, best_at
        for index, before, counted in seen:
            score = counted.get(word)
            if score is not None:
                other = before + score + further
                if other > value or (other == value and index < where):
                    value, where = other, index
        state = (value, word, here[where][1], at, where)
        found = states[end]
        if found is None:
            states[end] = [state]
        else:
            found.append(state)


def _every_pair(tables: ScoreTables, here: list[State], following: Sequence[Arc], at: int, states: States) -> None:
    """`_pairs` for scores that do not dominate: every word before is tried."""
    for end, word, further in following:
        sums = [tables.extended(state[0], (state[2], state[1]), word, further) for state in here]
        where = max(range(len(sums)), key=sums.__getitem__)
        state = (sums[where], word, here[where][1], at, where)
        found = states[end]
        if found is None:
            states[end] = [state]
        else:
            found.append(state)


def _triples(tables: ScoreTables, here: list[State], following: Sequence[Arc], at: int, states: States) -> None:
    """Add the best way to each word that starts here, for each word before it."""
    pairs, triples, lowest = tables.pairs, tables.triples, tables.lowest
    dominates = tables.scored.dominates
    groups: dict[int, list[int]] = {}
    for index, state in enumerate(here):
        groups.setdefault(state[1], []).append(index)
    for word_before, indexes in groups.items():
        left_of_pair, counted_pairs = pairs[word_before]
        best, best_at = -inf, indexes[0]
        seen: list[tuple[int, float, Mapping[int, float]]] = []
        for index in indexes:
            before = here[index][0]
            left, counted = triples[here[index][2], word_before]
            value = before + left
            if value > best:
                best, best_at = value, index
            if counted is not None:
                seen.append((index, before, counted))
        for end, word, further in following:
            score = None if counted_pairs is None else counted_pairs.get(word)
            lower = left_of_pair + lowest[word] if score is None else score
            value, where = best + lower + further, best_at
            if not dominates:
                sums = [tables.extended(here[i][0], (here[i][2], word_before), word, further) for i in indexes]
                value = max(sums)
                where = indexes[sums.index(value)]
            else:
                for index, before, counted in seen:
                    score = counted.get(word)
                    if score is not None:
                        other = before + score + further
                        if other > value or (other == value and index < where):
                            value, where = other, index
            state = (value, word, word_before, at, where)
            found = states[end]
            if found is None:
                states[end] = [state]
            else:
                found.append(state)


def _sum(state: State) -> float:
    return state[0]
