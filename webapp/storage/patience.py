"""How long the connections to one server may wait."""

from __future__ import annotations

import time


class Patience:
    """The time limit of all connections to one server; after a timeout there is none left for a while.

    Otherwise a request that uses the database three times would wait three times, and every attempt to replace a
    connection that timed out would wait again.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._spent_until = 0.0

    @property
    def is_spent(self) -> bool:
        """Whether a wait for the server has just timed out: for `seconds` from then on, no connection is tried."""
        return time.monotonic() < self._spent_until

    def spend(self) -> None:
        """Note a timeout."""
        self._spent_until = time.monotonic() + self.seconds
