"""Which word lengths are worth trying at a position in a text; maximum matching and the Unigram lattice share it.

- Exploits: the words that begin with the same two characters have one to four different lengths, though the longest
  word of the dictionary has 16 characters or more.
- Invariant: the table has every length of every word of two characters or more, so what it leaves out cannot fit.
- Proved by: `webapp.core.reference.matching` in `test_matching_equals_the_reference` and
  `webapp.core.reference.unigram.encode` in `test_the_models_encode_as_the_reference`, which try every length.
- Bought: 12 to 14 times (forward matching with jieba's words, against trying each length up to 16).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from webapp.core.vocabulary_error import VocabularyError, shown

Text = TypeVar("Text", str, bytes)

# Bounds on what is tried at one position with an uploaded vocabulary. A megabyte in which none of 64 lengths ever fits
# takes 8 s. The published vocabularies of pieces and special tokens that were measured have up to 15 lengths.
MOST_LENGTHS = 64
MOST_CHARACTERS = 8192


def lengths_by_beginning(words: Iterable[str], *, bounded: bool = False) -> dict[str, tuple[int, ...]]:
    """For each two characters that words begin with, those words' lengths, longest first.

    Words of one character are left out: they need no table.

    >>> lengths_by_beginning(["a", "ab", "abcd", "abed", "ba"])
    {'ab': (4, 2), 'ba': (2,)}

    With `bounded`, raises VocabularyError where a beginning has too many lengths, or too long ones.
    """
    return _lengths(((word[:2], len(word)) for word in words), bounded)


def lengths_of_bytes(words: Iterable[bytes]) -> dict[bytes, tuple[int, ...]]:
    """`lengths_by_beginning` for words of bytes, bounded."""
    return _lengths(((word[:2], len(word)) for word in words), bounded=True)


def lengths_by_ending(words: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """For each two characters that words end with, those words' lengths, longest first.

    >>> lengths_by_ending(["a", "ab", "abcd", "eacd"])
    {'ab': (2,), 'cd': (4,)}
    """
    return _lengths(((word[-2:], len(word)) for word in words), bounded=False)


def matching_pieces(
    text: str, scores: Mapping[str, float], lengths: Mapping[str, tuple[int, ...]], unknown: float
) -> Iterator[tuple[int, int, float]]:
    """`(start, end, score)` of every piece at every position of a text; a character that is no piece scores `unknown`.

    `lengths` are those of the pieces by their beginning, longest first.

    >>> scores = {"a": -1.0, "ab": -2.0}
    >>> list(matching_pieces("abc", scores, lengths_by_beginning(scores), -9.0))
    [(0, 2, -2.0), (0, 1, -1.0), (1, 2, -9.0), (2, 3, -9.0)]
    """
    for start in range(len(text)):
        for length in (*lengths.get(text[start : start + 2], ()), 1):
            piece = text[start : start + length]
            score = scores.get(piece, unknown if length == 1 else None)
            if score is not None and len(piece) == length:
                yield start, start + length, score


def path_parts(text: str, start_of: Sequence[int], ids: Mapping[str, int]) -> list[tuple[int | None, int]]:
    """`(id, end)` of each part of a path through a text, in order; a part that is no piece has no id.

    `start_of` has, for each position, the start of the last part of the best path to it.

    >>> path_parts("abc", [0, 0, 0, 2], {"ab": 7})
    [(7, 2), (None, 3)]
    """
    parts: list[tuple[int | None, int]] = []
    end = len(text)
    id_of = ids.get
    while end > 0:
        start = start_of[end]
        parts.append((id_of(text[start:end]), end))
        end = start
    parts.reverse()
    return parts


def _lengths(keyed: Iterable[tuple[Text, int]], bounded: bool) -> dict[Text, tuple[int, ...]]:
    # All beginnings share a few sets of lengths, so each set is built and kept once.
    table: dict[Text, tuple[int, ...]] = {}
    grown: dict[tuple[tuple[int, ...], int], tuple[int, ...]] = {}
    known = table.get
    for key, length in keyed:
        if length > 1:
            before: tuple[int, ...] = known(key, ())
            if length not in before:
                after = grown.get((before, length))
                if after is None:
                    after = grown[before, length] = tuple(sorted((*before, length), reverse=True))
                    if bounded:
                        _check(key, after)
                table[key] = after
    return table


def _check(beginning: str | bytes, lengths: Sequence[int]) -> None:
    if len(lengths) > MOST_LENGTHS:
        raise VocabularyError(
            "the pieces or tokens that begin with %(beginning)s have more than %(most)s different lengths",
            beginning=shown(beginning),
            most=MOST_LENGTHS,
        )
    if sum(lengths) > MOST_CHARACTERS:
        raise VocabularyError(
            "the pieces or tokens that begin with %(beginning)s are too long: their different lengths add up to "
            "%(count)s characters, and %(most)s are allowed",
            beginning=shown(beginning),
            count=f"{sum(lengths):,}",
            most=f"{MOST_CHARACTERS:,}",
        )
