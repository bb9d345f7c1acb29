"""The best path of bigrams (or unigrams) through a sentence without unknown characters and Latin runs.

- Exploits: nearly every sentence of a Chinese text is one; lengths and single characters are then looked up for the
  whole sentence at once, and no list of arcs is built.
- Invariant: the sums are added up in the same order, so that the path is the same even where rounding decides.
- Proved by: `webapp.core.models.ngram_viterbi.best_path` in `test_the_fast_path_equals_the_plain_one`.
- Bought: 1.6 times on Chinese, from empty caches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from operator import add

from webapp.core.models.ngram_probabilities import Scores
from webapp.core.models.ngram_viterbi import MOST_STATES


def pair_path(
    sentence: str,
    singles: Sequence[int],
    lengths: Mapping[str, tuple[int, ...]],
    ids: Mapping[str, int],
    pairs: Mapping[int, Scores],
    lowest: Sequence[float],
    start_mark: int,
    end_mark: int,
) -> tuple[list[int], list[int]]:
    """Return the numbers and the ends of the words; each character of white space has number -1.

    `singles` has the number of each character, -1 for white space, `lengths` those of the words by their beginning,
    `pairs` and `lowest` the scores of a model.
    """
    length = len(sentence)
    lengths_at = list(map(lengths.get, map(add, sentence, sentence[1:] + "\0")))
    id_of = ids.get
    # By position: (sum, word, start, index of the state at the start).
    states: list[list[tuple[float, int, int, int]] | None] = [None] * (length + 1)
    states[0] = [(0.0, start_mark, 0, 0)]
    for at, single in enumerate(singles):
        here = states[at]
        if here is None:
            continue
        if single < 0:
            states[at + 1] = here
            continue
        if len(here) == 1:
            before, last, _, _ = here[0]
            left, counted = pairs[last]
            best = before + left
            for word_length in lengths_at[at] or ():
                end = at + word_length
                if end <= length:
                    word = id_of(sentence[at:end])
                    if word is not None:
                        score = counted.get(word) if counted is not None else None
                        value = best + lowest[word] if score is None else before + score
                        found = states[end]
                        if found is None:
                            states[end] = [(value, word, at, 0)]
                        else:
                            found.append((value, word, at, 0))
            score = counted.get(single) if counted is not None else None
            value = best + lowest[single] if score is None else before + score
            found = states[at + 1]
            if found is None:
                states[at + 1] = [(value, single, at, 0)]
            else:
                found.append((value, single, at, 0))
            continue
        if len(here) > MOST_STATES:
            here = states[at] = sorted(here, key=_sum, reverse=True)[:MOST_STATES]
        best, best_at = -inf, 0
        seen: list[tuple[int, float, Mapping[int, float]]] = []
        for index, (before, last, _, _) in enumerate(here):
            left, counted = pairs[last]
            value = before + left
            if value > best:
                best, best_at = value, index
            if counted is not None:
                seen.append((index, before, counted))
        words = [(at + 1, single)]
        for word_length in lengths_at[at] or ():
            end = at + word_length
            if end <= length:
                word = id_of(sentence[at:end])
                if word is not None:
                    words.append((end, word))
        for end, word in words:
            value, where = best + lowest[word], best_at
            for index, before, counted in seen:
                score = counted.get(word)
                if score is not None:
                    other = before + score
                    if other > value or (other == value and index < where):
                        value, where = other, index
            found = states[end]
            if found is None:
                states[end] = [(value, word, at, where)]
            else:
                found.append((value, word, at, where))
    return _read_back(states, singles, pairs, lowest, end_mark)


def _read_back(
    states: Sequence[list[tuple[float, int, int, int]] | None],
    singles: Sequence[int],
    pairs: Mapping[int, Scores],
    lowest: Sequence[float],
    end_mark: int,
) -> tuple[list[int], list[int]]:
    end = len(states) - 1
    best, index = -inf, 0
    seen: list[tuple[float, int]] = []
    for at, (before, last, _, _) in enumerate(states[end] or ()):
        left, counted = pairs[last]
        score = counted.get(end_mark) if counted is not None else None
        if score is not None:
            seen.append((before + score, at))
        if before + left > best:
            best, index = before + left, at
    value = best + lowest[end_mark]
    for other, at in seen:
        if other > value or (other == value and at < index):
            value, index = other, at
    numbers: list[int] = []
    ends: list[int] = []
    while end:
        if singles[end - 1] < 0:
            numbers.append(-1)
            ends.append(end)
            end -= 1
            continue
        _, word, start, before_index = (states[end] or [])[index]
        numbers.append(word)
        ends.append(end)
        end, index = start, before_index
    numbers.reverse()
    ends.reverse()
    return numbers, ends


def _sum(state: tuple[float, int, int, int]) -> float:
    return state[0]
