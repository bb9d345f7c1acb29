"""Word counts, the input of all trainers: characters, alphabets and sums."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol


class WordCounts(Protocol):
    """Distinct words with their occurrences (1 or more), in the order of the corpus.

    They are read from the first to the last, and never looked up: those of a large corpus are on disk.
    """

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[str]: ...

    def items(self) -> Iterable[tuple[str, int]]:
        """The words with their occurrences."""
        ...

    def values(self) -> Iterable[int]:
        """The occurrences."""
        ...


def characters(counts: WordCounts) -> dict[str, int]:
    """Return how often each character occurs, in order of first occurrence.

    >>> characters({"low": 2, "owl": 1})
    {'l': 3, 'o': 3, 'w': 3}
    """
    return symbol_counts(counts.items())


def symbol_counts(spelled: Iterable[tuple[Iterable[str], int]]) -> dict[str, int]:
    """Return how often each symbol occurs, in order of first occurrence, from words as symbols with their counts.

    >>> symbol_counts([(["l", "o", "w</w>"], 2), (["l", "o", "w"], 1)])
    {'l': 3, 'o': 3, 'w</w>': 2, 'w': 1}
    """
    frequencies: dict[str, int] = {}
    for symbols, count in spelled:
        for symbol in symbols:
            frequencies[symbol] = frequencies.get(symbol, 0) + count
    return frequencies


def alphabet(frequencies: Mapping[str, int], coverage: float = 1.0) -> list[str]:
    """Return the most frequent characters (or other symbols) that cover a share of all occurrences.

    Most frequent first, ties in the order of the mapping. A mixed corpus has many characters that hardly ever occur; a
    coverage just below 1 keeps them from filling the vocabulary. ASCII is always kept: digits are rare in a small
    corpus, but common in the texts that its tokenizer is used for. Raises ValueError unless `coverage` is above 0 and
    at most 1.

    >>> alphabet({"e": 60, "t": 39, "ß": 1})
    ['e', 't', 'ß']
    >>> alphabet({"e": 60, "t": 38, "ß": 1, "7": 1}, coverage=0.99)
    ['e', 't', '7']
    """
    if not 0 < coverage <= 1:
        raise ValueError(f"coverage is a share above 0 and at most 1, not {coverage}")
    missing = sum(frequencies.values()) * (1 - coverage)
    ranked = sorted(frequencies, key=frequencies.__getitem__, reverse=True)  # stable: ties stay in order
    dropped = set()
    for symbol in reversed(ranked):
        if symbol.isascii():
            continue
        missing -= frequencies[symbol]
        if missing < 0:
            break
        dropped.add(symbol)
    return [symbol for symbol in ranked if symbol not in dropped]


def merged(*several: WordCounts) -> dict[str, int]:
    """Return the combined counts of several corpora, in order.

    >>> merged({"a": 1, "b": 2}, {"c": 1, "a": 4})
    {'a': 5, 'b': 2, 'c': 1}
    """
    total: dict[str, int] = {}
    for counts in several:
        for word, count in counts.items():
            total[word] = total.get(word, 0) + count
    return total
