"""What an author may ask for when a result is kept: a title, a note, an end."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

LONGEST_TITLE = 120  # characters
LONGEST_NOTE = 2_000
LONGEST_YEARS = 100


@dataclass(frozen=True)
class ShareTerms:
    """What the author said; `expires` is the end of the last day, in UTC, or None for good."""

    title: str
    note: str
    expires: datetime | None


def end_of(day: date | None) -> datetime | None:
    """The end of the last day to keep something, in UTC; None for a day that is not to come, or too far away."""
    today = datetime.now(UTC).date()
    if day is None or not today < day <= today + timedelta(days=366 * LONGEST_YEARS):
        return None
    return datetime.combine(day + timedelta(days=1), time(), UTC)
