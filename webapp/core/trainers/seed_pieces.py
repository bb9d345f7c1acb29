"""The initial pieces of Unigram training: frequent substrings.

Source: Kudo 2018, "Subword Regularization", section 3.2; ranked by frequency times length as in sentencepiece. Instead
of building a suffix array, this counts substrings length by length, and a substring only if both substrings that are
one character shorter are frequent (the Apriori rule; Agrawal, Srikant 1994). A text has millions of distinct
substrings; this way the rare ones are never stored.
"""

from collections import defaultdict

from webapp.core.trainers.word_counts import WordCounts


def seed_pieces(
    counts: WordCounts,
    number: int,
    *,
    longest: int = 16,
    minimum_frequency: int = 2,
    whole_words: bool = True,
) -> dict[str, int]:
    """Return at most `number` substrings of 2 to `longest` characters with their frequencies, best ranked first.

    A substring that occurs only within one longer substring ("ecaus", always in "because") is omitted: wherever it
    could be used, the longer one could too. `whole_words`: whether a whole word counts as a substring of itself. Ties
    are ranked by first occurrence, shorter substrings before longer ones.

    >>> seed_pieces({"very": 2, "ever": 1}, 10)
    {'ver': 3, 'very': 2}
    >>> seed_pieces({"very": 2, "ever": 1}, 10, whole_words=False)
    {'ver': 3, 'ery': 2}
    """
    frequent: dict[str, int] = {}
    # The starts at which a frequent substring one character shorter occurs, followed by another at the next character.
    alive = [(word, count, list(range(len(word) - 1))) for word, count in counts.items() if len(word) > 1]
    for length in range(2, longest + 1):
        found: defaultdict[str, int] = defaultdict(int)
        for word, count, starts in alive:
            if whole_words or len(word) > length:
                for start in starts:
                    found[word[start : start + length]] += count
        longer = {piece: count for piece, count in found.items() if count >= minimum_frequency}
        for piece, count in longer.items():
            for inner in (piece[:-1], piece[1:]):
                if frequent.get(inner) == count:
                    del frequent[inner]
        frequent.update(longer)
        still_alive = []
        for word, count, starts in alive:
            here = [start for start in starts if word[start : start + length] in longer]
            following = set(here)
            starts = [start for start in here if start + 1 in following]
            if starts:
                still_alive.append((word, count, starts))
        alive = still_alive
    ranked = sorted(frequent, key=lambda piece: frequent[piece] * len(piece), reverse=True)
    return {piece: frequent[piece] for piece in ranked[:number]}


def proper_substrings(
    counts: WordCounts, number: int, *, longest: int = 16, minimum_frequency: int = 2
) -> dict[str, int]:
    """Return at most `number` substrings of 2 to `longest` characters, most frequent first, without whole words.

    This is the seed of textbook examples: no substring is omitted for being part of another. Ties are ranked by first
    occurrence.

    >>> proper_substrings({"very": 2, "ever": 1}, 5)
    {'ve': 3, 'ver': 3, 'er': 3, 'ery': 2, 'ry': 2}
    """
    found: defaultdict[str, int] = defaultdict(int)
    for word, count in counts.items():
        for start in range(len(word)):
            for end in range(start + 2, min(len(word), start + longest) + 1):
                if end - start < len(word):
                    found[word[start:end]] += count
    frequent = (piece for piece, count in found.items() if count >= minimum_frequency)
    return {piece: found[piece] for piece in sorted(frequent, key=found.__getitem__, reverse=True)[:number]}
