"""The time that unknown split patterns may take."""

from __future__ import annotations

from time import monotonic

# The time limit of an unknown pattern. Known ones, run by `regex`, take 0.1 µs for each character. A call takes 2 µs,
# which is much for a short word.
SECONDS, SECONDS_A_CHARACTER, SECONDS_A_CALL = 1.0, 2e-6, 4e-6
# A budget that was not used for so long, in seconds of the clock, is full again.
REST = 3.0


class TimeBudget:
    """The time that patterns may still take, for all texts: thousands of slow words use it up like one slow text.

    One pattern has a budget, or all patterns of a pipeline have one together: however many steps read a text, its
    characters count once.

    >>> budget = TimeBudget()
    >>> budget.spend(0.9, 40)
    >>> round(budget.seconds(40), 2)
    0.1
    >>> budget.spend(0.0, 10_000_000)  # a text that it splits fast restores the budget
    >>> budget.seconds(0)
    1.0
    """

    def __init__(self, patterns: int = 0) -> None:
        self.patterns = patterns
        """The number of patterns that share the budget; 0 counts as one."""
        self._overdrawn = 0.0  # seconds taken beyond the limit for the characters so far
        self._used = 0.0  # when, on the clock

    def seconds(self, characters: int) -> float:
        """The seconds that a pattern may take on so many characters; 0 once the budget is used up."""
        left = SECONDS + SECONDS_A_CHARACTER * characters - self._overdrawn
        if left > 0:
            return left
        if monotonic() - self._used > REST:
            self._overdrawn = 0.0
            return SECONDS + SECONDS_A_CHARACTER * characters
        return 0.0

    def spend(self, seconds: float, characters: int) -> None:
        """Subtract the time that a pattern took."""
        earned = (SECONDS_A_CALL + SECONDS_A_CHARACTER * characters) / max(1, self.patterns)
        self._overdrawn = max(0.0, self._overdrawn + seconds - earned)
        if self._overdrawn:
            self._used = monotonic()
