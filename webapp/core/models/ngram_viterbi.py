"""The most probable words of a sentence under an n-gram model (Viterbi 1967).

The best continuation of a path depends on its last words only, so each position keeps the best path for each state:
the word that ends there, for trigrams the last two. An unseen n-gram has the probability left(h) · P(w | shorter h), so
the best word before an unseen one does not depend on it, and is found once for each position; only n-grams that were
counted are looked at one by one, which always have more than what is left.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import inf

from webapp.core.models.ngram_lattice import Arc
from webapp.core.models.ngram_probabilities import Probabilities, Scores

MOST_STATES = 32
"""At a position. More than so many words (or pairs) never end at one in ordinary text; the best of them are kept."""

MOST_CONTEXTS = 200_000
"""Of two words; their scores take up to 30 MB, then they start again. A text of random words has millions of them."""

LONGEST_OPEN = 1024
"""Characters after which the best path so far is read back, as soon as it is decided."""

BEGINNING = -1
"""In place of the word before START."""

State = tuple[float, int, int, int, int]
"""The sum of the best path, its last word and the one before, the last word's start, and the state before it there."""

States = list[list[State] | None]


class ScoreTables:
    """The scores of a model, computed for each context when it first occurs."""

    def __init__(self, scored: Probabilities) -> None:
        self.scored = scored
        self.lowest = scored.lowest_scores
        self.pairs: Mapping[int, Scores] = _Pairs(scored)
        self.triples = _Triples(scored, self.pairs, len(self.lowest))
        self.unknown = len(self.lowest) - 1

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
        left, counted = self.triples[words] if self.scored.order > 2 else self.pairs[words[1]]
        return None if counted is not None and word in counted else before + left


class _Pairs(dict[int, Scores]):
    """The scores after one word."""

    __slots__ = ("_scored",)

    def __init__(self, scored: Probabilities) -> None:
        self._scored = scored

    def __missing__(self, word: int) -> Scores:
        scored = self._scored
        asked = scored.order == 2 or (scored.order > 2 and scored.interpolates)
        found = self[word] = scored.scores((word,)) if asked else (0.0, None)
        return found


class _Triples(dict[tuple[int, int], Scores]):
    """The scores after two words, of `MOST_CONTEXTS` at most; after START alone, those of the beginning of a sentence.

    Those of contexts that never occurred are the same and are not kept.
    """

    def __init__(self, scored: Probabilities, pairs: Mapping[int, Scores], numbers: int) -> None:
        self._scored = scored
        self._pairs = pairs
        self._numbers = numbers
        self._unseen: Scores | None = None

    def __missing__(self, words: tuple[int, int]) -> Scores:
        scored = self._scored
        before, last = words
        if before == BEGINNING:
            found = (0.0, None) if scored.interpolates else scored.scores(words[1:])
        elif self.is_context(before, last):
            found = scored.scores(words, self._pairs[last])
        else:
            if self._unseen is None:
                start = self._numbers - 2
                self._unseen = scored.scores((start, start))
            return self._unseen
        if len(self) >= MOST_CONTEXTS:
            self.clear()
        self[words] = found
        return found

    def is_context(self, before: int, last: int) -> bool:
        """Whether something is known of the words after two others, START alone included."""
        return before == BEGINNING or before * self._numbers + last in self.contexts

    @cached_property
    def contexts(self) -> frozenset[int]:
        """The pairs of words that something is known after, as first · numbers + second."""
        return frozenset(first * self._numbers + second for first, second in self._scored.contexts())


