"""Finds literal texts in a text: the leftmost first, the longest of those that start at the same position.

A pattern that lists them all tries one after the other at every position. Here a pattern only finds the positions where
one may start; what starts there is looked up, once for each length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from webapp.core.models.fast.word_lengths import lengths_by_beginning
from webapp.core.text.character_classes import members


class Literals:
    """A set of literal texts; an empty one is found wherever no other is. `beginning` is what all of them begin with.

    >>> literals = Literals(["<m", "<mask>", "a"])
    >>> list(literals.spans("a <mask> <m <"))
    [(0, 1), (2, 8), (9, 11)]
    >>> list(literals.spans("a<m", start=1))
    [(1, 3)]
    """

    def __init__(self, texts: Iterable[str]) -> None:
        """Raises VocabularyError for more lengths than `lengths_by_beginning` allows."""
        self._texts = frozenset(texts)
        self._lengths = lengths_by_beginning(self._texts, bounded=True)
        self.beginning = _common_beginning(self._texts)
        self._start = self._starts()
        self._empty = "" in self._texts

    def __bool__(self) -> bool:
        return bool(self._texts)

    def spans(self, text: str, start: int = 0) -> Iterator[tuple[int, int]]:
        """`(start, end)` of each text found, from `start` on; they do not overlap."""
        position = start
        for candidate in self._start.finditer(text, start):
            at = candidate.start()
            if at < position:
                continue
            end = self._end(text, at)
            if end > at:
                if self._empty:
                    yield from ((between, between) for between in range(position, at))
                yield at, end
                position = end
        if self._empty:
            yield from ((at, at) for at in range(position, len(text) + 1))

    def first(self, text: str, start: int = 0) -> tuple[int, int] | None:
        """The first of `spans`, or None."""
        return next(self.spans(text, start), None)

    def _starts(self) -> re.Pattern[str]:
        """Where a text may start; each match is of one character, so that starts may lie side by side."""
        if shared := self.beginning:
            # `re` skips to a literal five times as fast as to a class.
            return re.compile(f"{re.escape(shared[0])}(?={re.escape(shared[1:])})")
        starts = members({text[0] for text in self._texts if text})
        if not starts:
            return re.compile("(?!)")
        singles = members({text for text in self._texts if len(text) == 1})
        seconds = members({beginning[1] for beginning in self._lengths})
        tests = [f"(?=[{seconds}])" if seconds else "", f"(?<=[{singles}])" if singles else ""]
        # The class comes first, so that `re` skips everything else before it tests what follows.
        return re.compile(f"[{starts}](?:{'|'.join(filter(None, tests))})")

    def _end(self, text: str, start: int) -> int:
        """Where the longest text that starts at a position ends; the position itself where none does."""
        for length in (*self._lengths.get(text[start : start + 2], ()), 1):
            # Near the end of the text a slice is shorter than asked for, and all that is left.
            found = text[start : start + length]
            if found in self._texts:
                return start + len(found)
        return start


def _common_beginning(texts: frozenset[str]) -> str:
    """What all texts begin with.

    >>> _common_beginning(frozenset(["<mask>", "<m", "<mark>"]))
    '<m'
    """
    first, last = min(texts, default=""), max(texts, default="")
    return first[: next((at for at, pair in enumerate(zip(first, last, strict=False)) if len({*pair}) > 1), len(first))]
