"""The offsets of a byte-level model's tokens in a pre-token."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate


def byte_segments(
    pretoken: str, ids: Sequence[int], pieces: Sequence[str] | Sequence[bytes]
) -> tuple[tuple[int, int, int], ...]:
    """`(id, start, end)` in characters; part of a character's bytes has the range of the whole character.

    >>> byte_segments("aé", [0, 1, 2], [b"a", b"\\xc3", b"\\xa9"])
    ((0, 0, 1), (1, 1, 2), (2, 1, 2))
    """
    ends = list(accumulate(len(pieces[id]) for id in ids))
    starts = [0, *ends][: len(ends)]
    if not pretoken.isascii():
        owner = [at for at, character in enumerate(pretoken) for _ in character.encode()]
        starts = [owner[start] for start in starts]
        ends = [owner[end - 1] + 1 for end in ends]
    return tuple(zip(ids, starts, ends, strict=True))
