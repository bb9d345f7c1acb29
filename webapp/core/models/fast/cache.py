"""A bounded memory from pre-token to answer, which fills itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Answer = TypeVar("Answer")

# An entry costs its pre-token's length and EACH besides. That is some 20 bytes of memory a unit, 40 at worst: a full
# cache takes 40 MB, 80 at worst, whatever the texts are. The words of 5 MB of source code, between spaces, fit in.
ROOM = 1 << 21
EACH = 8
LONGEST = 256


class Cache(dict[str, Answer], Generic[Answer]):
    """Answers by pre-token; a missing one is computed and kept.

    A `dict` with `__missing__`, because `map(cache.__getitem__, pretokens)` then runs without a Python frame for
    every pre-token seen before. Full (`ROOM`), it is emptied and starts again, which costs less than keeping count of
    what was used last. Of pre-tokens of more than `LONGEST` characters only the latest is remembered: they hardly ever
    return, and a few could fill the memory; but whoever asked for its ids may ask for its offsets next.

    >>> cache = Cache(str.upper)
    >>> cache["low"], dict(cache)
    ('LOW', {'low': 'LOW'})
    """

    __slots__ = ("_compute", "_latest", "_room")

    def __init__(self, compute: Callable[[str], Answer]) -> None:
        super().__init__()
        self._compute = compute
        self._room = ROOM
        self._latest: tuple[str, Answer] | None = None

    def __missing__(self, pretoken: str) -> Answer:
        if len(pretoken) > LONGEST:
            latest = self._latest
            if latest is None or latest[0] != pretoken:
                latest = self._latest = (pretoken, self._compute(pretoken))
            return latest[1]
        answer = self._compute(pretoken)
        self._room -= len(pretoken) + EACH
        if self._room < 0:
            self.clear()
            self._room = ROOM
        self[pretoken] = answer
        return answer
