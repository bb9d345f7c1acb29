"""A window on the text that grows shorter with each try, as rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

ROWS = 16
"""So many tries are shown one by one; of more, those in the middle share a row."""


@dataclass(frozen=True)
class Window:
    """One try: what the window shows, what it left out before and behind that, and what came of it.

    A window that is `barred` is not looked up. `folded` counts the tries that share the row; they have no text.
    """

    length: int
    before: str = ""
    text: str = ""
    after: str = ""
    outcome: str = ""
    hit: bool = False
    barred: bool = False
    folded: int = 0

    @property
    def mark(self) -> str:
        """What came of it as a sign."""
        return "✓" if self.hit else "–" if self.barred else "✗"


def folded(rows: Sequence[Window]) -> list[Window]:
    """The rows, those in the middle of many put into one.

    >>> [(row.length, row.folded) for row in folded([Window(length) for length in range(20, 0, -1)])][7:9]
    [(13, 0), (12, 5)]
    """
    if len(rows) <= ROWS:
        return list(rows)
    half = ROWS // 2
    hidden = rows[half : len(rows) - half + 1]
    return [*rows[:half], Window(hidden[0].length, folded=len(hidden)), *rows[len(rows) - half + 1 :]]
