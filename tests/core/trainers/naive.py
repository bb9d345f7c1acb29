"""The slow, plain trainers that the fast ones are held to: they recount everything for every merge."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import AnyStr


def word_counts(words: Iterable[str]) -> dict[str, int]:
    """
    >>> word_counts(["b", "a", "b"])
    {'b': 2, 'a': 1}
    """
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts


def pair_counts(words: Sequence[tuple[list[AnyStr], int]]) -> dict[tuple[AnyStr, AnyStr], int]:
    counts: dict[tuple[AnyStr, AnyStr], int] = {}
    for symbols, count in words:
        for pair in pairwise(symbols):
            counts[pair] = counts.get(pair, 0) + count
    return counts


def replace(symbols: list[AnyStr], pair: tuple[AnyStr, AnyStr], product: AnyStr) -> list[AnyStr]:
    replaced: list[AnyStr] = []
    at = 0
    while at < len(symbols):
        if tuple(symbols[at : at + 2]) == pair:
            replaced.append(product)
            at += 2
        else:
            replaced.append(symbols[at])
            at += 1
    return replaced


def split_bytes(counts: Mapping[str, int]) -> list[tuple[list[bytes], int]]:
    return [([bytes([byte]) for byte in word.encode()], count) for word, count in counts.items()]


def split_characters(
    counts: Mapping[str, int], suffix: str = "</w>", apart: bool = False
) -> list[tuple[list[str], int]]:
    if apart:
        return [([*word, suffix], count) for word, count in counts.items()]
    return [([*word[:-1], word[-1:] + suffix], count) for word, count in counts.items()]


def split_wordpiece(counts: Mapping[str, int], prefix: str = "##") -> list[tuple[list[str], int]]:
    return [([word[:1], *(prefix + character for character in word[1:])], count) for word, count in counts.items()]


def bpe_merges(words: Sequence[tuple[list[AnyStr], int]]) -> Iterator[tuple[AnyStr, AnyStr, int]]:
    """Recount, take the first pair with the highest count, replace it everywhere; until no pair is left."""
    words = list(words)
    while counts := pair_counts(words):
        left, right = pair = max(counts, key=counts.__getitem__)
        yield left, right, counts[pair]
        words = [(replace(symbols, pair, left + right), count) for symbols, count in words]


def wordpiece_merges(
    counts: Mapping[str, int], prefix: str = "##", minimum_pair_frequency: int = 1
) -> Iterator[tuple[str, str, str, int, float]]:
    """The same by score: count(pair) / (count(left) * count(right)), among pairs that are frequent enough."""
    words = split_wordpiece(counts, prefix)
    while True:
        singles: dict[str, int] = {}
        for symbols, count in words:
            for symbol in symbols:
                singles[symbol] = singles.get(symbol, 0) + count
        pairs = {p: c for p, c in pair_counts(words).items() if c >= minimum_pair_frequency}
        if not pairs:
            return
        scores = {(a, b): c / (singles[a] * singles[b]) for (a, b), c in pairs.items()}
        left, right = pair = max(scores, key=scores.__getitem__)
        piece = left + right.removeprefix(prefix)
        yield left, right, piece, pairs[pair], scores[pair]
        words = [(replace(symbols, pair, piece), count) for symbols, count in words]
