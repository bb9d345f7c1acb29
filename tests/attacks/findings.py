"""The report of the attacks: one row for each attempt."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

WIDTHS = (14, 42, 58, 34)
HEADINGS = ("attack", "tried", "seen", "goal")


@dataclass(frozen=True)
class Finding:
    """One row of the table: what was tried, what the site did, what it should do, and whether it did."""

    tried: str
    seen: str
    goal: str
    holds: bool


def heading() -> str:
    """Return the two lines above the rows."""
    return f"{_row(HEADINGS)}  result\n{_row(['-' * width for width in WIDTHS])}  ------"


def row(attack: str, finding: Finding) -> str:
    """Return the line of one finding."""
    return f"{_row((attack, finding.tried, finding.seen, finding.goal))}  {'ok' if finding.holds else 'HOLE'}"


def _row(cells: Sequence[str]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=True))


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that `share` of the values do not exceed.

    >>> percentile([0.1, 0.4, 0.2, 0.3], 0.5), percentile([0.1, 0.4, 0.2, 0.3], 0.99)
    (0.2, 0.4)
    """
    return sorted(values)[max(0, ceil(share * len(values)) - 1)]


def milliseconds(seconds: float) -> str:
    """Return a duration for the table.

    >>> milliseconds(0.0451)
    '45 ms'
    """
    return f"{seconds * 1000:.0f} ms"
