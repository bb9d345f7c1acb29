"""The options for sharing a result: a title, a note and an expiry date."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

LONGEST_TITLE = 120  # characters
LONGEST_NOTE = 2_000
LONGEST_YEARS = 100


@dataclass(frozen=True)
class ShareTerms:
    """The author's options; `expires` is the end of the last day in UTC, or None for no limit."""

    title: str
    note: str
    expires: datetime | None


def end_of(day: date | None) -> datetime | None:
    """The end of `day` in UTC; None for a day that is past or too far away."""
    today = datetime.now(UTC).date()
    if day is None or not today < day <= today + timedelta(days=366 * LONGEST_YEARS):
        return None
    return datetime.combine(day + timedelta(days=1), time(), UTC)
