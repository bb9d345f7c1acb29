"""A hidden Markov model that finds words in a row of Chinese characters.

Each character has one of four states: B begins a word, M is in the middle, E ends it, S is a word by itself. Three
tables of log-probabilities say how likely a state is at the start, after another state, and how likely a character is
in a state. The Viterbi algorithm (Viterbi 1967) finds the states with the highest sum.

Source: Rabiner 1989, "A Tutorial on Hidden Markov Models and Selected Applications in Speech Recognition", section
III.B; Xue 2003, "Chinese Word Segmentation as Character Tagging", for the four states.

>>> start = {"B": -0.3, "S": -1.5}
>>> transition = {"B": {"E": -0.5, "M": -0.9}, "M": {"E": -0.3, "M": -1.3}, "E": {"B": -0.6, "S": -0.8},
...     "S": {"B": -0.7, "S": -0.7}}
>>> emission = {"B": {"杭": -10.6}, "M": {}, "E": {"研": -9.7}, "S": {"杭": -11.6, "研": -10.5}}
>>> words("杭研", start, transition, emission)
['杭研']
"""

from collections.abc import Mapping

IMPOSSIBLE = -3.14e100
BEFORE = {"B": "ES", "M": "BM", "E": "BM", "S": "ES"}

Table = Mapping[str, Mapping[str, float]]


def viterbi(row: str, start: Mapping[str, float], transition: Table, emission: Table) -> list[str]:
    """Return the most probable state of each character.

    For each state of a character: the best of the sums of the states before it, plus the transition, plus the
    emission. The last character ends a word, so its state is E or S; of equal sums, the later letter wins.

    >>> start = {"B": -0.3, "S": -1.5}
    >>> transition = {"B": {"E": -0.1}, "M": {"E": -0.3}, "E": {"B": -0.6, "S": -0.8}, "S": {"B": -0.7, "S": -0.7}}
    >>> emission = {"B": {"杭": -5}, "M": {}, "E": {"研": -6}, "S": {"杭": -9, "研": -9}}
    >>> viterbi("杭研", start, transition, emission)
    ['B', 'E']
    """
    best = {
        state: (start.get(state, IMPOSSIBLE) + emission[state].get(row[0], IMPOSSIBLE), [state]) for state in BEFORE
    }
    for character in row[1:]:
        longer = {}
        for state, possible in BEFORE.items():
            emitted = emission[state].get(character, IMPOSSIBLE)
            score, before = max(
                (best[each][0] + transition[each].get(state, IMPOSSIBLE) + emitted, each) for each in possible
            )
            longer[state] = (score, [*best[before][1], state])
        best = longer
    _score, last = max((best[state][0], state) for state in "ES")
    return best[last][1]


def words(row: str, start: Mapping[str, float], transition: Table, emission: Table) -> list[str]:
    """Cut a row of characters after each E and each S.

    >>> start, transition = {"B": -0.3, "S": -1.5}, {"B": {"E": -0.5}, "M": {}, "E": {}, "S": {"S": -0.7}}
    >>> emission = {"B": {"杭": -8.5}, "M": {}, "E": {"研": -8.5}, "S": {"杭": -10.1, "研": -10.7}}
    >>> words("杭研", start, transition, emission)
    ['杭研']
    """
    found = [""]
    for character, state in zip(row, viterbi(row, start, transition, emission), strict=True):
        found[-1] += character
        if state in "ES":
            found.append("")
    return found[:-1]
