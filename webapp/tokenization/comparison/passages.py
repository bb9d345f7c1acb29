"""Groups columns into passages, so that the names of the rows appear again where lines end and in long texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from webapp.tokenization.comparison.aligned_spans import AlignedSpan

MOST_LINES = 12  # lines of the text that each have a passage of their own; more would repeat the names too often
FULL = 40  # columns, about three lines on a wide page
LONGEST = 120
_SENTENCE_END = (".", "!", "?", "。", "！", "？", "।", "؟")


@dataclass(frozen=True, slots=True)
class Passage:
    """Consecutive columns, from the line of the text with number `first_line` to that with `last_line`."""

    columns: Sequence[AlignedSpan]
    first_line: int
    last_line: int

    @property
    def token_counts(self) -> list[int]:
        """The number of tokens of each row that begin in the passage."""
        each = zip(*(column.rows for column in self.columns), strict=True)
        return [sum(cell.tokens for cells in row for cell in cells) for row in each]


def passages_of(columns: Sequence[AlignedSpan], text: str) -> Iterator[Passage]:
    """Yield the passages: a line each if there are few lines; a long line has several, cut after sentences."""
    lines = sum(column.ends_line for column in columns[:-1]) + 1
    least = 1 if lines <= MOST_LINES else FULL
    passage: list[AlignedSpan] = []
    first_line = line = 1
    for column, after in zip_longest(columns, columns[1:]):
        passage.append(column)
        is_whole = column.ends_line and len(passage) >= least
        if is_whole or after is None or _may_end(passage, after, text):
            yield Passage(passage, first_line, line)
            passage = []
            first_line = line + column.ends_line
        line += column.ends_line


def _may_end(passage: Sequence[AlignedSpan], after: AlignedSpan, text: str) -> bool:
    """Whether a passage is long enough to end before the next column, inside a line of the text."""
    if len(passage) < FULL or not after.starts or (after.ends_line and text[after.start : after.end].isspace()):
        return False
    last = passage[-1]
    return len(passage) >= LONGEST or text[last.start : last.end].rstrip().endswith(_SENTENCE_END)
