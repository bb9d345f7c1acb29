"""Searches a text for many literal strings: the leftmost first, the longest of those that start at the same position.

A pattern that lists all strings would try one after the other at every position. Here a pattern only finds the
positions where a string may start; a dictionary lookup for each length then finds the string.
"""

import re
from collections.abc import Iterable, Iterator

from webapp.core.models.fast.word_lengths import lengths_by_beginning
from webapp.core.text.alignment import equal_beginning
from webapp.core.text.unicode_tables import ranges_of


class Literals:
    """A set of literal strings. An empty string matches wherever no other does. `beginning` is their common prefix.

    >>> literals = Literals(["<m", "<mask>", "a"])
    >>> list(literals.spans("a <mask> <m <"))
    [(0, 1), (2, 8), (9, 11)]
    >>> list(literals.spans("a<m", start=1))
    [(1, 3)]
    """

    def __init__(self, texts: Iterable[str]) -> None:
        """Raises VocabularyError if the strings have more lengths than `lengths_by_beginning` allows."""
        self._texts = frozenset(texts)
        self._lengths = lengths_by_beginning(self._texts, bounded=True)
        first = min(self._texts, default="")
        self.beginning = first[: equal_beginning(first, max(self._texts, default=""))]
        self._start = self._starts()
        self._empty = "" in self._texts

    def __bool__(self) -> bool:
        return bool(self._texts)

    def spans(self, text: str, start: int = 0) -> Iterator[tuple[int, int]]:
        """Yield `(start, end)` of each match from `start` on; matches do not overlap."""
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
        """The first match, or None."""
        return next(self.spans(text, start), None)

    def _starts(self) -> re.Pattern[str]:
        """A pattern for positions where a string may start; it matches one character, so starts may be adjacent."""
        if shared := self.beginning:
            # `re` skips to a literal five times as fast as to a class.
            return re.compile(f"{re.escape(shared[0])}(?={re.escape(shared[1:])})")
        starts = ranges_of({text[0] for text in self._texts if text})
        if not starts:
            return re.compile("(?!)")
        singles = ranges_of({text for text in self._texts if len(text) == 1})
        seconds = ranges_of({beginning[1] for beginning in self._lengths})
        tests = [f"(?=[{seconds}])" if seconds else "", f"(?<=[{singles}])" if singles else ""]
        # The class comes first, so that `re` skips all other characters before it tests what follows.
        return re.compile(f"[{starts}](?:{'|'.join(filter(None, tests))})")

    def _end(self, text: str, start: int) -> int:
        """The end of the longest string that starts at a position; the position itself if none does."""
        for length in (*self._lengths.get(text[start : start + 2], ()), 1):
            # Near the end of the text a slice is shorter than `length`.
            found = text[start : start + length]
            if found in self._texts:
                return start + len(found)
        return start
