"""What can be read off word counts before any training."""

from collections.abc import Mapping

WordCounts = Mapping[str, int]  # distinct word → occurrences (1 or more), in the order of the corpus


def characters(counts: WordCounts) -> dict[str, int]:
    """How often each character occurs, in the order in which they are first seen.

    >>> characters({"low": 2, "owl": 1})
    {'l': 3, 'o': 3, 'w': 3}
    """
    frequencies: dict[str, int] = {}
    for word, count in counts.items():
        for character in word:
            frequencies[character] = frequencies.get(character, 0) + count
    return frequencies


def alphabet(frequencies: Mapping[str, int], coverage: float = 1.0) -> list[str]:
    """The most frequent characters (or other symbols) that make up `coverage` of all occurrences.

    Most frequent first, ties in the order of the mapping. In a mixed corpus the rarest characters are many
    and hardly ever met: a coverage just below 1 keeps them from filling the vocabulary. Raises ValueError for
    a coverage that is not above 0 and at most 1.

    >>> alphabet({"e": 60, "t": 39, "ß": 1})
    ['e', 't', 'ß']
    >>> alphabet({"e": 60, "t": 39, "ß": 1}, coverage=0.99)
    ['e', 't']
    """
    if not 0 < coverage <= 1:
        raise ValueError(f"coverage is a share above 0 and at most 1, not {coverage}")
    missing = sum(frequencies.values()) * (1 - coverage)
    ranked = sorted(frequencies, key=frequencies.__getitem__, reverse=True)  # stable: ties stay in order
    while ranked and (missing := missing - frequencies[ranked[-1]]) >= 0:
        ranked.pop()
    return ranked


def merged(*several: WordCounts) -> dict[str, int]:
    """The counts of several corpora read one after the other.

    >>> merged({"a": 1, "b": 2}, {"c": 1, "a": 4})
    {'a': 5, 'b': 2, 'c': 1}
    """
    total: dict[str, int] = {}
    for counts in several:
        for word, count in counts.items():
            total[word] = total.get(word, 0) + count
    return total
