r"""The words of a text, for measures that are given per word.

Unicode's rule for word boundaries (Standard Annex 29, section 4) decides what a word is: `isn't`, `3.14` and `U.S.A`
are one word each. Only spans with a letter, a mark or a digit are words, so white space, punctuation and symbols are
not. By that rule every Han character is a word of its own, so a run of Han characters is given to a segmenter if there
is one. The rule knows no dictionary: in Thai, Lao, Khmer and Burmese, which are written without spaces, a word of it is
a syllable or a single letter.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress

import regex

Segmenter = Callable[[str], Sequence[str]]
"""Divides a text into words that spell it; a line end is a word of its own."""

# A lazy match up to the next boundary. A run of underscores alone is not a word.
_WORDS = regex.compile(r"(\p{Han}++)|\b(?=_*+[\p{L}\p{M}\p{N}])\w[\w\W]*?\b", regex.WORD)
_BETWEEN = "\n"


@dataclass(frozen=True)
class TextWords:
    """The words of a text: where each starts and ends, in characters and in order.

    `han` of them were found by the segmenter in runs of Han characters.
    """

    starts: Sequence[int]
    ends: Sequence[int]
    han: int = 0

    def __len__(self) -> int:
        return len(self.starts)

    def of(self, text: str) -> list[str]:
        """The words themselves."""
        return [text[start:end] for start, end in zip(self.starts, self.ends, strict=True)]


def words_of(text: str, segment: Segmenter | None = None) -> TextWords:
    """Find the words of a text; `segment` divides runs of Han characters, else each character is a word.

    >>> text = "It isn't 3.14 – foo_bar, 研究生命!"
    >>> words_of(text).of(text)
    ['It', "isn't", '3.14', 'foo_bar', '研', '究', '生', '命']
    >>> found = words_of(text, lambda runs: ["研究", "生命"])
    >>> found.of(text), found.han
    (['It', "isn't", '3.14', 'foo_bar', '研究', '生命'], 2)

    The time is linear in the length of the text, besides that of the segmenter, which is called once.
    """
    starts: list[int] = []
    ends: list[int] = []
    runs: list[bool] = []
    for match in _WORDS.finditer(text):
        start, end = match.span()
        starts.append(start)
        ends.append(end)
        runs.append(match.start(1) >= 0)
    if not any(runs):
        return TextWords(starts, ends)
    return _divided(text, starts, ends, runs, segment)


def _divided(
    text: str, starts: Sequence[int], ends: Sequence[int], runs: Sequence[bool], segment: Segmenter | None
) -> TextWords:
    """The words with each of the `runs` of Han characters divided."""
    all_starts: list[int] = []
    all_ends: list[int] = []
    lengths = iter(_lengths(text, list(compress(zip(starts, ends, strict=True), runs)), segment))
    han = 0
    for start, end, is_run in zip(starts, ends, runs, strict=True):
        if not is_run:
            all_starts.append(start)
            all_ends.append(end)
            continue
        while start < end:
            length = next(lengths)
            all_starts.append(start)
            start += length
            all_ends.append(start)
            han += 1
    return TextWords(all_starts, all_ends, han if segment else 0)


def _lengths(text: str, runs: Sequence[tuple[int, int]], segment: Segmenter | None) -> list[int]:
    """The length of each word of the runs. A segmenter gets all runs at once, which is faster than one by one."""
    if segment is None:
        return [1] * sum(end - start for start, end in runs)
    words = segment(_BETWEEN.join(text[start:end] for start, end in runs))
    return [len(word) for word in words if word != _BETWEEN]