def best_path(
    tables: ScoreTables,
    arcs: Callable[[int], Sequence[Arc]],
    length: int,
    start_mark: int,
    end_mark: int,
) -> list[tuple[int, int, int]]:
    """Return `(number, start, end)` of each word of the best path of a sentence of some length in characters.

    `arcs` gives the words that start at a position; where white space is, a single one leads on. On a tie the longer
    word wins, then the one after the word that was found first.
    """
    states: States = [None] * (length + 1)
    states[0] = [(0.0, start_mark, BEGINNING, 0, 0)]
    advance = _triples if tables.scored.order > 2 else _pairs
    words: list[tuple[int, int, int]] = []
    at = decided = furthest = 0
    while at < length:
        here = states[at]
        if here is None:
            at += 1
            continue
        following = arcs(at)
        if furthest <= at and at - decided > LONGEST_OPEN and len(here) == 1:
            # All paths pass here, so what lies before takes no more memory.
            words += _read_back(states, at, 0, decided, start_mark)
            states[decided:at] = [None] * (at - decided)
            decided = at
        furthest = max(furthest, following[0][0], following[-1][0])
        if len(here) > MOST_STATES:
            here = states[at] = sorted(here, key=_sum, reverse=True)[:MOST_STATES]
        if following[0][1] < 0:
            states[following[0][0]] = here
        else:
            advance(tables, here, following, at, states)
        at += 1
    last: States = [None]
    advance(tables, states[length] or [], ((0, end_mark, 0.0),), length, last)
    _, _, _, at, index = max(last[0] or [], key=_sum)
    return words + _read_back(states, at, index, decided, start_mark)


def _read_back(
    states: Sequence[list[State] | None],
    at: int,
    index: int,
    begin: int,
    start_mark: int,
) -> list[tuple[int, int, int]]:
    """The words from `begin` to a state, of which white space has the one before it."""
    words: list[tuple[int, int, int]] = []
    while at > begin:
        _, word, _, start, before = (states[at] or [])[index]
        if word == start_mark:
            break
        while states[at - 1] is states[at]:
            at -= 1
        if at <= begin:
            break
        words.append((word, start, at))
        at, index = start, before
    return words[::-1]


def _pairs(tables: ScoreTables, here: list[State], following: Sequence[Arc], at: int, states: States) -> None:
    """Add the best way to each word that starts here, whatever the word before it."""
    pairs, lowest, unknown = tables.pairs, tables.lowest, tables.unknown
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
        elif word != unknown:
            found.append(state)
        else:
            # Unknown words that start at several places are the same context; the best is kept.
            place = next((at for at, other in enumerate(found) if other[1] == unknown), None)
            if place is None:
                found.append(state)
            elif value > found[place][0]:
                del found[place]
                found.append(state)


def _triples(tables: ScoreTables, here: list[State], following: Sequence[Arc], at: int, states: States) -> None:
    """Add the best way to each word that starts here, for each word before it.

    Of the pairs that no word was counted after, only the best is added: all words follow them alike.
    """
    pairs, triples, lowest, unknown = tables.pairs, tables.triples, tables.lowest, tables.unknown
    contexts, size = triples.contexts, len(lowest)
    groups: dict[int, list[int]] = {}
    for index, state in enumerate(here):
        groups.setdefault(state[1], []).append(index)
    found: list[list[State]] = [[] for _ in following]
    unseen: list[tuple[float, int] | None] = [None] * len(following)
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
        for number, (_, word, further) in enumerate(following):
            score = None if counted_pairs is None else counted_pairs.get(word)
            lower = left_of_pair + lowest[word] if score is None else score
            value, where = best + lower + further, best_at
            for index, before, counted in seen:
                score = counted.get(word)
                if score is not None:
                    other = before + score + further
                    if other > value or (other == value and index < where):
                        value, where = other, index
            if word_before * size + word in contexts:
                found[number].append((value, word, word_before, at, where))
                continue
            best_unseen = unseen[number]
            if best_unseen is None or value > best_unseen[0]:
                if best_unseen is not None:
                    del found[number][best_unseen[1]]
                unseen[number] = value, len(found[number])
                found[number].append((value, word, word_before, at, where))
    for (end, word, _), new in zip(following, found, strict=True):
        there = states[end]
        if there is None:
            states[end] = new
        elif word == unknown:
            for state in new:
                _add_unknown(there, state, state[2] if triples.is_context(state[2], word) else None, triples)
        else:
            there += new


def _add_unknown(states: list[State], state: State, context: int | None, triples: _Triples) -> None:
    """Add a state whose word is unknown; words that start at several places end here with the same number.

    Of those that the same words follow alike, the best is kept: after `context` and an unknown word, or, if it is None,
    after a pair that no word was counted after.
    """
    for at, (value, word, before, _, _) in enumerate(states):
        if word == state[1] and context == (before if triples.is_context(before, word) else None):
            if state[0] > value:
                del states[at]
                break
            return
    states.append(state)


def _sum(state: State) -> float:
    return state[0]
