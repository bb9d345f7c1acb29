"""The windows that matching tries, each shorter than the last, as rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MAX_ROWS = 16
"""Up to so many tries get a row each; of more, those in the middle share a row."""


@dataclass(frozen=True)
class Window:
    """One try: the text in the window, the text `before` and `after` it, and the outcome.

    A `skipped` window is not looked up. `folded` is the number of tries that share the row; they have no text.
    """

    length: int
    before: str = ""
    text: str = ""
    after: str = ""
    outcome: str = ""
    hit: bool = False
    skipped: bool = False
    folded: int = 0

    @property
    def mark(self) -> str:
        """The outcome as a symbol."""
        return "✓" if self.hit else "–" if self.skipped else "✗"


def fold_middle(rows: Sequence[Window]) -> list[Window]:
    """The rows, with those in the middle folded into one if there are more than `MAX_ROWS`.

    >>> [(row.length, row.folded) for row in fold_middle([Window(length) for length in range(20, 0, -1)])][7:9]
    [(13, 0), (12, 5)]
    """
    if len(rows) <= MAX_ROWS:
        return list(rows)
    half = MAX_ROWS // 2
    hidden = rows[half : len(rows) - half + 1]
    return [*rows[:half], Window(hidden[0].length, folded=len(hidden)), *rows[len(rows) - half + 1 :]]
