"""The lines of a word list that are no entries, which reading it skipped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from webapp.core.vocabulary_error import Phrase

Reason = Literal[
    "control-character", "empty-word", "word-too-long", "too-many-fields", "frequency-not-a-number", "quotes"
]

MOST_LISTED = 20
"""How many skipped lines are described; the others are only counted."""


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """A line that is no entry.

    `number` counts from 1, `reason` is a code for programs, `message` a translatable phrase, and `text` the beginning
    of the line.
    """

    number: int
    reason: Reason
    message: Phrase
    text: str


@dataclass(frozen=True, slots=True)
class SkippedLines:
    """The number of skipped lines, and the `first` of them, at most `MOST_LISTED`.

    `not_csv` is the number of the line that keeps a list from being CSV, if most lines look like it: the commas are
    then part of the words. `like_csv` is that of the first line of another list that looks like CSV, with the same
    result. 0 for other lists.

    >>> bool(SkippedLines())
    False
    """

    count: int = 0
    first: tuple[SkippedLine, ...] = ()
    not_csv: int = 0
    like_csv: int = 0

    def __bool__(self) -> bool:
        return self.count > 0

    @property
    def is_noted(self) -> bool:
        """Whether there is something to say about the lines: skipped ones, or commas in words."""
        return self.count > 0 or self.not_csv > 0 or self.like_csv > 0

    @property
    def more(self) -> int:
        """How many skipped lines are not in `first`."""
        return self.count - len(self.first)


NONE_SKIPPED = SkippedLines()
